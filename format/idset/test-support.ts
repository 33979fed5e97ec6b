// Test support: id sets in all representations, for property tests here and in other folders.
// Sparse and dense sets are combined, and ids are on both sides of word and container boundaries.
import fc from 'fast-check'
import { IdSet } from './index.ts'

/**
 * Returns ascending ids in [from, to), about one in `step`. The same arguments give the same ids.
 */
export function spread(from: number, to: number, step: number, seed = 1): number[] {
  const ids: number[] = []
  let state = seed
  for (let id = from; id < to; id++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0
    if ((state >>> 8) % step === 0) ids.push(id)
  }
  return ids
}

const edge = fc.constantFrom(0, 1, 31, 32, 63, 64, 4095, 4096, 65535, 65536, 65567, 131071, 200000)
const few = fc.array(fc.oneof(edge, fc.nat(300), fc.nat(200_000)), { maxLength: 40 })
const runs = fc
  .array(fc.tuple(fc.nat(140_000), fc.nat(6000)), { maxLength: 4 })
  .map((spans) => spans.flatMap(([from, count]) => spread(from, from + count, 1)))
const scattered = fc
  .tuple(fc.nat(100_000), fc.nat(20_000), fc.integer({ min: 2, max: 60 }), fc.nat(1000))
  .map(([from, count, step, seed]) => spread(from, from + count, step, seed))

/** Ids in any order, possibly with repetitions. */
export const ids: fc.Arbitrary<number[]> = fc.oneof(
  few,
  runs,
  scattered,
  fc.tuple(few, runs, scattered).map((parts) => parts.flat()),
)

export type Sample = { readonly model: ReadonlySet<number>; readonly set: IdSet }

/**
 * A set created in one of the possible ways, so both representations occur, with and without a
 * cached size.
 */
export const sample: fc.Arbitrary<Sample> = fc
  .tuple(ids, fc.nat(2), fc.nat(3))
  .map(([list, way, more]) => {
    const model = new Set(list)
    const sorted = Uint32Array.from(model).sort()
    if (way === 0) return { model, set: IdSet.ofSorted(sorted) }
    const words = new Uint32Array(((sorted.at(-1) ?? 0) >>> 5) + 1 + more)
    for (const id of sorted) words[id >>> 5]! |= 1 << (id & 31)
    return { model, set: way === 1 ? IdSet.ofWords(words) : IdSet.ofLazyWords(words) }
  })

export const sortedOf = (model: Iterable<number>): number[] => [...model].sort((a, b) => a - b)
