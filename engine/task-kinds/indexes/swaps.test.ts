// Swaps compared with a model.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { applied, stateOf } from '../kind/test-states.ts'
import { type IndexSwap, swapChanges } from './swaps.ts'

describe('swaps', () => {
  const NAMES = ['a', 'b', 'c', 'd', 'e', 'f']
  const order = fc.shuffledSubarray(NAMES, { minLength: 4, maxLength: 6 })
  const existing = fc.subarray(NAMES, { minLength: 4 })
  const renames = fc.array(fc.boolean(), { minLength: 2, maxLength: 2 })

  it('exchange or replace names, all or none, as in a map', () => {
    const seen = { swapped: 0, refused: 0 }
    fc.assert(
      fc.property(existing, order, renames, (uids, names, flags) => {
        const swaps: readonly IndexSwap[] = flags.map((rename, i) => {
          return { indexes: [asIndexUid(names[2 * i]!), asIndexUid(names[2 * i + 1]!)], rename }
        })
        const state = stateOf(uids)
        const model = new Map<string, number>(uids.map((uid, i) => [uid, i + 1]))
        const needed = swaps.flatMap(({ indexes: [a, b], rename }) => (rename ? [a] : [a, b]))
        const missing = needed.filter((uid) => !model.has(uid)).sort()
        const used = swaps.filter(({ indexes, rename }) => rename && model.has(indexes[1]))
        if (missing.length + used.length > 0) {
          seen.refused++
          const code = missing.length > 0 ? 'index_not_found' : 'index_already_exists'
          const named = missing.length > 0 ? missing : [used[0]!.indexes[1]]
          const run = (): unknown => swapChanges(state, swaps)
          expect(run).toThrow(expect.objectContaining({ code }))
          for (const uid of named) expect(run).toThrow(`\`${uid}\``)
          return
        }
        seen.swapped++
        for (const { indexes, rename } of swaps) {
          const [a, b] = indexes
          const [left, right] = [model.get(a)!, model.get(b)]
          model.set(b, left)
          if (rename) model.delete(a)
          else model.set(a, right!)
        }
        const { changes, swapped } = swapChanges(state, swaps)
        const after = applied(state, changes)
        expect([...after.byUid].sort()).toEqual([...model].sort())
        expect(swapped).toEqual(swaps.map(({ indexes }) => indexes))
      }),
      { numRuns: 150 },
    )
    expect(Math.min(seen.swapped, seen.refused)).toBeGreaterThan(5)
  })
})
