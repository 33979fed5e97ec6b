// The best documents of sets, sparse and dense, compared with sorting all factors.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { FactorTable } from './factor-table.ts'

/** Across three pages. */
const IDS = 9000

const factor = fc.oneof(
  fc.constantFrom(0, 1, 2, 1 + Number.EPSILON, Number.MIN_VALUE, Number.MAX_VALUE, Infinity),
  fc.double({ min: 0, max: 4, noNaN: true }),
  fc.double({ min: 0, noNaN: true }),
)
/** Ids of a few ranges, and a share of them. */
const someSet = fc
  .tuple(
    fc.array(fc.tuple(fc.nat(IDS - 1), fc.nat(1500)), { minLength: 1, maxLength: 4 }),
    fc.constantFrom(1, 2, 40),
  )
  .map(([ranges, step]) =>
    IdSet.of(
      ranges.flatMap(([from, length]) =>
        Array.from({ length: 1 + Math.floor(length / step) }, (_, i) => from + i * step).filter(
          (id) => id < IDS,
        ),
      ),
    ),
  )

it('finds the best of any documents as sorting does', () => {
  fc.assert(
    fc.property(
      fc.array(factor, { minLength: 1, maxLength: 300 }),
      fc.array(someSet, { minLength: 1, maxLength: 4 }),
      fc.nat(400),
      (factors, sets, n) => {
        const table = new FactorTable()
        const factorOf = (id: number): number => factors[(id * 7) % factors.length]!
        const computed: number[] = []
        for (const documents of sets) {
          table.add(documents, (unknown) => {
            computed.push(...unknown.toArray())
            return Float64Array.from(unknown.toArray(), factorOf)
          })
          const ids = [...documents.toArray()]
          expect(ids.map((id) => table.at(id))).toEqual(ids.map(factorOf))
          const sorted = ids.map(factorOf).sort((a, b) => b - a)
          const nth = sorted[Math.min(n, ids.length - 1)]!
          expect(table.nthLargest(documents, Math.min(n + 1, ids.length))).toBe(nth)
          expect(table.largest(documents)).toBe(sorted[0])
          for (const least of [0, nth, 1.5]) {
            expect([...table.atLeast(documents, least).toArray()]).toEqual(
              ids.filter((id) => factorOf(id) >= least),
            )
          }
          expect(table.atLeast(documents, 0)).toBe(documents)
        }
        // Each is computed once.
        expect(new Set(computed).size).toBe(computed.length)
      },
    ),
    { numRuns: 300 },
  )
})

it('knows the best of documents that come after its levels were chosen', () => {
  const table = new FactorTable()
  const add = (from: number, to: number): IdSet => {
    const documents = IdSet.range(from, to)
    table.add(documents, (ids) => Float64Array.from(ids.toArray(), (id) => (id * 7919) % IDS))
    return documents
  }
  for (const [from, to] of [
    [0, 600],
    [600, 2000],
    [2000, IDS],
  ] as const) {
    const added = add(from, to)
    const sorted = [...added.toArray()].sort((a, b) => ((b * 7919) % IDS) - ((a * 7919) % IDS))
    expect(table.largest(added)).toBe((sorted[0]! * 7919) % IDS)
    const nth = table.nthLargest(added, 20)
    expect(nth).toBe((sorted[19]! * 7919) % IDS)
    expect([...table.atLeast(added, nth).toArray()]).toEqual(
      sorted.slice(0, 20).sort((a, b) => a - b),
    )
  }
  expect(table.largest(IdSet.empty)).toBe(0)
})
