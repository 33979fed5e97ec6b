// Sets of occurrences against plain computations, and the memory that they keep.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BUCKET_INDEX, BUCKETS, hasBucketSets, positionBucket } from './limits.ts'
import { bucketsKept, dropRepeats, OccurrenceSets, type PostingSets } from './occurrence-sets.ts'

type Pair = readonly [doc: number, packed: number]

/** Documents 0 to 2,999, so that the lists that store position sets occur. */
const pairs = (length: number): fc.Arbitrary<Pair[]> =>
  fc.array(
    fc.tuple(
      fc.integer({ min: 0, max: 2999 }),
      fc
        .tuple(fc.constantFrom(0, 1, 7, 65_534), fc.constantFrom(0, 3, 15, 16, 40, 65_535))
        .map(([field, position]) => field * 65536 + position),
    ),
    { minLength: 1, maxLength: length },
  )

const unique = (docs: readonly number[]): number[] => [...new Set(docs)].sort((a, b) => a - b)

function expectedSets(list: readonly Pair[]) {
  const docs = unique(list.map(([doc]) => doc))
  const grouped = (keyOf: (packed: number) => number, kept: (key: number) => boolean) =>
    unique(list.map(([, packed]) => keyOf(packed)))
      .filter(kept)
      .map((key) => ({ key, ids: unique(list.flatMap(([d, p]) => (keyOf(p) === key ? [d] : []))) }))
  return {
    docs,
    fields: grouped(
      (packed) => packed >>> 16,
      () => true,
    ),
    positions: grouped(
      (packed) => BUCKETS[BUCKET_INDEX[packed & 0xffff]!]!,
      (key) => BUCKETS.indexOf(key) < bucketsKept(docs.length),
    ),
  }
}

const plain = ({ docs, fields, positions }: PostingSets) => {
  const sets = (all: PostingSets['fields']) => all.map(({ key, ids }) => ({ key, ids: [...ids] }))
  return { docs: [...docs], fields: sets(fields), positions: sets(positions) }
}

const sorted = (ids: Uint32Array): Uint32Array => dropRepeats(ids.sort())
const byDocument = (a: Pair, b: Pair): number => a[0] - b[0] || a[1] - b[1]

it.each([
  [1023, 0],
  [1024, 16],
  [4095, 16],
  [4096, BUCKETS.length],
])('a list of %i documents has the sets of %i buckets', (documents, kept) => {
  expect(bucketsKept(documents)).toBe(kept)
  const stored = BUCKETS.map((_, bucket) => hasBucketSets(documents, bucket))
  expect(stored).toEqual(BUCKETS.map((_, bucket) => bucket < kept))
})

it.each([
  [15, 15],
  [16, 24],
  [23, 24],
  [24, 32],
  [32, 32],
  [33, 64],
  [32_768, 32_768],
  [32_769, 65_535],
])('position %i is in the bucket of %i', (position, bucket) => {
  expect(positionBucket(position)).toBe(bucket)
  expect(BUCKETS[BUCKET_INDEX[position]!]).toBe(bucket)
})

describe('sets of occurrences', () => {
  it('are those of a plain computation, list after list', () => {
    const ofSorted = new OccurrenceSets(dropRepeats)
    const ofAny = new OccurrenceSets(sorted)
    fc.assert(
      fc.property(fc.oneof(pairs(40), pairs(6000)), fc.nat(5), (list, before) => {
        const check = (sets: OccurrenceSets, input: readonly Pair[]): void => {
          const room = new Array<Pair>(before).fill([9999, 1])
          const all = [...room, ...input, ...room]
          const [docs, packed] = [0, 1].map((i) => Uint32Array.from(all, (pair) => pair[i]!))
          const got = sets.collect(docs!, packed!, before, before + input.length)
          expect(plain(got)).toEqual(expectedSets(list))
        }
        check(ofAny, list)
        check(ofSorted, [...list].sort(byDocument))
      }),
      { numRuns: 60 },
    )
  })

  it('share the array of all documents where a set holds all', () => {
    const sets = new OccurrenceSets(dropRepeats)
    const docs = Uint32Array.from({ length: 5000 }, (_, i) => i)
    const { docs: all, fields, positions } = sets.collect(docs, new Uint32Array(5000), 0, 5000)
    expect([fields.length, fields[0]!.ids === all]).toEqual([1, true])
    expect([positions.length, positions[0]!.ids === all]).toEqual([1, true])
  })

  it('keep little memory after a long list', () => {
    const sets = new OccurrenceSets(dropRepeats)
    const bytes = (count: number): number => {
      const docs = Uint32Array.from({ length: count }, (_, i) => i)
      return sets.collect(docs, new Uint32Array(count), 0, count).docs.buffer.byteLength
    }
    const long = 3 << 20
    expect(bytes(long)).toBe(4 * long)
    for (let i = 0; i < 3; i++) expect(bytes(10)).toBeLessThanOrEqual(4 << 20)
  })
})
