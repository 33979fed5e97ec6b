// Walks over the hits of a search by cursors: each hit once and in order, over several segments with
// dead documents, and while documents change.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { SearchRequest } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  enqueue,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../../testing/test-engine.ts'

const settings = (patch: { readonly [setting: string]: unknown }) =>
  ({ kind: 'settingsUpdate', patch, isDeletion: false, allowIndexCreation: true }) as const

const SETTINGS = {
  sortableAttributes: ['a', 'b', '_geo'],
  filterableAttributes: ['a', 'b'],
  pagination: { maxTotalHits: 40 },
}

type Row = { readonly id: number; readonly [field: string]: unknown }

const value = fc.oneof(
  fc.constantFrom<unknown>(1, 2, 2.5, -3, 2 ** 60, 'x', 'Xa', 'é', '', ' ', null, true, []),
  fc.array(fc.constantFrom<unknown>(1, 2, 'x', 'y', ''), { maxLength: 3 }),
)
const row = fc.record({ a: value, b: value }, { requiredKeys: [] })
const rows = fc.array(row, { minLength: 1, maxLength: 60 })
const key = fc.constantFrom('a:asc', 'a:desc', 'b:asc', 'b:desc')

/** Adds the rows in batches that replace some of each other, so that documents are dead. */
async function engineOf(found: readonly object[], patch: object = {}): Promise<TestEngine> {
  const engine = await openTestEngine(new FakeDisk().mount())
  await enqueue(engine, 'r', settings({ ...SETTINGS, ...patch }))
  const all = found.map((one, id) => ({ id, ...one }))
  await addDocuments(
    engine,
    'r',
    all.map(({ id }) => ({ id, a: id, b: 'old' })),
  )
  await engine.idle()
  for (let at = 0; at < all.length; at += 20) {
    await addDocuments(engine, 'r', all.slice(at, at + 20))
    await engine.idle()
  }
  return engine
}

async function walk(
  engine: TestEngine,
  request: Partial<SearchRequest>,
  limit: number,
  between: () => Promise<void> = async () => undefined,
): Promise<number[]> {
  const ids: number[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: { hits: Row[]; cursor: string | null } = await searchFor(engine, 'r', {
      ...request,
      limit,
      searchAfter: cursor,
    })
    expect(page.hits.length).toBeLessThanOrEqual(limit)
    if (page.hits.length > 0) expect(page.cursor).not.toBe(cursor)
    ids.push(...page.hits.map(({ id }) => id))
    cursor = page.cursor
    await between()
  }
  return ids
}

describe('a walk', () => {
  it('shows every hit once, in the order of the search', async () => {
    await fc.assert(
      fc.asyncProperty(
        rows,
        fc.uniqueArray(key, { maxLength: 3 }),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        async (found, sort, limit, isFiltered) => {
          const engine = await engineOf(found)
          const request = { sort, filter: isFiltered ? 'NOT b = 1' : null }
          const ids = await walk(engine, request, limit)
          await enqueue(engine, 'r', settings({ pagination: { maxTotalHits: 1000 } }))
          await engine.idle()
          const whole = await searchFor(engine, 'r', request)
          expect(ids).toEqual(whole.hits.map(({ id }: Row) => id))
          await engine.close()
        },
      ),
      { numRuns: 25 },
    )
  })

  it('follows ranking rules on fields, and reports the total and facets of all', async () => {
    const found = Array.from({ length: 50 }, (_, i) => ({ a: i % 7, b: i % 2 === 0 ? 'x' : 'y' }))
    const engine = await engineOf(found, { rankingRules: ['words', 'b:desc', 'sort', 'a:asc'] })
    const ids = await walk(engine, { sort: [] }, 4)
    const sorted = Array.from({ length: 50 }, (_, i) => i).sort(
      (i, j) => (j % 2) - (i % 2) || (i % 7) - (j % 7) || i - j,
    )
    expect(ids).toEqual(sorted)
    const first = await searchFor(engine, 'r', { limit: 30, searchAfter: '', facets: ['b'] })
    const next = { limit: 30, searchAfter: first.cursor, facets: ['b'] }
    const second = await searchFor(engine, 'r', next)
    expect(second).toMatchObject({ estimatedTotalHits: 50, cursor: null })
    expect(second.facetDistribution).toEqual(first.facetDistribution)
    await engine.close()
  })

  it('goes on while documents change: those that stay come once', async () => {
    const found = Array.from({ length: 40 }, (_, i) => ({ a: (i * 7) % 40 }))
    const engine = await engineOf(found)
    let changes = 0
    const ids = await walk(engine, { sort: ['a:asc'] }, 3, async () => {
      changes++
      const added = { id: 100 + changes, a: changes }
      await enqueue(engine, 'r', { kind: 'documentDeletion', by: 'ids', ids: [String(changes)] })
      await addDocuments(engine, 'r', [added])
      await engine.idle()
    })
    const staying = found
      .map(({ a }, id) => ({ a, id }))
      .filter(({ id }) => id === 0 || id > changes)
      .sort((x, y) => x.a - y.a)
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids.filter((id) => id === 0 || (id > changes && id < 100))).toEqual(
      staying.map(({ id }) => id),
    )
    await engine.close()
  })

  it('does not put values of fields into cursors that hits do not show', async () => {
    const secret = ['hush', 'quiet', 'still']
    const engine = await engineOf(
      secret.map((a) => ({ a })),
      { displayedAttributes: ['id'] },
    )
    const request = { sort: ['a:desc'], limit: 1 }
    const first = await searchFor(engine, 'r', { ...request, searchAfter: '' })
    expect(first.hits).toEqual([{ id: 2 }])
    expect(Buffer.from(first.cursor, 'base64url').toString()).not.toContain('still')
    expect(await walk(engine, request, 1)).toEqual([2, 1, 0])
    await engine.close()
  })

  it('by words counts hits, within one state and within the reachable hits', async () => {
    const found = Array.from({ length: 50 }, (_, i) => ({ a: `lamp ${i % 3 === 0 ? 'big' : ''}` }))
    const engine = await engineOf(found)
    const request = { q: 'lamp big', limit: 15 }
    const first = await searchFor(engine, 'r', { ...request, searchAfter: '' })
    const second = await searchFor(engine, 'r', { ...request, searchAfter: first.cursor })
    const third = await searchFor(engine, 'r', { ...request, searchAfter: second.cursor })
    const ids = [first, second, third].flatMap(({ hits }) => hits.map(({ id }: Row) => id))
    const whole = await searchFor(engine, 'r', { q: 'lamp big' })
    expect(ids).toEqual(whole.hits.map(({ id }: Row) => id))
    // The third page was cut at the last reachable hit, so nothing says that no hit follows.
    expect([third.hits.length, third.cursor === null]).toEqual([10, false])
    const behind = searchFor(engine, 'r', { ...request, searchAfter: third.cursor })
    await expect(behind).rejects.toMatchObject({ code: 'invalid_search_search_after' })
    await addDocuments(engine, 'r', [{ id: 900, a: 'lamp' }])
    await engine.idle()
    const late = searchFor(engine, 'r', { ...request, searchAfter: first.cursor })
    await expect(late).rejects.toMatchObject({ code: 'search_cursor_expired' })
    await engine.close()
  })
})

describe('a walk with boosts', () => {
  const SECOND = 1000
  const boosts = [
    { field: 'a', shape: 'linear', origin: 'now', scale: 4, decay: 0.5 },
    { field: 'b', function: 'linear' },
  ] as const

  it('means the moment of its first page by `now`', async () => {
    const clock = { now: 1_700_000_000 * SECOND }
    const engine = await openTestEngine(new FakeDisk().mount(), { wallMs: () => clock.now })
    await enqueue(engine, 'r', settings({ ...SETTINGS, boosts }))
    // Boosts of dates near to the present change their order with each second.
    const documents = Array.from({ length: 12 }, (_, id) => {
      return { id, a: 1_700_000_000 + ((id * 5) % 12), b: 1 + ((id * 7) % 12) }
    })
    await addDocuments(engine, 'r', documents)
    await engine.idle()
    const idsOf = async (): Promise<number[]> =>
      (await searchFor(engine, 'r', {})).hits.map(({ id }: Row) => id)
    const first = await idsOf()
    const ids = await walk(engine, {}, 5, async () => {
      clock.now += 3 * SECOND
    })
    expect(ids).toEqual(first)
    expect(await idsOf()).not.toEqual(first)
    await engine.close()
  })
})

describe('a cursor', () => {
  it('is for its search alone, and nothing else is one', async () => {
    const engine = await engineOf(Array.from({ length: 9 }, (_, a) => ({ a })))
    const request = { sort: ['a:asc'], limit: 4 }
    const { cursor } = await searchFor(engine, 'r', { ...request, searchAfter: '' })
    const refused = (more: Partial<SearchRequest>) =>
      expect(
        searchFor(engine, 'r', { ...request, searchAfter: cursor, ...more }),
      ).rejects.toMatchObject({ code: 'invalid_search_search_after' })
    await refused({ sort: ['a:desc'] })
    await refused({ filter: 'a > 1' })
    await refused({ offset: 1 })
    await refused({ page: 1 })
    for (const text of ['x', '%%%', `${cursor}A`, cursor.slice(1), 'A'.repeat(20_000), '_-_-']) {
      await refused({ searchAfter: text })
    }
    for (let at = 0; at < cursor.length; at += 5) {
      const other = cursor[at] === 'A' ? 'B' : 'A'
      await refused({ searchAfter: cursor.slice(0, at) + other + cursor.slice(at + 1) })
    }
    await engine.close()
  })
})
