// Reads encoded id sets in place · layout: ./IDSET.md
//
// The caller has verified their pages, so only the header is checked to fit. Bytes that are not a
// set give wrong ids in bounded time: past its end an array reads as undefined, which counts as 0.
import { u16At, u32At } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import { SECTION } from './codec-v1.ts'
import { ARRAY_IDS_MAX, CONTAINER_IDS, CONTAINERS_MAX, HEADER_BYTES } from './limits.ts'
import { popcount } from './words.ts'

/**
 * Returns the number of containers of the encoded set at `at`. @throws CorruptionError if its
 * header does not fit into the bytes
 */
export function containersAt(bytes: Uint8Array, at: number): number {
  const containers = u32At(bytes, at + 4)
  const least = at + HEADER_BYTES + containers * 8
  if (containers > CONTAINERS_MAX || least > bytes.length) {
    refuse(SECTION, at + 4, 'bad_length', bytes.length, least)
  }
  return containers
}

/**
 * Sets the bits of the encoded set at `at` in dense `words`, in place, without building the set.
 * Ids beyond the words are ignored.
 */
export function orEncoded(bytes: Uint8Array, at: number, words: Uint32Array): void {
  const containers = containersAt(bytes, at)
  for (let i = 0; i < containers; i++) {
    const key = u16At(bytes, at + HEADER_BYTES + i * 4)
    const size = u16At(bytes, at + HEADER_BYTES + i * 4 + 2) + 1
    let from = at + u32At(bytes, at + HEADER_BYTES + containers * 4 + i * 4)
    const base = key * 2048
    if (size <= ARRAY_IDS_MAX) {
      for (const end = from + size * 2; from < end; from += 2) {
        const low = bytes[from]! | (bytes[from + 1]! << 8)
        words[base + (low >>> 5)]! |= 1 << (low & 31)
      }
      continue
    }
    const end = Math.min(base + 2048, words.length)
    for (let w = base; w < end; w++, from += 4) words[w]! |= u32At(bytes, from)
  }
}

/** Appends the ids of the encoded set at `at` to `out` from index `n` on; returns the new count. */
export function readEncoded(bytes: Uint8Array, at: number, out: Uint32Array, n: number): number {
  const containers = containersAt(bytes, at)
  for (let i = 0; i < containers; i++) {
    const base = u16At(bytes, at + HEADER_BYTES + i * 4) * 65536
    const size = u16At(bytes, at + HEADER_BYTES + i * 4 + 2) + 1
    let from = at + u32At(bytes, at + HEADER_BYTES + containers * 4 + i * 4)
    if (size <= ARRAY_IDS_MAX) {
      for (const end = from + size * 2; from < end; from += 2) {
        out[n++] = base + (bytes[from]! | (bytes[from + 1]! << 8))
      }
      continue
    }
    for (let w = 0; w < 2048; w++, from += 4) {
      let bits = u32At(bytes, from) | 0
      while (bits !== 0) {
        out[n++] = base + w * 32 + 31 - Math.clz32(bits & -bits)
        bits &= bits - 1
      }
    }
  }
  return n
}

/**
 * Writes the rank of each of the ascending `ids[0, count)` in the encoded set at `at` into `ranks`,
 * or -1 if it is not a member. O(count × log) for arrays; for bitmaps one pass over the words in
 * between.
 */
export function ranksOf(
  bytes: Uint8Array,
  at: number,
  ids: Uint32Array,
  count: number,
  ranks: Int32Array,
): void {
  assert(count <= ids.length && count <= ranks.length, 'there is room for each rank')
  const containers = containersAt(bytes, at)
  let container = 0
  let before = 0
  let i = 0
  while (i < count) {
    const key = ids[i]! >>> 16
    while (container < containers && u16At(bytes, at + HEADER_BYTES + container * 4) < key) {
      before += u16At(bytes, at + HEADER_BYTES + container * 4 + 2) + 1
      container++
    }
    let end = i + 1
    while (end < count && ids[end]! >>> 16 === key) end++
    if (container === containers || u16At(bytes, at + HEADER_BYTES + container * 4) !== key) {
      ranks.fill(-1, i, end)
    } else {
      const size = u16At(bytes, at + HEADER_BYTES + container * 4 + 2) + 1
      const from = at + u32At(bytes, at + HEADER_BYTES + containers * 4 + container * 4)
      if (size === CONTAINER_IDS) fullRanks(before, ids, i, end, ranks)
      else if (size <= ARRAY_IDS_MAX) arrayRanks(bytes, from, size, before, ids, i, end, ranks)
      else bitmapRanks(bytes, from, before, ids, i, end, ranks)
    }
    i = end
  }
}

/** A field that all documents have is one of full containers. */
function fullRanks(
  before: number,
  ids: Uint32Array,
  start: number,
  end: number,
  ranks: Int32Array,
): void {
  for (let i = start; i < end; i++) ranks[i] = before + (ids[i]! & 0xffff)
}

function arrayRanks(
  bytes: Uint8Array,
  from: number,
  size: number,
  before: number,
  ids: Uint32Array,
  start: number,
  end: number,
  ranks: Int32Array,
): void {
  let low = 0
  for (let i = start; i < end; i++) {
    const wanted = ids[i]! & 0xffff
    let high = low
    let step = 1
    while (high < size && u16At(bytes, from + high * 2) < wanted) {
      low = high + 1
      high += step
      step *= 2
    }
    if (high > size) high = size
    while (low < high) {
      const middle = (low + high) >>> 1
      if (u16At(bytes, from + middle * 2) < wanted) low = middle + 1
      else high = middle
    }
    ranks[i] = low < size && u16At(bytes, from + low * 2) === wanted ? before + low : -1
  }
}

function bitmapRanks(
  bytes: Uint8Array,
  from: number,
  before: number,
  ids: Uint32Array,
  start: number,
  end: number,
  ranks: Int32Array,
): void {
  let word = 0
  let rank = before
  for (let i = start; i < end; i++) {
    const low = ids[i]! & 0xffff
    const target = low >>> 5
    for (; word < target; word++) rank += popcount(u32At(bytes, from + word * 4))
    const bits = u32At(bytes, from + target * 4)
    const bit = 1 << (low & 31)
    ranks[i] = (bits & bit) !== 0 ? rank + popcount(bits & (bit - 1)) : -1
  }
}
