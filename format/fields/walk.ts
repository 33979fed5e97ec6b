// Two walks over encoded id sets that `format/idset` does not have: the largest id, and the size of
// the intersection with dense words. They work in place inside verified bytes; layout:
// ../idset/IDSET.md
import { u16At, u32At } from '../bytes/index.ts'
import { ARRAY_IDS_MAX, BITMAP_WORDS, popcount, SET_HEADER_BYTES } from '../idset/index.ts'

/** Returns the largest id of the encoded set at `at`, which must have a container. */
export function largestOf(bytes: Uint8Array, at: number): number {
  const containers = u32At(bytes, at + 4)
  const head = at + SET_HEADER_BYTES + (containers - 1) * 4
  const base = u16At(bytes, head) * 65536
  const size = u16At(bytes, head + 2) + 1
  const from = at + u32At(bytes, head + containers * 4)
  if (size <= ARRAY_IDS_MAX) return base + u16At(bytes, from + (size - 1) * 2)
  for (let w = BITMAP_WORDS - 1; w >= 0; w--) {
    const bits = u32At(bytes, from + w * 4)
    if (bits !== 0) return base + w * 32 + 31 - Math.clz32(bits)
  }
  return base
}

/** Returns the number of ids of the encoded set at `at` whose bits are set in the dense `words`. */
export function countInWords(bytes: Uint8Array, at: number, words: Uint32Array): number {
  const containers = u32At(bytes, at + 4)
  let count = 0
  for (let i = 0; i < containers; i++) {
    const base = u16At(bytes, at + SET_HEADER_BYTES + i * 4) * BITMAP_WORDS
    if (base >= words.length) break
    const size = u16At(bytes, at + SET_HEADER_BYTES + i * 4 + 2) + 1
    const from = at + u32At(bytes, at + SET_HEADER_BYTES + containers * 4 + i * 4)
    count +=
      size <= ARRAY_IDS_MAX
        ? countArray(bytes, from, size, words, base)
        : countBitmap(bytes, from, words, base)
  }
  return count
}

function countArray(
  bytes: Uint8Array,
  from: number,
  size: number,
  words: Uint32Array,
  base: number,
): number {
  let count = 0
  for (const end = from + size * 2; from < end; from += 2) {
    const low = bytes[from]! | (bytes[from + 1]! << 8)
    const word = base + (low >>> 5)
    if (word < words.length) count += (words[word]! >>> (low & 31)) & 1
  }
  return count
}

function countBitmap(bytes: Uint8Array, from: number, words: Uint32Array, base: number): number {
  const end = Math.min(base + BITMAP_WORDS, words.length)
  let count = 0
  for (let w = base; w < end; w++, from += 4) {
    const bits = words[w]!
    if (bits !== 0) count += popcount(bits & u32At(bytes, from))
  }
  return count
}
