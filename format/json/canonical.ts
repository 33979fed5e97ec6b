// Writes the canonical form of a value: compact, with normalised numbers and strings; of a repeated
// key the last value in the place of the first, at every level · ./JSON.md "The trusting readers"
//
// One pass over the bytes, writing as it goes. Each open object records the offsets of its members
// in the output; an object with a repeated key is written again when it closes.
import {
  BACKSLASH,
  BRACE,
  BRACE_END,
  BRACKET,
  BRACKET_END,
  COLON,
  COMMA,
  decoder,
  LETTER_A,
  lengthened,
  QUOTE,
} from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import { JsonBuffer } from './buffer.ts'
import { equalRanges, hashBytes, KeySet, LINEAR_KEYS_MAX } from './keys.ts'
import { canonicalNumber, isCanonicalNumber, isWhole } from './numbers.ts'
import { expectByte, skipSpace, skipString, skipValue } from './skip.ts'
import { unescapeInto, writeJsonString } from './strings.ts'

/** Deepest nesting: more than the scanner allows, few enough for memory. */
const OPEN_MAX = 1024

/** An object or array that is being written. */
type Open = {
  isObject: boolean
  /** Offset of its opening bracket in the output. */
  start: number
  /** Index of its first member in the member arrays. */
  firstMember: number
  /** Index of the member whose value is being written, -1 before the first. */
  member: number
  hasRepeats: boolean
  /** The keys, used only for objects of many members. */
  readonly keys: KeySet
}

/** Writes canonical JSON, one value after another. */
export class Canonical {
  /** True if integers beyond 64 bits keep their digits, as in documents. */
  readonly #keepsWhole: boolean
  readonly #open: Open[] = []
  #depth = 0
  /**
   * Members of all open objects together: for each, the hash of its key and four offsets in the
   * output.
   */
  #count = 0
  #hash: Int32Array = new Int32Array(64)
  #keyStart: Uint32Array = new Uint32Array(64)
  #keyEnd: Uint32Array = new Uint32Array(64)
  #valueStart: Uint32Array = new Uint32Array(64)
  #valueEnd: Uint32Array = new Uint32Array(64)
  readonly #text = new JsonBuffer(256)
  readonly #scratch = new JsonBuffer(256)
  /** The bytes as a Buffer, which converts parts to strings quickly; created on first use. */
  #ascii: Buffer | null = null

  constructor(keepsWhole = false) {
    this.#keepsWhole = keepsWhole
  }

  /**
   * Appends the value that begins at `at` to `out`; returns the offset after it. @throws
   * CorruptionError
   */
  write(bytes: Uint8Array, at: number, out: JsonBuffer): number {
    this.#depth = 0
    this.#count = 0
    this.#ascii = null
    for (;;) {
      const c = bytes[at]!
      if (c === BRACE || c === BRACKET) {
        at = skipSpace(bytes, at + 1)
        this.#begin(c === BRACE, out)
        if (bytes[at] !== (c === BRACE ? BRACE_END : BRACKET_END)) {
          if (c === BRACE) at = this.#key(bytes, at, out)
          continue
        }
      } else if (c === QUOTE) {
        at = this.#string(bytes, at, out)
      } else {
        at = this.#plain(bytes, at, out)
      }
      at = this.#leave(bytes, at, out)
      if (this.#depth === 0) return at
    }
  }

  #begin(isObject: boolean, out: JsonBuffer): void {
    assert(this.#depth < OPEN_MAX, 'documents are not nested deeper than the scanner allows')
    this.#open[this.#depth] ??= {
      isObject,
      start: 0,
      firstMember: 0,
      member: -1,
      hasRepeats: false,
      keys: new KeySet(),
    }
    const open = this.#open[this.#depth++]!
    open.isObject = isObject
    open.start = out.length
    open.firstMember = this.#count
    open.member = -1
    open.hasRepeats = false
    open.keys.clear()
    out.byte(isObject ? BRACE : BRACKET)
  }

  /**
   * Continues after a value, or after the bracket of an empty container, to the next value or the
   * end. Returns its offset.
   */
  #leave(bytes: Uint8Array, at: number, out: JsonBuffer): number {
    while (this.#depth > 0) {
      const open = this.#open[this.#depth - 1]!
      if (open.member >= 0) this.#endMember(open, out)
      at = skipSpace(bytes, at)
      const c = bytes[at]
      if (c === COMMA) {
        out.byte(COMMA)
        at = skipSpace(bytes, at + 1)
        return open.isObject ? this.#key(bytes, at, out) : at
      }
      if (c !== (open.isObject ? BRACE_END : BRACKET_END)) {
        refuse('json', at, 'bad_value', 'a comma or a bracket', c ?? 'the end')
      }
      at++
      if (open.hasRepeats) this.#rewrite(open, out)
      else out.byte(c!)
      this.#count = open.firstMember
      this.#depth--
    }
    return at
  }

  /** Writes the key at `at` and its colon; returns the offset of the value. */
  #key(bytes: Uint8Array, at: number, out: JsonBuffer): number {
    if (bytes[at] !== QUOTE) refuse('json', at, 'bad_value', 'a key', bytes[at] ?? 'the end')
    if (this.#count === this.#hash.length) this.#grow()
    const open = this.#open[this.#depth - 1]!
    const i = this.#count++
    open.member = i
    this.#keyStart[i] = out.length
    at = this.#string(bytes, at, out)
    this.#keyEnd[i] = out.length
    this.#hash[i] = hashBytes(out.bytes, this.#keyStart[i]!, out.length)
    out.byte(COLON)
    this.#valueStart[i] = out.length
    return skipSpace(bytes, expectByte(bytes, at, COLON))
  }

  /** Records the value just written: of a new member, or as the replacement of an earlier one. */
  #endMember(open: Open, out: JsonBuffer): void {
    const i = open.member
    this.#valueEnd[i] = out.length
    const many = i - open.firstMember >= LINEAR_KEYS_MAX
    const same = many ? this.#sameAmongMany(open, out.bytes) : this.#sameAs(open, out.bytes)
    if (same === i) return
    this.#valueStart[same] = this.#valueStart[i]!
    this.#valueEnd[same] = this.#valueEnd[i]!
    this.#count--
    open.hasRepeats = true
  }

  #sameAs(open: Open, written: Uint8Array): number {
    const i = open.member
    const hash = this.#hash
    const wanted = hash[i]!
    const start = this.#keyStart[i]!
    const length = this.#keyEnd[i]! - start
    for (let j = open.firstMember; j < i; j++) {
      if (hash[j] !== wanted || this.#keyEnd[j]! - this.#keyStart[j]! !== length) continue
      if (equalRanges(written, start, written, this.#keyStart[j]!, length)) return j
    }
    return i
  }

  #sameAmongMany(open: Open, written: Uint8Array): number {
    for (let j = open.firstMember + open.keys.count; j < open.member; j++) {
      open.keys.add(written, this.#keyStart[j]!, this.#keyEnd[j]!)
    }
    const i = open.member
    return open.firstMember + open.keys.add(written, this.#keyStart[i]!, this.#keyEnd[i]!)
  }

  /** Writes an object again from its bracket on, without the replaced values. */
  #rewrite(open: Open, out: JsonBuffer): void {
    const scratch = this.#scratch
    scratch.clear()
    for (let i = open.firstMember; i < this.#count; i++) {
      scratch.byte(i === open.firstMember ? BRACE : COMMA)
      scratch.append(out.bytes, this.#keyStart[i]!, this.#keyEnd[i]!)
      scratch.byte(COLON)
      scratch.append(out.bytes, this.#valueStart[i]!, this.#valueEnd[i]!)
    }
    scratch.byte(BRACE_END)
    out.length = open.start
    out.append(scratch.bytes, 0, scratch.length)
  }

  #string(bytes: Uint8Array, at: number, out: JsonBuffer): number {
    const end = bytes.length
    let to = at + 1
    for (; to < end; to++) {
      const c = bytes[to]!
      if (c === BACKSLASH) break
      if (c !== QUOTE) continue
      out.append(bytes, at, to + 1)
      return to + 1
    }
    to = skipString(bytes, at)
    this.#text.clear()
    unescapeInto(bytes, at + 1, to - 1, this.#text)
    writeJsonString(out, this.#text.bytes, 0, this.#text.length)
    return to
  }

  #plain(bytes: Uint8Array, at: number, out: JsonBuffer): number {
    const to = skipValue(bytes, at)
    const isKept =
      bytes[at]! >= LETTER_A ||
      isCanonicalNumber(bytes, at, to) ||
      (this.#keepsWhole && isWhole(bytes, at, to))
    if (!isKept) {
      this.#ascii ??= Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
      const text = canonicalNumber(this.#ascii.toString('latin1', at, to))
      if (text !== null) {
        out.ascii(text)
        return to
      }
    }
    out.append(bytes, at, to)
    return to
  }

  #grow(): void {
    const size = this.#count * 2
    this.#hash = lengthened(this.#hash, size)
    this.#keyStart = lengthened(this.#keyStart, size)
    this.#keyEnd = lengthened(this.#keyEnd, size)
    this.#valueStart = lengthened(this.#valueStart, size)
    this.#valueEnd = lengthened(this.#valueEnd, size)
  }
}

/** Returns the canonical text of the value at `at`, for messages. */
export function canonicalText(bytes: Uint8Array, at: number): string {
  const out = new JsonBuffer(256)
  new Canonical().write(bytes, at, out)
  return decoder.decode(out.view())
}
