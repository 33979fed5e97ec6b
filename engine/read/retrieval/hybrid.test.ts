// Documents that the words of a hybrid search exclude are not found by its vector either.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  enqueue,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../../testing/index.ts'

let engine: TestEngine
beforeAll(async () => {
  engine = await openTestEngine(new FakeDisk().mount())
  await changeSettings(engine, 'i', { embedders: { e: { source: 'userProvided', dimensions: 2 } } })
  await addDocuments(engine, 'i', [
    { id: 1, title: 'red lamp', _vectors: { e: [1, 0] } },
    { id: 2, title: 'green lamp', _vectors: { e: [0.9, 0.1] } },
    { id: 3, title: 'red sofa', _vectors: { e: [0.8, 0.2] } },
    { id: 4, title: 'tall green tree', _vectors: { e: [0.1, 0.9] } },
  ])
  await engine.idle()
})
afterAll(() => engine.close())

/** Ids of the hits, ascending. */
async function found(q: string, semanticRatio: number): Promise<readonly number[]> {
  const vector = Float64Array.of(1, 0)
  const request = { q, vector, hybrid: { embedder: 'e', semanticRatio } }
  const { hits } = await searchFor(engine, 'i', request)
  return hits.map(({ id }: { readonly id: number }) => id).sort()
}

test.each([0.2, 0.5, 0.9])('words with a minus, at a ratio of %s', async (ratio) => {
  expect(await found('lamp', ratio)).toEqual([1, 2, 3, 4])
  expect(await found('lamp -red', ratio)).toEqual([2, 4])
  expect(await found('lamp -green', ratio)).toEqual([1, 3])
  expect(await found('lamp -red -green', ratio)).toEqual([])
  expect(await found('lamp -absent', ratio)).toEqual([1, 2, 3, 4])
})

test('phrases with a minus', async () => {
  expect(await found('red -"red lamp"', 0.5)).toEqual([2, 3, 4])
  expect(await found('lamp -"lamp red"', 0.5)).toEqual([1, 2, 3, 4])
})

test('a threshold is compared with the score of all rules, whether hits show it or not', async () => {
  const scored = (rankingScoreThreshold: number | null, more: object = {}) =>
    searchFor(engine, 'i', { q: 'lamp red', rankingScoreThreshold, limit: 1, ...more })
  // No other document has both words, so only a score needs the further rules.
  const [{ id, _rankingScore: score }] = (await scored(null, { showRankingScore: true })).hits
  expect([id, score > 0.5, score < 1]).toEqual([1, true, true])
  for (const showRankingScore of [true, false]) {
    expect((await scored(score, { showRankingScore })).hits).toHaveLength(1)
    expect((await scored((1 + score) / 2, { showRankingScore })).hits).toEqual([])
  }
})

test('documents that share a value with a returned hit are not counted', async () => {
  const other = await openTestEngine(new FakeDisk().mount())
  const patch = {
    distinctAttribute: 'shape',
    embedders: { e: { source: 'userProvided', dimensions: 2 } },
  } as never
  const whole = {
    kind: 'settingsUpdate',
    patch,
    isDeletion: false,
    allowIndexCreation: true,
  } as const
  await enqueue(other, 'i', whole)
  await addDocuments(other, 'i', [
    { id: 1, title: 'lamp', shape: 'round', _vectors: { e: [0, 1] } },
    { id: 2, title: 'sofa', shape: 'flat', _vectors: { e: [1, 0] } },
    { id: 3, title: 'desk', shape: 'round', _vectors: { e: [0.9, 0.1] } },
    { id: 4, title: 'lamp shade', shape: 'flat', _vectors: { e: [0, 0.9] } },
    { id: 5, title: 'vase', shape: 'tall', _vectors: { e: [0.1, 0.9] } },
  ])
  await other.idle()
  const request = { q: 'lamp', vector: Float64Array.of(1, 0), attributesToRetrieve: ['id'] }
  const hybridRequest = { ...request, hybrid: { embedder: 'e', semanticRatio: 0.9 } }
  // The words find 1 and 4, the vector 2 and then 3; 4 shares the shape of 2, and 1 that of 3.
  const one = await searchFor(other, 'i', { ...hybridRequest, limit: 1 })
  expect(one).toMatchObject({ hits: [{ id: 2 }] })
  const two = await searchFor(other, 'i', { ...hybridRequest, limit: 2 })
  expect(two).toMatchObject({ hits: [{ id: 2 }, { id: 3 }], estimatedTotalHits: 3 })
  await other.close()
})

test('a search without a vector of the client is reported once for each index and embedder', async () => {
  const notes: string[] = []
  const other = await openTestEngine(new FakeDisk().mount(), { note: (text) => notes.push(text) })
  const own = { source: 'userProvided', dimensions: 2 }
  for (const uid of ['i', 'j']) {
    await changeSettings(other, uid, { embedders: { e: own, f: own } })
    await addDocuments(other, uid, [{ id: 1, title: 'lamp', _vectors: { e: [1, 0], f: null } }])
  }
  await other.idle()
  const hybrid = { embedder: 'e', semanticRatio: 0.5 }
  const vector = Float64Array.of(1, 0)
  await searchFor(other, 'i', { q: 'lamp', hybrid, vector })
  await searchFor(other, 'i', { q: 'lamp', hybrid: { ...hybrid, semanticRatio: 0 } })
  await searchFor(other, 'i', { q: '', hybrid })
  expect(notes).toEqual([])
  for (const uid of ['i', 'i', 'j', 'i']) {
    expect(await searchFor(other, uid, { q: 'lamp', hybrid })).toMatchObject({ hits: [{ id: 1 }] })
  }
  await searchFor(other, 'i', { q: 'lamp', hybrid: { ...hybrid, embedder: 'f' } })
  const named = notes.map((text) => [...text.matchAll(/`(\w)`/g)].map(([, name]) => name))
  expect(named).toEqual([
    ['i', 'e'],
    ['j', 'e'],
    ['i', 'f'],
  ])
  await other.close()
})
