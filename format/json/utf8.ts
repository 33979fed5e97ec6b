// Checks UTF-8 chunk by chunk with Node's own validator (2–10 GB/s) and finds the first invalid
// byte. The scanner can therefore accept any byte above 0x7f as a letter.

import { isUtf8 } from 'node:buffer'
import { assert } from '../errors.ts'

/** A chunked check. Chunks may cut characters. */
export class Utf8Check {
  readonly #cut = new Uint8Array(4)
  #cutLength = 0
  #seen = 0
  /**
   * Offset of the first byte of the first invalid character, counted over all chunks, or Infinity.
   */
  firstBad = Infinity

  add(chunk: Uint8Array): void {
    const base = this.#seen
    this.#seen += chunk.length
    if (this.firstBad !== Infinity) return
    let from = 0
    if (this.#cutLength > 0) {
      from = this.#complete(chunk, base)
      if (from < 0) return
    }
    const to = chunk.length - cutBytes(chunk, from)
    if (!isUtf8(from === 0 && to === chunk.length ? chunk : chunk.subarray(from, to))) {
      this.firstBad = base + firstInvalid(chunk, from, to)
      return
    }
    this.#cutLength = chunk.length - to
    for (let i = 0; i < this.#cutLength; i++) this.#cut[i] = chunk[to + i]!
  }

  /** Ends the text: an incomplete character is invalid. */
  end(): void {
    if (this.#cutLength > 0 && this.firstBad === Infinity) {
      this.firstBad = this.#seen - this.#cutLength
    }
  }

  /**
   * Completes a character that the previous chunk began. Returns the number of bytes used, or -1 if
   * nothing is left to check.
   */
  #complete(chunk: Uint8Array, base: number): number {
    assert(this.#cutLength > 0, 'a character was begun')
    const start = base - this.#cutLength
    const length = characterBytes(this.#cut[0]!)
    let from = 0
    while (this.#cutLength < length) {
      if (from === chunk.length) return -1
      const c = chunk[from++]!
      this.#cut[this.#cutLength++] = c
      if ((c & 0xc0) !== 0x80) break
    }
    if (isUtf8(this.#cut.subarray(0, this.#cutLength))) {
      this.#cutLength = 0
      return from
    }
    this.firstBad = start
    return -1
  }
}

/**
 * Returns the length of a character whose first byte is `lead`; 1 for bytes that begin no
 * character.
 */
function characterBytes(lead: number): number {
  if (lead >= 0xf0) return 4
  if (lead >= 0xe0) return 3
  return lead >= 0xc0 ? 2 : 1
}

/** Returns the number of bytes at the end that belong to an incomplete character. */
function cutBytes(chunk: Uint8Array, from: number): number {
  for (let back = 1; back <= 3 && chunk.length - back >= from; back++) {
    const c = chunk[chunk.length - back]!
    if (c >= 0xc0) return characterBytes(c) > back ? back : 0
    if (c < 0x80) return 0
  }
  return 0
}

/**
 * Returns the offset of the first byte of the first invalid character in bytes[from, to), or `to`.
 */
export function firstInvalid(bytes: Uint8Array, from: number, to: number): number {
  let at = from
  while (at < to) {
    const length = characterBytes(bytes[at]!)
    if (length === 1 ? bytes[at]! > 0x7f : !isUtf8(bytes.subarray(at, Math.min(to, at + length)))) {
      return at
    }
    at += length
  }
  return to
}
