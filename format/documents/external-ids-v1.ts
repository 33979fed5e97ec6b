// External ids and the hash table that finds them · ./DOCUMENTS.md "XIDS, XEND", "XHSH"
import { ByteWriter, bytesOf, lengthened } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import type { FrameWriter, Section } from '../frame/index.ts'
import { equalRanges, hashBytes } from '../json/index.ts'
import { DOCUMENTS_PER_SEGMENT_MAX, EXTERNAL_ID_BYTES_MAX } from './limits.ts'

const POSITION_MASK = 0xffffff
const TAG_SHIFT = 24

/**
 * Returns the hash of an external id: FNV-1a, then the finaliser of MurmurHash3, 32 bits, unsigned.
 */
export function externalIdHash(id: Uint8Array, from = 0, to = id.length): number {
  let h = hashBytes(id, from, to)
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** Returns the number of slots of a table for `count` external ids. */
function tableSlots(count: number): number {
  if (count === 0) return 0
  let slots = 1
  while (slots * 3 < count * 4) slots *= 2
  return slots
}

/** Collects external ids by position and writes their sections. */
export class ExternalIdsWriter {
  readonly #bytes = new ByteWriter(1 << 12)
  #ends = new Uint32Array(256)
  #count = 0

  add(id: Uint8Array): void {
    assert(id.length > 0 && id.length <= EXTERNAL_ID_BYTES_MAX, 'an external id has 1 to 511 bytes')
    assert(this.#count < DOCUMENTS_PER_SEGMENT_MAX, 'a segment holds at most 2^24 - 1 documents')
    const room = this.#ends.length
    if (this.#count === room) this.#ends = lengthened(this.#ends, room * 2)
    this.#bytes.bytes(id)
    this.#ends[this.#count++] = this.#bytes.length
  }

  write(frame: FrameWriter): void {
    const ends = this.#ends.subarray(0, this.#count)
    frame.section('XIDS', 1, this.#bytes.view())
    frame.section('XEND', 1, littleEndian(ends))
    frame.section('XHSH', 1, littleEndian(this.#table(ends)))
  }

  #table(ends: Uint32Array): Uint32Array {
    const ids = this.#bytes.view()
    const slots = new Uint32Array(tableSlots(ends.length))
    const mask = slots.length - 1
    let from = 0
    for (let position = 0; position < ends.length; position++) {
      const to = ends[position]!
      const hash = externalIdHash(ids, from, to)
      const tag = hash >>> TAG_SHIFT
      let slot = hash & mask
      for (let s = slots[slot]!; s !== 0; s = slots[slot]!) {
        if (s >>> TAG_SHIFT === tag) {
          const other = (s & POSITION_MASK) - 1
          const start = other === 0 ? 0 : ends[other - 1]!
          const same = ends[other]! - start === to - from
          assert(
            !same || !equalRanges(ids, start, ids, from, to - from),
            'external ids are distinct',
          )
        }
        slot = (slot + 1) & mask
      }
      slots[slot] = (tag << TAG_SHIFT) | (position + 1)
      from = to
    }
    return slots
  }
}

/**
 * Returns the numbers as little-endian bytes: their bytes in memory, on all machines that run this.
 */
function littleEndian(numbers: Uint32Array): Uint8Array {
  assert(IS_LITTLE_ENDIAN, 'the machine is little-endian')
  return bytesOf(numbers)
}
const IS_LITTLE_ENDIAN = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1

/** Reads the sections in place and verifies pages when they are first read. */
export class ExternalIds {
  readonly count: number
  readonly #ids: Section
  readonly #ends: Section
  readonly #slots: Section
  readonly #end: Uint32Array
  readonly #slot: Uint32Array

  /** @throws CorruptionError if the lengths of the sections contradict each other */
  constructor(ids: Section, ends: Section, slots: Section) {
    this.#ids = ids
    this.#ends = ends
    this.#slots = slots
    this.#end = ends.u32()
    this.#slot = slots.u32()
    this.count = ends.length / 4
    if (!Number.isInteger(this.count) || this.count > DOCUMENTS_PER_SEGMENT_MAX) {
      refuse('XEND', 0, 'bad_length', `4 × up to ${DOCUMENTS_PER_SEGMENT_MAX}`, ends.length)
    }
    const slotBytes = tableSlots(this.count) * 4
    if (slots.length !== slotBytes) refuse('XHSH', 0, 'bad_length', slotBytes, slots.length)
  }

  /** Returns the external id at a position: a view. @throws CorruptionError */
  at(position: number): Uint8Array {
    const from = this.#start(position)
    return this.#ids.read(from, this.#length(position, from))
  }

  /** Returns the position of an external id, or -1. @throws CorruptionError */
  positionOf(id: Uint8Array): number {
    if (this.count === 0) return -1
    const hash = externalIdHash(id)
    const tag = hash >>> TAG_SHIFT
    const slots = this.#slot
    const mask = slots.length - 1
    let slot = hash & mask
    for (let probes = 0; probes <= mask; probes++) {
      this.#slots.touch(slot * 4, 4)
      const s = slots[slot]!
      if (s === 0) return -1
      if (s >>> TAG_SHIFT === tag) {
        const position = (s & POSITION_MASK) - 1
        if (position < 0 || position >= this.count) {
          refuse('XHSH', slot * 4, 'bad_value', `a position below ${this.count}`, position)
        }
        if (this.#is(position, id)) return position
      }
      slot = (slot + 1) & mask
    }
    return refuse('XHSH', 0, 'bad_value', 'a free slot', 'none')
  }

  #is(position: number, id: Uint8Array): boolean {
    const from = this.#start(position)
    if (this.#length(position, from) !== id.length) return false
    this.#ids.touch(from, id.length)
    return equalRanges(this.#ids.bytes, from, id, 0, id.length)
  }

  #start(position: number): number {
    if (position === 0) return 0
    this.#ends.touch((position - 1) * 4, 8)
    return this.#end[position - 1]!
  }

  #length(position: number, from: number): number {
    if (position === 0) this.#ends.touch(0, 4)
    const length = this.#end[position]! - from
    if (length <= 0 || length > EXTERNAL_ID_BYTES_MAX) {
      refuse('XEND', position * 4, 'bad_value', '1 to 511 bytes', length)
    }
    return length
  }
}
