// The external ids of a batch, numbered in the order of first occurrence. Bytes are stored in one
// arena; an entry takes about 12 bytes in addition to its id, so a million documents take a few
// dozen megabytes.
import { lengthened } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'

const SLOTS_MIN = 1 << 10

export class ExternalIdTable {
  #arena = new Uint8Array(1 << 14)
  #arenaBytes = 0
  #ends = new Uint32Array(1 << 8)
  #hashes = new Int32Array(1 << 8)
  #slots = new Int32Array(SLOTS_MIN)
  #count = 0

  get count(): number {
    return this.#count
  }

  /** Returns the number of an id; a new id gets the next number. */
  add(id: Uint8Array): number {
    const hash = hashOf(id)
    let slot = this.#slotOf(id, hash)
    if (this.#slots[slot] !== 0) return this.#slots[slot]! - 1
    if ((this.#count + 1) * 2 > this.#slots.length) {
      this.#rehash()
      slot = this.#slotOf(id, hash)
    }
    this.#append(id)
    this.#hashes[this.#count] = hash
    this.#slots[slot] = ++this.#count
    return this.#count - 1
  }

  /** Returns the bytes of an id: a view, valid until the next `add`. */
  bytes(number: number): Uint8Array {
    assert(number < this.#count, 'an id was numbered by this table')
    return this.#arena.subarray(number === 0 ? 0 : this.#ends[number - 1]!, this.#ends[number]!)
  }

  #slotOf(id: Uint8Array, hash: number): number {
    const mask = this.#slots.length - 1
    for (let slot = hash & mask; ; slot = (slot + 1) & mask) {
      const number = this.#slots[slot]! - 1
      if (number < 0) return slot
      if (this.#hashes[number] === hash && this.#is(number, id)) return slot
    }
  }

  #is(number: number, id: Uint8Array): boolean {
    const start = number === 0 ? 0 : this.#ends[number - 1]!
    if (this.#ends[number]! - start !== id.length) return false
    for (let i = 0; i < id.length; i++) if (this.#arena[start + i] !== id[i]) return false
    return true
  }

  #append(id: Uint8Array): void {
    const end = this.#arenaBytes + id.length
    if (end > this.#arena.length) {
      this.#arena = lengthened(this.#arena, Math.max(end, this.#arena.length * 2))
    }
    if (this.#count === this.#ends.length) {
      this.#ends = lengthened(this.#ends, this.#count * 2)
      this.#hashes = lengthened(this.#hashes, this.#count * 2)
    }
    this.#arena.set(id, this.#arenaBytes)
    this.#arenaBytes = end
    this.#ends[this.#count] = end
  }

  #rehash(): void {
    this.#slots = new Int32Array(this.#slots.length * 2)
    const mask = this.#slots.length - 1
    for (let number = 0; number < this.#count; number++) {
      let slot = this.#hashes[number]! & mask
      while (this.#slots[slot] !== 0) slot = (slot + 1) & mask
      this.#slots[slot] = number + 1
    }
  }
}

/** FNV-1a with its low bits mixed. Ids are short and have a small alphabet. */
function hashOf(id: Uint8Array): number {
  let hash = 0x811c9dc5 | 0
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id[i]!, 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return hash ^ (hash >>> 13)
}
