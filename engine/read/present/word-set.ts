// A set of words as bytes, numbered in the order of insertion. Open addressing over one arena, so
// that looking up a token creates no string.
import { withRoom } from '../../../format/bytes/index.ts'

const HASH_BASIS = 0x811c9dc5 | 0
const HASH_PRIME = 0x01000193
const SLOTS_MIN = 64

export class WordSet {
  #arena = new Uint8Array(256)
  #arenaBytes = 0
  /** Word `i` begins at element `i` and ends at element `i + 1`. */
  #bounds = new Uint32Array(32)
  #count = 0
  /** Word number plus one; 0 is free. The size is a power of two, at most half is used. */
  #slots = new Uint32Array(SLOTS_MIN)

  get count(): number {
    return this.#count
  }

  /** Returns the number of bytes[0, length), adding the word if it is new. */
  add(bytes: Uint8Array, length = bytes.length): number {
    const existing = this.find(bytes, length)
    if (existing >= 0) return existing
    const id = this.#count++
    this.#reserve(length)
    for (let i = 0; i < length; i++) this.#arena[this.#arenaBytes + i] = bytes[i]!
    this.#arenaBytes += length
    this.#bounds[id + 1] = this.#arenaBytes
    if (this.#count * 2 > this.#slots.length) this.#rehash()
    else this.#slots[this.#freeSlot(hashOf(bytes, 0, length))] = id + 1
    return id
  }

  /** Returns the number of bytes[0, length), or -1. */
  find(bytes: Uint8Array, length: number): number {
    const slots = this.#slots
    const mask = slots.length - 1
    for (let at = hashOf(bytes, 0, length) & mask; ; at = (at + 1) & mask) {
      const entry = slots[at]!
      if (entry === 0) return -1
      if (this.#isWord(entry - 1, bytes, length)) return entry - 1
    }
  }

  #isWord(id: number, bytes: Uint8Array, length: number): boolean {
    const from = this.#bounds[id]!
    if (this.#bounds[id + 1]! - from !== length) return false
    for (let i = 0; i < length; i++) if (this.#arena[from + i] !== bytes[i]) return false
    return true
  }

  #freeSlot(hash: number): number {
    const mask = this.#slots.length - 1
    let at = hash & mask
    while (this.#slots[at] !== 0) at = (at + 1) & mask
    return at
  }

  #rehash(): void {
    this.#slots = new Uint32Array(this.#slots.length * 2)
    for (let id = 0; id < this.#count; id++) {
      const hash = hashOf(this.#arena, this.#bounds[id]!, this.#bounds[id + 1]!)
      this.#slots[this.#freeSlot(hash)] = id + 1
    }
  }

  #reserve(bytes: number): void {
    this.#arena = withRoom(this.#arena, this.#arenaBytes + bytes)
    this.#bounds = withRoom(this.#bounds, this.#count + 2)
  }
}

/** FNV-1a with its high bits folded into the low ones, which select the slot. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = HASH_BASIS
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ bytes[i]!, HASH_PRIME)
  return hash ^ (hash >>> 15)
}
