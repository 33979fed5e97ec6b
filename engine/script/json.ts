// Between JSON and the values of scripts. Integers of 64 bits stay what they are; all other numbers
// are floats. What JSON has no form for becomes text, or null.
import { floatText } from '../../format/json/index.ts'
import { ScriptFault } from './faults.ts'
import { VALUE_DEPTH_MAX } from './limits.ts'
import { Blob, Char, FunctionPointer, ScriptMap, typeName, type Value } from './values.ts'

const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

/** The value of JSON that is known to be well-formed. */
export function readJson(bytes: Uint8Array): Value {
  return readJsonText(decoder.decode(bytes)) ?? null
}

/** The value of a JSON text; undefined where it is none, or nested too deep. */
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
const STRING = /"(?:[^"\\]|\\.)*"/sy

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
    if (depth > VALUE_DEPTH_MAX) throw NOT_JSON
    this.skip()
    switch (this.#text[this.at]) {
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
    STRING.lastIndex = this.at
    const match = STRING.exec(this.#text)
    if (match === null) throw NOT_JSON
    this.at = STRING.lastIndex
    return JSON.parse(match[0]) as string
  }

  /** Past white space, and the character if it comes next. */
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
 * A value as compact JSON, members in the order of their names. @throws ScriptFault where it is
 * nested deeper than documents may be
 */
export const writeJson = (value: Value): string => jsonOf(value, 1)

function jsonOf(value: Value, depth: number): string {
  if (value === null) return 'null'
  switch (typeof value) {
    case 'boolean':
    case 'bigint':
      return String(value)
    case 'number':
      return Number.isFinite(value) ? floatText(value) : 'null'
    case 'string':
      return jsonString(value)
  }
  if (depth === VALUE_DEPTH_MAX) {
    throw new ScriptFault('ErrorDataTooLarge', 'Data is nested too deep', null)
  }
  if (Array.isArray(value)) return `[${value.map((item) => jsonOf(item, depth + 1)).join(',')}]`
  if (value instanceof ScriptMap) {
    const members = value
      .names()
      .map((name) => `${jsonString(name)}:${jsonOf(value.get(name) ?? null, depth + 1)}`)
    return `{${members.join(',')}}`
  }
  if (value instanceof Char) return JSON.stringify(value.text)
  if (value instanceof FunctionPointer) return JSON.stringify(value.name)
  if (value instanceof Blob) return `[${value.bytes.join(',')}]`
  return JSON.stringify(typeName(value))
}

/** Half a pair is no character: documents have none. */
const HALF = /\p{Surrogate}/gu

/** A string as JSON that is valid UTF-8. */
export const jsonString = (text: string): string => JSON.stringify(text.replace(HALF, '\ufffd'))
