// Sets of task uids as dumps write them: the bytes of a Roaring bitmap in the portable format of
// the RoaringFormatSpec, as a JSON list of numbers.
//
//   no runs: 12346 u32 · containers u32 · (key u16, size − 1 u16)… · offset u32… · containers
//   runs:    12347 u16, containers − 1 u16 · a bit a container · (key, size − 1)… · offsets from
//            four containers on · containers
//   a container: up to 4,096 values as u16 ascending; more as 8 KiB of bits; runs as their count
//            u16, then (first u16, length − 1 u16)…
//
// The bytes may come from anywhere. They are read by this code and not by the native library, which
// crashes on damaged bytes (see scripts/build/LIBRARIES.md).
import { encodeIdSet, IdSet } from '../../../format/idset/index.ts'
import { corrupted, listOf } from './dump-error.ts'

const COOKIE = 12346
const COOKIE_RUNS = 12347
const ARRAY_MAX = 4096
const BITS_BYTES = 8192
const OFFSETS_FROM = 4
/**
 * More tasks than a queue holds. The limit is necessary because a few bytes may encode very many.
 */
const IDS_MAX = 4_000_000

/** Encodes in the form without runs, which is also the format of our id sets. */
export const roaringBytes = (set: IdSet): number[] => [...encodeIdSet(set)]

/** @throws DumpError */
export function setOfRoaringBytes(value: unknown, place: string): IdSet {
  const bytes = bytesIn(listOf(value, place), place)
  const ids: number[] = []
  const input = new Input(bytes, place)
  const cookie = input.u32()
  const hasRuns = (cookie & 0xffff) === COOKIE_RUNS
  if (!hasRuns && cookie !== COOKIE) corrupted(place, 'a set of tasks is expected')
  const count = hasRuns ? (cookie >>> 16) + 1 : input.u32()
  if (count > 0x10000) corrupted(place, 'a set of tasks has too many parts')
  const runs = hasRuns ? input.take((count + 7) >>> 3) : new Uint8Array((count + 7) >>> 3)
  const heads = Array.from({ length: count }, () => ({ key: input.u16(), size: input.u16() + 1 }))
  if (!hasRuns || count >= OFFSETS_FROM) input.take(4 * count)
  heads.forEach(({ key, size }, i) => {
    const isRun = ((runs[i >>> 3]! >>> (i & 7)) & 1) === 1
    for (const low of isRun ? input.runs() : input.values(size)) ids.push(key * 0x10000 + low)
    if (ids.length > IDS_MAX) corrupted(place, 'a set of tasks is too large')
  })
  for (let i = 1; i < ids.length; i++) {
    if (ids[i]! <= ids[i - 1]!) corrupted(place, 'a set of tasks is out of order')
  }
  return IdSet.ofSorted(Uint32Array.from(ids))
}

function bytesIn(list: readonly unknown[], place: string): Uint8Array {
  const bytes = new Uint8Array(list.length)
  list.forEach((value, i) => {
    // Another type, or a number above 255, would be stored as a different byte.
    bytes[i] = isByte(value)
      ? value
      : corrupted(place, 'a set of tasks holds something else than bytes')
  })
  return bytes
}

const isByte = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255

class Input {
  readonly #bytes: Uint8Array
  readonly #place: string
  #at = 0

  constructor(bytes: Uint8Array, place: string) {
    this.#bytes = bytes
    this.#place = place
  }

  take(count: number): Uint8Array {
    if (this.#at + count > this.#bytes.length) corrupted(this.#place, 'a set of tasks ends early')
    this.#at += count
    return this.#bytes.subarray(this.#at - count, this.#at)
  }

  u16(): number {
    const [low, high] = this.take(2)
    return low! | (high! << 8)
  }

  u32(): number {
    const low = this.u16()
    return low + this.u16() * 0x10000
  }

  values(size: number): number[] {
    if (size <= ARRAY_MAX) return Array.from({ length: size }, () => this.u16())
    const bits = this.take(BITS_BYTES)
    const values: number[] = []
    for (let value = 0; value < 0x10000; value++) {
      if (((bits[value >>> 3]! >>> (value & 7)) & 1) === 1) values.push(value)
    }
    return values
  }

  runs(): number[] {
    const values: number[] = []
    let end = -1
    for (let left = this.u16(); left > 0; left--) {
      const first = this.u16()
      const last = first + this.u16()
      if (last > 0xffff) corrupted(this.#place, 'a run of tasks is too long')
      if (first <= end) corrupted(this.#place, 'a set of tasks is out of order')
      end = last
      for (let value = first; value <= last; value++) values.push(value)
    }
    return values
  }
}
