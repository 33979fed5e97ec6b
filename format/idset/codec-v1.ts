// Id sets as bytes: portable Roaring without run containers · layout: ./IDSET.md
//
// `decodeIdSet` trusts nothing. Verified pages are read in place by ./encoded-v1.ts.
import { u16At, u32At } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import { IdSet, trailingZeros } from './idset.ts'
import { ARRAY_IDS_MAX, BITMAP_BYTES, CONTAINERS_MAX, HEADER_BYTES, WORDS } from './limits.ts'
import { popcount } from './words.ts'

export const SECTION = 'idset'
const COOKIE = 12346

/** Returns the encoded size of ascending `ids` in bytes. */
export function encodedIdsBytes(ids: Uint32Array): number {
  let bytes = HEADER_BYTES
  for (let from = 0; from < ids.length; ) {
    const to = containerEnd(ids, from)
    bytes += 8 + (to - from <= ARRAY_IDS_MAX ? (to - from) * 2 : BITMAP_BYTES)
    from = to
  }
  return bytes
}

/** Encodes ascending, distinct ids. Each set has exactly one encoding. */
export function encodeIds(ids: Uint32Array): Uint8Array {
  const out = new Uint8Array(encodedIdsBytes(ids))
  const bytes = encodeIdsInto(ids, out, 0)
  assert(bytes === out.length, 'an encoded id set is exactly as long as computed')
  return out
}

/**
 * Encodes the ids into `out` from `begin` on, where it holds zeros; returns the number of bytes.
 */
export function encodeIdsInto(ids: Uint32Array, out: Uint8Array, begin: number): number {
  const ascend = ids.length === 0 || ids[ids.length - 1]! - ids[0]! >= ids.length - 1
  assert(ascend, 'ids ascend and are distinct')
  const view = new DataView(out.buffer, out.byteOffset + begin, out.length - begin)
  let containers = 0
  for (let from = 0; from < ids.length; from = containerEnd(ids, from)) containers++
  view.setUint32(0, COOKIE, true)
  view.setUint32(4, containers, true)
  let at = HEADER_BYTES + containers * 8
  let index = 0
  for (let from = 0; from < ids.length; index++) {
    const to = containerEnd(ids, from)
    const key = ids[from]! >>> 16
    view.setUint16(HEADER_BYTES + index * 4, key, true)
    view.setUint16(HEADER_BYTES + index * 4 + 2, to - from - 1, true)
    view.setUint32(HEADER_BYTES + containers * 4 + index * 4, at, true)
    at = writeContainer(out, begin, view, at, ids, from, to)
    from = to
  }
  return at
}

export const encodeIdSet = (set: IdSet): Uint8Array => encodeIds(set.toArray())

function containerEnd(ids: Uint32Array, from: number): number {
  const key = ids[from]! >>> 16
  let low = from + 1
  let high = Math.min(ids.length, from + 65536)
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ids[middle]! >>> 16 === key) low = middle + 1
    else high = middle
  }
  return low
}

/** Writes a container at `begin + at` of `out`; `view` begins at `begin`. */
function writeContainer(
  out: Uint8Array,
  begin: number,
  view: DataView,
  at: number,
  ids: Uint32Array,
  from: number,
  to: number,
): number {
  if (to - from <= ARRAY_IDS_MAX) {
    for (let i = from; i < to; i++, at += 2) view.setUint16(at, ids[i]! & 0xffff, true)
    return at
  }
  const bits = begin + at
  for (let i = from; i < to; i++) out[bits + ((ids[i]! & 0xffff) >>> 3)]! |= 1 << (ids[i]! & 7)
  return at + BITMAP_BYTES
}

/**
 * Decodes and checks a whole set. Memory is at most 32 times the bytes, for sets that are nearly
 * full. @throws CorruptionError
 */
export function decodeIdSet(bytes: Uint8Array): IdSet {
  const containers = checkHeader(bytes)
  const size = checkContainers(bytes, containers)
  if (containers === 0) return IdSet.empty
  const wordCount = (u16At(bytes, HEADER_BYTES + (containers - 1) * 4) + 1) * WORDS
  // Bitmaps of a dense set are copied, not converted to ids.
  const isDense = size >= wordCount
  const words = new Uint32Array(isDense ? wordCount : 0)
  const ids = new Uint32Array(isDense ? 0 : size)
  let at = HEADER_BYTES + containers * 8
  let n = 0
  for (let i = 0; i < containers; i++) {
    const key = u16At(bytes, HEADER_BYTES + i * 4)
    const count = u16At(bytes, HEADER_BYTES + i * 4 + 2) + 1
    if (count <= ARRAY_IDS_MAX) {
      if (isDense) readArrayWords(bytes, at, count, words, key * WORDS)
      else readArray(bytes, at, key, count, ids, n)
    } else if (isDense) readBitsWords(bytes, at, count, words, key * WORDS)
    else readBits(bytes, at, key, count, ids, n)
    n += count
    at += containerBytes(count)
  }
  return isDense ? IdSet.ofWords(words) : IdSet.ofSorted(ids)
}

const containerBytes = (count: number): number =>
  count <= ARRAY_IDS_MAX ? count * 2 : BITMAP_BYTES

/** Checks the header without the tables; returns the number of containers. */
function checkHeader(bytes: Uint8Array): number {
  if (bytes.length < HEADER_BYTES) refuse(SECTION, 0, 'bad_length', HEADER_BYTES, bytes.length)
  const cookie = u32At(bytes, 0)
  if (cookie !== COOKIE) refuse(SECTION, 0, 'bad_magic', COOKIE, cookie)
  const containers = u32At(bytes, 4)
  if (containers > CONTAINERS_MAX) refuse(SECTION, 4, 'bad_value', CONTAINERS_MAX, containers)
  const least = HEADER_BYTES + containers * 8
  if (bytes.length < least) refuse(SECTION, 4, 'bad_length', least, bytes.length)
  return containers
}

/** Checks keys, offsets and lengths before any allocation; returns the number of ids. */
function checkContainers(bytes: Uint8Array, containers: number): number {
  let expectedAt = HEADER_BYTES + containers * 8
  let lastKey = -1
  let size = 0
  for (let i = 0; i < containers; i++) {
    const keyAt = HEADER_BYTES + i * 4
    const offsetAt = HEADER_BYTES + containers * 4 + i * 4
    const key = u16At(bytes, keyAt)
    const count = u16At(bytes, keyAt + 2) + 1
    const at = u32At(bytes, offsetAt)
    if (key <= lastKey) refuse(SECTION, keyAt, 'bad_order', `> ${lastKey}`, key)
    if (at !== expectedAt) refuse(SECTION, offsetAt, 'bad_value', expectedAt, at)
    const end = at + containerBytes(count)
    if (end > bytes.length) refuse(SECTION, keyAt, 'bad_length', end, bytes.length)
    expectedAt = end
    lastKey = key
    size += count
  }
  if (expectedAt !== bytes.length) {
    refuse(SECTION, expectedAt, 'bad_length', expectedAt, bytes.length)
  }
  return size
}

function readArray(
  bytes: Uint8Array,
  at: number,
  key: number,
  count: number,
  ids: Uint32Array,
  n: number,
): void {
  let last = -1
  for (const end = at + count * 2; at < end; at += 2) {
    const low = u16At(bytes, at)
    if (low <= last) refuse(SECTION, at, 'bad_order', `> ${last}`, low)
    ids[n++] = key * 65536 + low
    last = low
  }
}

function readArrayWords(
  bytes: Uint8Array,
  at: number,
  count: number,
  words: Uint32Array,
  base: number,
): void {
  let last = -1
  for (const end = at + count * 2; at < end; at += 2) {
    const low = u16At(bytes, at)
    if (low <= last) refuse(SECTION, at, 'bad_order', `> ${last}`, low)
    words[base + (low >>> 5)]! |= 1 << (low & 31)
    last = low
  }
}

function readBits(
  bytes: Uint8Array,
  at: number,
  key: number,
  count: number,
  ids: Uint32Array,
  n: number,
): void {
  const end = n + count
  for (let w = 0; w < WORDS; w++) {
    let bits = u32At(bytes, at + w * 4) | 0
    while (bits !== 0) {
      if (n === end) refuse(SECTION, at, 'bad_value', `${count} bits`, 'more')
      ids[n++] = key * 65536 + w * 32 + trailingZeros(bits)
      bits &= bits - 1
    }
  }
  if (n !== end) refuse(SECTION, at, 'bad_value', `${count} bits`, count - (end - n))
}

function readBitsWords(
  bytes: Uint8Array,
  at: number,
  count: number,
  words: Uint32Array,
  base: number,
): void {
  let found = 0
  for (let w = 0; w < WORDS; w++) {
    const bits = u32At(bytes, at + w * 4)
    words[base + w] = bits
    found += popcount(bits)
  }
  if (found !== count) refuse(SECTION, at, 'bad_value', `${count} bits`, found)
}
