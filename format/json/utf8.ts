// Is this UTF-8, and if not, from which byte on? Checked a chunk at a time by Node's own validator
// (2–10 GB/s), so that the scanner can take any byte above 0x7f for a letter.
import { isUtf8 } from 'node:buffer'

/** A chunked check. Characters may be cut by the chunks. */
export class Utf8Check {
  readonly #cut = new Uint8Array(4)
  #cutLength = 0
  #seen = 0
  /** Offset in all chunks together of the first byte of the first wrong character, or Infinity. */
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

  /** The text is over: a character that is not complete is wrong. */
  end(): void {
    if (this.#cutLength > 0 && this.firstBad === Infinity) {
      this.firstBad = this.#seen - this.#cutLength
    }
  }

  /**
   * Finishes a character begun before; how many bytes of the chunk it took, -1 when there are no
   * more.
   */
  #complete(chunk: Uint8Array, base: number): number {
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

/** How many bytes a character has whose first byte is `lead`; 1 for what begins none. */
function characterBytes(lead: number): number {
  if (lead >= 0xf0) return 4
  if (lead >= 0xe0) return 3
  return lead >= 0xc0 ? 2 : 1
}

/** How many bytes at the end belong to a character that is not complete. */
function cutBytes(chunk: Uint8Array, from: number): number {
  for (let back = 1; back <= 3 && chunk.length - back >= from; back++) {
    const c = chunk[chunk.length - back]!
    if (c >= 0xc0) return characterBytes(c) > back ? back : 0
    if (c < 0x80) return 0
  }
  return 0
}

/** The offset of the first byte of the first wrong character in bytes[from, to), or `to`. */
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
