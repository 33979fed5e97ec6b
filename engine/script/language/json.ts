// Conversion between JSON and script values. Integers of 64 bits are preserved; all other numbers
// are floats. Values without a JSON form become strings or null.
import { exactDecoder } from '../../../format/bytes/index.ts'
import { floatText } from '../../../format/json/index.ts'
import { ScriptFault } from './faults.ts'
import { JSON_LENGTH_MAX, VALUE_DEPTH_MAX } from './limits.ts'
import {
  Blob,
  Char,
  FunctionPointer,
  ScriptMap,
  TextBudget,
  typeName,
  type Value,
} from './values.ts'

/** Decodes JSON that is known to be well-formed. */
export function readJson(bytes: Uint8Array): Value {
  return readJsonText(exactDecoder.decode(bytes)) ?? null
}

/** Decodes a JSON text; returns undefined if it is invalid or nested too deep. */
export function readJsonText(text: string): Value | undefined {
  const reader = new Reader(text)
  try {
    const value = reader.value(0)
    reader.skip()
    return reader.at === text.length ? value : undefined
  } catch (error) {
    if (error === NOT_JSON || error instanceof SyntaxError) return undefined
    throw error
  }
}

const NOT_JSON = new Error('not JSON')
const SPACE = /[ \t\n\r]*/y
const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][-+]?\d+)?/y

class Reader {
  readonly #text: string
  at = 0

  constructor(text: string) {
    this.#text = text
  }

  skip(): void {
    SPACE.lastIndex = this.at
    SPACE.test(this.#text)
    this.at = SPACE.lastIndex
  }

  value(depth: number): Value {
    this.skip()
    const first = this.#text[this.at]
    if (depth >= VALUE_DEPTH_MAX && (first === '{' || first === '[')) throw NOT_JSON
    switch (first) {
      case '{':
        return this.#object(depth)
      case '[':
        return this.#array(depth)
      case '"':
        return this.#string()
      case 't':
        return this.#word('true', true)
      case 'f':
        return this.#word('false', false)
      case 'n':
        return this.#word('null', null)
      default:
        return this.#number()
    }
  }

  #word(word: string, value: Value): Value {
    if (!this.#text.startsWith(word, this.at)) throw NOT_JSON
    this.at += word.length
    return value
  }

  #number(): Value {
    NUMBER.lastIndex = this.at
    const match = NUMBER.exec(this.#text)
    if (match === null) throw NOT_JSON
    this.at = NUMBER.lastIndex
    const [text, fraction, exponent] = match
    if (fraction !== undefined || exponent !== undefined || text === '-0') return Number(text)
    const value = BigInt(text)
    return BigInt.asIntN(64, value) === value ? value : Number(text)
  }

  #string(): string {
    const start = this.at
    let end = start
    do end = this.#text.indexOf('"', end + 1)
    while (end > 0 && this.#isEscaped(end))
    if (end < 0) throw NOT_JSON
    this.at = end + 1
    return JSON.parse(this.#text.slice(start, this.at)) as string
  }

  #isEscaped(at: number): boolean {
    let before = at
    while (this.#text[before - 1] === '\\') before--
    return (at - before) % 2 === 1
  }

  /** Skips white space, then accepts the character if it comes next. */
  #accept(c: string): boolean {
    this.skip()
    if (this.#text[this.at] !== c) return false
    this.at++
    return true
  }

  #array(depth: number): Value {
    this.at++
    const items: Value[] = []
    if (this.#accept(']')) return items
    do items.push(this.value(depth + 1))
    while (this.#accept(','))
    if (!this.#accept(']')) throw NOT_JSON
    return items
  }

  #object(depth: number): Value {
    this.at++
    const map = new ScriptMap()
    if (this.#accept('}')) return map
    do {
      this.skip()
      if (this.#text[this.at] !== '"') throw NOT_JSON
      const name = this.#string()
      if (!this.#accept(':')) throw NOT_JSON
      map.set(name, this.value(depth + 1))
    } while (this.#accept(','))
    if (!this.#accept('}')) throw NOT_JSON
    return map
  }
}

/**
 * Encodes a value as compact JSON, members in name order. @throws ScriptFault if it is nested
 * deeper than documents may be, or if its strings are too long in total
 */
export const writeJson = (value: Value): string => jsonOf(value, 1, new TextBudget(JSON_LENGTH_MAX))

function jsonOf(value: Value, depth: number, budget: TextBudget): string {
  if (value === null) return 'null'
  switch (typeof value) {
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'number':
      return Number.isFinite(value) ? floatText(value) : 'null'
    case 'string':
      return budget.take(jsonString(value))
  }
  if (depth === VALUE_DEPTH_MAX) {
    throw new ScriptFault('ErrorDataTooLarge', 'Data is nested too deep', null)
  }
  if (Array.isArray(value))
    return `[${value.map((item) => jsonOf(item, depth + 1, budget)).join(',')}]`
  if (value instanceof ScriptMap) {
    const members = value.names().map((name) => {
      const key = budget.take(jsonString(name))
      return `${key}:${jsonOf(value.get(name) ?? null, depth + 1, budget)}`
    })
    return `{${members.join(',')}}`
  }
  if (value instanceof Char) return JSON.stringify(value.text)
  if (value instanceof FunctionPointer) return JSON.stringify(value.name)
  if (value instanceof Blob) return `[${value.bytes.join(',')}]`
  return JSON.stringify(typeName(value))
}

/** Half of a surrogate pair is not a character; documents must not contain one. */
const HALF = /\p{Surrogate}/gu

/** Encodes a string as JSON that is valid UTF-8. */
export const jsonString = (text: string): string => JSON.stringify(text.replace(HALF, '\ufffd'))
