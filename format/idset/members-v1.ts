// Finds members of an encoded set among given ids, in place · layout: ./IDSET.md. Like the walkers
// of `encoded-v1.ts`, bytes that are not a set give wrong ids, never an endless loop.
import { u16At, u32At } from '../bytes/index.ts'
import { containersAt } from './encoded-v1.ts'
import { trailingZeros } from './idset.ts'
import { ARRAY_IDS_MAX, HEADER_BYTES, WORDS } from './limits.ts'
import { popcount } from './words.ts'

/**
 * Finds the members of the encoded set at `at` whose bits are set in `words`. Writes them,
 * ascending, to `ids` and their ranks in the set to `ranks`, up to the length of the arrays;
 * returns their number. Reads every member once, which beats `ranksOf` for small sets and many ids.
 */
export function membersAmong(
  bytes: Uint8Array,
  at: number,
  words: Uint32Array,
  ids: Uint32Array,
  ranks: Int32Array,
): number {
  const containers = containersAt(bytes, at)
  let before = 0
  let n = 0
  for (let i = 0; i < containers; i++) {
    const key = u16At(bytes, at + HEADER_BYTES + i * 4)
    const size = u16At(bytes, at + HEADER_BYTES + i * 4 + 2) + 1
    const from = at + u32At(bytes, at + HEADER_BYTES + containers * 4 + i * 4)
    const base = key * WORDS
    if (size > ARRAY_IDS_MAX) n = bitsAmong(bytes, from, base, before, words, ids, ranks, n)
    else {
      for (let j = 0, p = from; j < size; j++, p += 2) {
        const low = bytes[p]! | (bytes[p + 1]! << 8)
        if ((words[base + (low >>> 5)]! & (1 << (low & 31))) === 0) continue
        ids[n] = base * 32 + low
        ranks[n++] = before + j
      }
    }
    before += size
  }
  return n
}

/** Does the work of `membersAmong` for one bitmap. */
function bitsAmong(
  bytes: Uint8Array,
  from: number,
  base: number,
  before: number,
  words: Uint32Array,
  ids: Uint32Array,
  ranks: Int32Array,
  n: number,
): number {
  for (let w = 0; w < WORDS; w++, from += 4) {
    const bits = u32At(bytes, from) | 0
    let found = bits & words[base + w]!
    while (found !== 0) {
      const bit = found & -found
      ids[n] = (base + w) * 32 + trailingZeros(found)
      ranks[n++] = before + popcount(bits & (bit - 1))
      found &= found - 1
    }
    before += popcount(bits)
  }
  return n
}
