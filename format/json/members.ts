// The members of one object, without building it: keys, hashes and value ranges in reused arrays.
// Of a repeated key the last value counts, in the place of the first · ./JSON.md

import { BACKSLASH, BRACE, BRACE_END, COLON, COMMA, lengthened, QUOTE } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import { JsonBuffer } from './buffer.ts'
import { equalRanges, hashBytes, KeySet, LINEAR_KEYS_MAX } from './keys.ts'
import { expectByte, skipSpace, skipValue } from './skip.ts'
import { unescapeInto } from './strings.ts'

const HASH_BASIS = 0x811c9dc5 | 0
const HASH_PRIME = 0x01000193

/**
 * Reads objects of validated JSON, one after another. Offsets refer to the bytes of the last
 * `scan`.
 */
export class Members {
  count = 0
  /** FNV-1a of each unescaped key. */
  hash: Int32Array = new Int32Array(32)
  keyStart: Uint32Array = new Uint32Array(32)
  keyEnd: Uint32Array = new Uint32Array(32)
  valueStart: Uint32Array = new Uint32Array(32)
  valueEnd: Uint32Array = new Uint32Array(32)
  /** 1 if the key range refers to the unescaped text, 0 if to the scanned bytes. */
  #escaped: Uint8Array = new Uint8Array(32)
  readonly #text = new JsonBuffer(256)
  /** The keys of an object of many members; member `i` has number `i`. */
  readonly #keys = new KeySet()
  #bytes: Uint8Array = new Uint8Array(0)

  /**
   * Reads the object whose brace is at `at`; returns the offset after it. White space between
   * tokens is allowed. Cost: one pass. @throws CorruptionError
   */
  scan(bytes: Uint8Array, at: number): number {
    this.#bytes = bytes
    this.#text.clear()
    this.#keys.clear()
    this.count = 0
    at = skipSpace(bytes, expectByte(bytes, at, BRACE))
    if (bytes[at] === BRACE_END) return at + 1
    for (;;) {
      if (this.count === this.hash.length) this.#grow()
      at = this.#key(bytes, at)
      if (bytes[at] === COLON) at++
      else at = expectByte(bytes, at, COLON)
      if (bytes[at]! <= 32) at = skipSpace(bytes, at)
      const end = skipValue(bytes, at)
      this.#add(at, end)
      at = bytes[end] === COMMA ? end : skipSpace(bytes, end)
      if (bytes[at] !== COMMA) return expectByte(bytes, at, BRACE_END)
      at = skipSpace(bytes, at + 1)
    }
  }

  /** Returns the array that the key range of member `i` refers to. */
  keySource(i: number): Uint8Array {
    return this.#escaped[i] === 1 ? this.#text.bytes : this.#bytes
  }

  /** Returns the unescaped key of member `i` in UTF-8: a view, valid until the next `scan`. */
  key(i: number): Uint8Array {
    assert(i >= 0 && i < this.count, 'a member is read that exists')
    return this.keySource(i).subarray(this.keyStart[i]!, this.keyEnd[i]!)
  }

  /** Returns true if member `i` has this key. */
  keyIs(i: number, name: Uint8Array): boolean {
    return (
      this.keyEnd[i]! - this.keyStart[i]! === name.length &&
      equalRanges(this.keySource(i), this.keyStart[i]!, name, 0, name.length)
    )
  }

  /**
   * Returns the index of the member with this key, or -1. A caller that has `hashBytes(name)`
   * passes it.
   */
  find(name: Uint8Array, hash = hashBytes(name, 0, name.length)): number {
    for (let i = 0; i < this.count; i++) {
      if (this.hash[i] === hash && this.keyIs(i, name)) return i
    }
    return -1
  }

  /**
   * Reads the key at `at` as that of the next member and hashes it on the way. Returns the offset
   * after it.
   */
  #key(bytes: Uint8Array, at: number): number {
    const i = this.count
    const start = expectByte(bytes, at, QUOTE)
    let hash = HASH_BASIS
    let end = start
    for (let c = bytes[end]; c !== QUOTE; c = bytes[++end]) {
      if (c === BACKSLASH || c === undefined) return this.#escapedKey(bytes, start)
      hash = Math.imul(hash ^ c, HASH_PRIME)
    }
    this.hash[i] = hash
    this.keyStart[i] = start
    this.keyEnd[i] = end
    this.#escaped[i] = 0
    return end + 1
  }

  #escapedKey(bytes: Uint8Array, start: number): number {
    const i = this.count
    const end = skipValue(bytes, start - 1)
    const from = this.#text.length
    unescapeInto(bytes, start, end - 1, this.#text)
    this.keyStart[i] = from
    this.keyEnd[i] = this.#text.length
    this.hash[i] = hashBytes(this.#text.bytes, from, this.#text.length)
    this.#escaped[i] = 1
    return end
  }

  /**
   * Records the value of the key just read: of a new member, or as the new value of an earlier one.
   */
  #add(start: number, end: number): void {
    const i = this.count
    const same = i < LINEAR_KEYS_MAX ? this.#sameAs(i) : this.#sameAmongMany(i)
    if (same === i) this.count++
    this.valueStart[same] = start
    this.valueEnd[same] = end
  }

  /** Returns the first member with the key of member `i`, which may be `i`. */
  #sameAs(i: number): number {
    const hash = this.hash
    const wanted = hash[i]!
    for (let j = 0; j < i; j++) if (hash[j] === wanted && this.#sameKey(i, j)) return j
    return i
  }

  #sameAmongMany(i: number): number {
    for (let j = this.#keys.count; j < i; j++) {
      this.#keys.add(this.keySource(j), this.keyStart[j]!, this.keyEnd[j]!)
    }
    return this.#keys.add(this.keySource(i), this.keyStart[i]!, this.keyEnd[i]!)
  }

  #sameKey(i: number, j: number): boolean {
    const length = this.keyEnd[i]! - this.keyStart[i]!
    return (
      this.keyEnd[j]! - this.keyStart[j]! === length &&
      equalRanges(
        this.keySource(i),
        this.keyStart[i]!,
        this.keySource(j),
        this.keyStart[j]!,
        length,
      )
    )
  }

  #grow(): void {
    const size = this.count * 2
    this.hash = lengthened(this.hash, size)
    this.keyStart = lengthened(this.keyStart, size)
    this.keyEnd = lengthened(this.keyEnd, size)
    this.valueStart = lengthened(this.valueStart, size)
    this.valueEnd = lengthened(this.valueEnd, size)
    this.#escaped = lengthened(this.#escaped, size)
  }
}
