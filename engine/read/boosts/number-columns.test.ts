// Factors are the same from rows and from cached columns, for fields with one, several and no
// numbers, with dates as texts beside numbers, and after changes.
import { expect, it } from 'vitest'
import type { Boost } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../../testing/index.ts'

const COUNT = 400
const BOOSTS: readonly Boost[] = [
  // Before the column of `many` is made, which does not know the nearest of several numbers.
  { field: 'many', shape: 'gauss', origin: 100, scale: 300 },
  { field: 'many', function: 'log' },
  { field: 'one', function: 'saturation', pivot: 50 },
  { field: 'one', shape: 'exp', origin: 70, scale: 40 },
  { field: 'seconds', shape: 'exp', origin: '2001-09-09', scale: 5e8 },
  { field: 'mixed', shape: 'linear', origin: '2001-09-09', scale: 1e9 },
]

const documentOf = (id: number, change: number): object => ({
  id,
  ...(id % 7 === 0 ? {} : { one: (id * 37 + change) % 101 }),
  many: Array.from({ length: id % 4 }, (_, i) => id * (i + 1)),
  seconds: id % 5 === 0 ? 'never' : 999_993_600 + id * 86_400 * (change + 1),
  mixed: id % 2 === 0 ? '2003-05-01' : 1e9 + id,
})

type Hit = {
  readonly id: number
  readonly _rankingScoreDetails: { readonly scale?: { readonly boosts: readonly object[] } }
}

async function factorsOf(
  engine: TestEngine,
  boosts: readonly Boost[],
  filter: string | null,
): Promise<Map<number, readonly object[]>> {
  const request = { filter, boosts, boostsNow: 0, limit: 1000, showRankingScoreDetails: true }
  const { hits } = await searchFor(engine, 'i', request)
  return new Map(
    hits.map(({ id, _rankingScoreDetails: details }: Hit) => [id, details.scale?.boosts ?? []]),
  )
}

async function openFilms(): Promise<TestEngine> {
  const engine = await openTestEngine(new FakeDisk().mount())
  const fields = ['id', 'one', 'many', 'seconds', 'mixed']
  await changeSettings(engine, 'i', { filterableAttributes: fields })
  return engine
}

it('rows and columns give the same factors', async () => {
  // A factor is computed once: one engine is asked for single documents, and one for all.
  const [rows, columns] = [await openFilms(), await openFilms()]
  for (const [change, few] of [COUNT, 90].entries()) {
    const documents = Array.from({ length: few }, (_, id) => documentOf(id, change))
    for (const engine of [rows, columns]) {
      await addDocuments(engine, 'i', documents, { primaryKey: 'id' })
      await engine.idle()
    }
    for (const boost of BOOSTS) {
      const all = await factorsOf(columns, [boost], null)
      expect(all.size).toBe(COUNT)
      for (const id of [0, 1, 2, 5, 7, 89, 90, 250]) {
        const alone = await factorsOf(rows, [boost], `id = ${id}`)
        expect(alone, `${boost.field} of ${id}`).toEqual(new Map([[id, all.get(id)]]))
      }
      const changed = [...all.values()].filter((factors) => factors.length > 0).length
      expect(changed, boost.field).toBeGreaterThanOrEqual(boost.field === 'mixed' ? COUNT : 100)
    }
  }
  await rows.close()
  await columns.close()
})
