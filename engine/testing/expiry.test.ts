// Documents that expire, compared with a model that looks at every document: random values, changes,
// sweeps and merges under a clock that the test sets.
import { expect, it } from 'vitest'
import { asIndexUid } from '../../format/ids.ts'
import { EngineFault } from '../model/index.ts'
import { FakeDisk } from '../store/storage/index.ts'
import {
  addDocuments,
  documentsOf,
  enqueue,
  openTestEngine,
  PLAIN_SEARCH,
  searchFor,
  type TestEngine,
} from './test-engine.ts'

const BEGIN = Date.UTC(2024, 1, 28, 23, 59, 0)

type Doc = {
  readonly id: number
  readonly color: string
  readonly group: number
  readonly until?: unknown
}

const settings = (patch: { readonly [setting: string]: unknown }) =>
  ({ kind: 'settingsUpdate', patch, isDeletion: false, allowIndexCreation: true }) as const

/** A small generator of pseudo-random numbers from 0 to 1. */
function generator(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** The moment of one value, in milliseconds, or null. */
function momentOf(value: unknown): number | null {
  if (typeof value === 'number') return value < 1e11 ? value * 1000 : value
  if (typeof value !== 'string' || !/^\d{4}-.*T.*(Z|[+-]\d\d:\d\d)$/.test(value)) return null
  return Date.parse(value)
}

function isOver({ until }: Doc, now: number): boolean {
  const moments = (Array.isArray(until) ? until : [until]).map(momentOf)
  return moments.some((moment) => moment !== null && moment <= now)
}

/** A value in one of the forms that documents have. */
function randomUntil(random: () => number, now: number): unknown {
  const at = now + Math.floor((random() - 0.3) * 60) * 1000
  const ofText = (): string => {
    const isOffset = random() < 0.5
    const text = new Date(at + (isOffset ? 5_400_000 : 0)).toISOString()
    return isOffset ? text.replace('.000Z', '+01:30') : text
  }
  const forms = [
    () => at / 1000,
    () => at,
    ofText,
    ofText,
    () => [ofText(), (at + 30_000) / 1000],
    () => 'soon',
    () => String(at / 1000),
    () => '2024-02-30T00:00:00Z',
    () => null,
    () => true,
    () => ({ at: at / 1000 }),
  ]
  return forms[Math.floor(random() * forms.length)]!()
}

async function openExpiring(now: () => number, disk = new FakeDisk()): Promise<TestEngine> {
  const engine = await openTestEngine(disk.mount(), { wallMs: now })
  const patch = { filterableAttributes: ['color', 'group'], expiresAtAttribute: 'until' }
  await enqueue(engine, 'a', settings(patch))
  await engine.idle()
  return engine
}

async function facetHits(engine: TestEngine): Promise<unknown> {
  const request = {
    facetName: 'color',
    facetQuery: null,
    exhaustiveFacetCount: null,
    search: PLAIN_SEARCH,
  }
  const { features } = engine.administration
  const context = {
    requestUid: 'r',
    queryUid: null,
    features,
    signal: new AbortController().signal,
  }
  const answer = await engine.queries.facetSearch(asIndexUid('a'), request, context)
  return JSON.parse(Buffer.from(answer).toString()).facetHits
}

const exists = async (engine: TestEngine, id: number): Promise<boolean> => {
  try {
    await engine.documents.get(asIndexUid('a'), String(id), null, false)
    return true
  } catch (error) {
    if (error instanceof EngineFault && error.code === 'document_not_found') return false
    throw error
  }
}

const countsOf = (found: readonly Doc[]): { readonly [color: string]: number } => {
  const counts: { [color: string]: number } = {}
  for (const { color } of found) counts[color] = (counts[color] ?? 0) + 1
  return counts
}

/** Compares every kind of read with the documents that are left. */
async function compare(engine: TestEngine, left: readonly Doc[]): Promise<void> {
  const ids = (docs: readonly { readonly id: number }[]) =>
    docs.map(({ id }) => id).sort((a, b) => a - b)
  const all = await searchFor(engine, 'a', { facets: ['color'] })
  expect(ids(all.hits)).toEqual(ids(left))
  expect(all.estimatedTotalHits).toBe(left.length)
  expect(all.facetDistribution.color).toEqual(countsOf(left))
  const words = await searchFor(engine, 'a', { q: 'red' })
  expect(ids(words.hits)).toEqual(ids(left.filter(({ color }) => color === 'red')))
  for (const [filter, passes] of [
    ['color = red', ({ color }: Doc) => color === 'red'],
    ['color != red', ({ color }: Doc) => color !== 'red'],
    ['group > 1 OR NOT color = blue', ({ color, group }: Doc) => group > 1 || color !== 'blue'],
  ] as const) {
    const found = await searchFor(engine, 'a', { filter })
    expect(ids(found.hits)).toEqual(ids(left.filter(passes)))
  }
  const distinct = await searchFor(engine, 'a', { distinct: 'color', page: 1, hitsPerPage: 100 })
  expect(distinct.totalHits).toBe(new Set(left.map(({ color }) => color)).size)
  expect(ids((await documentsOf(engine, 'a')) as Doc[])).toEqual(ids(left))
  expect(await facetHits(engine)).toEqual(
    Object.entries(countsOf(left))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([value, count]) => ({ value, count })),
  )
}

it.each([1, 2, 3])('leaves out what has expired, as a model does (seed %i)', async (seed) => {
  const random = generator(seed)
  let now = BEGIN
  const engine = await openExpiring(() => now)
  const stored = new Map<number, Doc>()
  const forget = (): void => {
    for (const [id, doc] of stored) if (isOver(doc, now)) stored.delete(id)
  }
  for (let step = 0; step < 40; step++) {
    const kind = random()
    if (kind < 0.5) {
      const docs = Array.from(
        { length: 1 + Math.floor(random() * 12) },
        (): Doc => ({
          id: Math.floor(random() * 60),
          color: ['red', 'blue', 'green'][Math.floor(random() * 3)]!,
          group: Math.floor(random() * 4),
          ...(random() < 0.8 ? { until: randomUntil(random, now) } : {}),
        }),
      )
      const method = random() < 0.5 ? 'replace' : 'update'
      await addDocuments(engine, 'a', docs, { method })
      await engine.idle()
      forget()
      for (const doc of docs) {
        const before = method === 'update' ? stored.get(doc.id) : undefined
        stored.set(doc.id, { ...before, ...doc })
      }
    } else if (kind < 0.6) {
      const ids = Array.from({ length: 5 }, () => Math.floor(random() * 60))
      await enqueue(engine, 'a', { kind: 'documentDeletion', by: 'ids', ids: ids.map(String) })
      await engine.idle()
      for (const id of ids) stored.delete(id)
    } else if (kind < 0.9) now += Math.floor(random() * 15_000)
    else {
      await engine.allMerged()
      forget()
      expect(engine.documents.indexStats(asIndexUid('a')).numberOfDocuments).toBe(stored.size)
    }
    const left = [...stored.values()].filter((doc) => !isOver(doc, now))
    await compare(engine, left)
    const probe = Math.floor(random() * 60)
    expect(await exists(engine, probe)).toBe(left.some(({ id }) => id === probe))
  }
  await engine.close()
})

it('expires at the moment itself, not before', async () => {
  let now = BEGIN
  const engine = await openExpiring(() => now)
  await addDocuments(engine, 'a', [
    { id: 1, until: BEGIN / 1000 + 1 },
    { id: 2, until: BEGIN + 1000 },
    { id: 3, until: '2024-02-28T23:59:01Z' },
    { id: 4, until: '2024-02-29 05:29:01.0005+05:30' },
    { id: 5, until: 'never' },
  ])
  await engine.idle()
  const ids = async (): Promise<number[]> =>
    (await searchFor(engine, 'a', {})).hits.map(({ id }: { id: number }) => id)
  now = BEGIN + 999
  expect(await ids()).toEqual([1, 2, 3, 4, 5])
  now = BEGIN + 1000
  expect(await ids()).toEqual([4, 5])
  now = BEGIN + 1001
  expect(await ids()).toEqual([5])
  // A clock that is set back shows what is still stored.
  now = BEGIN
  expect(await ids()).toEqual([1, 2, 3, 4, 5])
  await engine.close()
})

it('follows changes of the setting; nothing expires without it', async () => {
  const now = BEGIN
  const engine = await openExpiring(() => now)
  await enqueue(engine, 'a', settings({ expiresAtAttribute: null }))
  await addDocuments(engine, 'a', [
    { id: 1, until: 5, other: { until: now } },
    { id: 2, until: now + 1 },
  ])
  await engine.idle()
  const ids = async (): Promise<number[]> => {
    await engine.idle()
    return (await searchFor(engine, 'a', {})).hits.map(({ id }: { id: number }) => id)
  }
  expect(await ids()).toEqual([1, 2])
  await enqueue(engine, 'a', settings({ expiresAtAttribute: 'until' }))
  expect(await ids()).toEqual([2])
  await enqueue(engine, 'a', settings({ expiresAtAttribute: 'unknown' }))
  expect(await ids()).toEqual([1, 2])
  await enqueue(engine, 'a', settings({ expiresAtAttribute: 'other.until' }))
  expect(await ids()).toEqual([2])
  await enqueue(engine, 'a', { kind: 'indexCompaction' })
  await engine.idle()
  expect(engine.documents.indexStats(asIndexUid('a')).numberOfDocuments).toBe(1)
  await engine.close()
})
