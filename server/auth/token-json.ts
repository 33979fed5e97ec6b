// Parses the JSON objects of a token member by member, with the position of each error, because a
// client's developer sees only the refusal.
import {
  BRACE,
  BRACE_END,
  BRACKET,
  COMMA,
  decoder,
  LETTER_N,
  QUOTE,
} from '../../format/bytes/index.ts'
import {
  faultText,
  findFault,
  kindText,
  skipSpace,
  skipValue,
  unescapeText,
} from '../../format/json/index.ts'
import { undecodable } from './faults.ts'

/** A value is bytes[from, to). */
export type Value = { readonly from: number; readonly to: number }

/**
 * The members of an object in their order. `what` names the object in messages. @throws ApiError
 */
export class TokenObject {
  readonly bytes: Uint8Array
  readonly members: ReadonlyMap<string, Value>
  /** Position after its closing brace. */
  readonly end: number

  constructor(bytes: Uint8Array, typeName: string) {
    this.bytes = bytes
    const fault = findFault(bytes)
    if (fault !== null) throw undecodable(`JSON error: ${faultText(fault)}`)
    const start = skipSpace(bytes, 0)
    if (bytes[start] !== BRACE) throw this.#noObject(start, typeName)
    const members = new Map<string, Value>()
    let at = skipSpace(bytes, start + 1)
    while (bytes[at] !== BRACE_END) {
      const keyEnd = skipValue(bytes, at)
      const name = unescapeText(bytes, at + 1, keyEnd - 1)
      if (members.has(name)) throw this.fault(`duplicate field \`${name}\``, keyEnd)
      const from = skipSpace(bytes, skipSpace(bytes, keyEnd) + 1)
      const to = skipValue(bytes, from)
      members.set(name, { from, to })
      at = skipSpace(bytes, to)
      if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1)
    }
    this.members = members
    this.end = at + 1
  }

  /** Builds a refusal; `at` is the number of bytes read so far. */
  fault(message: string, at: number): Error {
    let line = 1
    let lineStart = 0
    for (let i = 0; i < at; i++) {
      if (this.bytes[i] !== 0x0a) continue
      line++
      lineStart = i + 1
    }
    return undecodable(`JSON error: ${message} at line ${line} column ${at - lineStart}`)
  }

  missing(name: string): Error {
    return this.fault(`missing field \`${name}\``, this.end)
  }

  /** Builds the error for a value of the wrong type. */
  wrongType({ from, to }: Value, expected: string): Error {
    const opens = this.bytes[from] === BRACE || this.bytes[from] === BRACKET
    const found = kindText(this.bytes, from, to)
    return this.fault(`invalid type: ${found}, expected ${expected}`, opens ? from : to)
  }

  isNull({ from }: Value): boolean {
    return this.bytes[from] === LETTER_N
  }

  isText({ from }: Value): boolean {
    return this.bytes[from] === QUOTE
  }

  text({ from, to }: Value): string {
    return unescapeText(this.bytes, from + 1, to - 1)
  }

  source({ from, to }: Value): string {
    return decoder.decode(this.bytes.subarray(from, to))
  }

  #noObject(start: number, typeName: string): Error {
    const value = { from: start, to: skipValue(this.bytes, start) }
    if (this.bytes[start] !== BRACKET) return this.wrongType(value, typeName)
    const { length } = JSON.parse(this.source(value)) as readonly unknown[]
    return this.fault(`invalid length ${length}, expected ${typeName} with 3 elements`, value.to)
  }
}
