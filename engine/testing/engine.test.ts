// The engine as a whole, inline on a disk in memory: the behaviour that its users rely on.
import { describe, expect, it } from 'vitest'
import { asIndexUid } from '../../format/ids.ts'
import { FakeDisk } from '../store/storage/index.ts'
import {
  addDocuments,
  allTasks,
  documentsOf,
  enqueue,
  openTestEngine,
  searchFor,
  type TestEngine,
} from './test-engine.ts'

const FILMS = [
  { id: 1, title: 'The Quiet Harbour', year: 1994, tags: ['sea', 'drama'] },
  { id: 2, title: 'Harbour Lights', year: 2001, tags: ['sea'] },
  { id: 3, title: 'Mountain Song', year: 1994, tags: ['drama'] },
]

const settings = (patch: { readonly [setting: string]: unknown }) =>
  ({ kind: 'settingsUpdate', patch, isDeletion: false, allowIndexCreation: true }) as const

async function filmEngine(disk = new FakeDisk()): Promise<TestEngine> {
  const engine = await openTestEngine(disk.mount())
  await enqueue(engine, 'films', settings({ filterableAttributes: ['year', 'tags'] }))
  await addDocuments(engine, 'films', FILMS)
  await engine.idle()
  return engine
}

const ids = (answer: { hits: { id: number }[] }): number[] => answer.hits.map(({ id }) => id)

describe('documents', () => {
  it('come back as they were sent, and are found', async () => {
    const engine = await filmEngine()
    expect(await documentsOf(engine, 'films')).toEqual(FILMS)
    expect(ids(await searchFor(engine, 'films', { q: 'harbuor' }))).toEqual([2, 1])
    expect(ids(await searchFor(engine, 'films', { q: 'mount' }))).toEqual([3])
    expect(ids(await searchFor(engine, 'films', { filter: 'year = 1994' }))).toEqual([1, 3])
  })

  it('with numbers side by side keep them apart', async () => {
    const engine = await openTestEngine(new FakeDisk().mount())
    await enqueue(engine, 'a', settings({ filterableAttributes: ['a', 'b', 'c'] }))
    await addDocuments(engine, 'a', [{ id: 1, a: 1, b: 23, c: -4, d: true }])
    await engine.idle()
    const filter = 'a = 1 AND b = 23 AND c = -4'
    expect(ids(await searchFor(engine, 'a', { filter }))).toEqual([1])
    expect(ids(await searchFor(engine, 'a', { q: '23' }))).toEqual([1])
  })

  it('are replaced, updated, deleted', async () => {
    const engine = await filmEngine()
    await addDocuments(engine, 'films', [{ id: 1, title: 'Other' }])
    await addDocuments(engine, 'films', [{ id: 2, year: 2002 }], { method: 'update' })
    await enqueue(engine, 'films', { kind: 'documentDeletion', by: 'ids', ids: ['3', '77'] })
    await engine.idle()
    expect(await documentsOf(engine, 'films')).toEqual([
      { id: 1, title: 'Other' },
      { id: 2, title: 'Harbour Lights', year: 2002, tags: ['sea'] },
    ])
    expect(ids(await searchFor(engine, 'films', { q: 'harbour' }))).toEqual([2])
    expect(ids(await searchFor(engine, 'films', { filter: 'year > 1990' }))).toEqual([2])
    expect(engine.documents.indexStats(asIndexUid('films'))).toMatchObject({
      numberOfDocuments: 2,
      fieldDistribution: { id: 2, title: 2, year: 1, tags: 1 },
    })
  })

  it('are deleted by a filter', async () => {
    const engine = await filmEngine()
    const filter = 'tags = sea AND year < 2000'
    await enqueue(engine, 'films', { kind: 'documentDeletion', by: 'filter', filter })
    await engine.idle()
    expect((await allTasks(engine)).at(-1)?.details).toMatchObject({ deletedDocuments: 1 })
    expect(ids(await searchFor(engine, 'films', {}))).toEqual([2, 3])
  })

  it('of one bad import leave no trace, those of other imports in its batch stay', async () => {
    const engine = await openTestEngine(new FakeDisk().mount())
    await addDocuments(engine, 'films', [{ id: 1 }])
    await addDocuments(engine, 'films', [{ id: 2 }, { id: 'not an id' }])
    await addDocuments(engine, 'films', [{ id: 3 }])
    await engine.idle()
    const tasks = await allTasks(engine)
    expect(tasks.map(({ status }) => status)).toEqual(['succeeded', 'failed', 'succeeded'])
    expect(tasks[1]?.error?.code).toBe('invalid_document_id')
    expect(await documentsOf(engine, 'films')).toEqual([{ id: 1 }, { id: 3 }])
  })

  it('that are new take the lowest free document ids', async () => {
    const engine = await openTestEngine(new FakeDisk().mount())
    await addDocuments(engine, 'a', [{ id: 1 }, { id: 2 }, { id: 3 }])
    await engine.idle()
    await enqueue(engine, 'a', { kind: 'documentDeletion', by: 'ids', ids: ['2'] })
    await engine.idle()
    await addDocuments(engine, 'a', [{ id: 9 }, { id: 8 }])
    await engine.idle()
    expect(await documentsOf(engine, 'a')).toEqual([{ id: 1 }, { id: 9 }, { id: 3 }, { id: 8 }])
  })

  it('larger than a record, or than memory allows, go through files', async () => {
    const engine = await openTestEngine(new FakeDisk().mount())
    const words = Array.from({ length: 3000 }, (_, i) => `word${i}`).join(' ')
    await addDocuments(engine, 'a', [{ id: 1, words }])
    await addDocuments(engine, 'a', [
      { id: 2, words },
      { id: 3, words },
      { id: 4, words },
    ])
    await engine.idle()
    expect((await searchFor(engine, 'a', { q: 'word2999' })).estimatedTotalHits).toBe(4)
  })
})

describe('settings', () => {
  it('changed later apply to documents indexed before', async () => {
    const engine = await filmEngine()
    await enqueue(
      engine,
      'films',
      settings({ searchableAttributes: ['tags'], sortableAttributes: ['title'], stopWords: ['x'] }),
    )
    await engine.idle()
    expect(ids(await searchFor(engine, 'films', { q: 'harbour' }))).toEqual([])
    expect(ids(await searchFor(engine, 'films', { q: 'drama' }))).toEqual([1, 3])
    expect(ids(await searchFor(engine, 'films', { sort: ['title:desc'] }))).toEqual([1, 3, 2])
  })

  it('apply to nested fields that were never indexed', async () => {
    const engine = await openTestEngine(new FakeDisk().mount())
    await enqueue(engine, 'a', settings({ searchableAttributes: ['name'] }))
    await addDocuments(engine, 'a', [{ id: 1, name: 'x', deep: { er: { word: 'needle' } } }])
    await engine.idle()
    expect(ids(await searchFor(engine, 'a', { q: 'needle' }))).toEqual([])
    await enqueue(engine, 'a', settings({ searchableAttributes: ['deep.er'] }))
    await enqueue(engine, 'a', settings({ filterableAttributes: ['deep.er.word'] }))
    await engine.idle()
    expect(ids(await searchFor(engine, 'a', { q: 'needle' }))).toEqual([1])
    expect(ids(await searchFor(engine, 'a', { filter: 'deep.er.word = needle' }))).toEqual([1])
  })

  it('that fail change nothing', async () => {
    const engine = await filmEngine()
    await enqueue(
      engine,
      'films',
      settings({ typoTolerance: { minWordSizeForTypos: { oneTypo: 12 } } }),
    )
    await engine.idle()
    expect((await allTasks(engine)).at(-1)?.status).toBe('failed')
    expect(engine.documents.settings(asIndexUid('films'))['typoTolerance']).toMatchObject({
      minWordSizeForTypos: { oneTypo: 5, twoTypos: 9 },
    })
  })
})

describe('indexes', () => {
  it('are created, renamed, swapped, deleted', async () => {
    const engine = await filmEngine()
    await enqueue(engine, 'other', { kind: 'indexCreation', primaryKey: 'key' })
    await enqueue(engine, 'other', {
      kind: 'indexUpdate',
      primaryKey: null,
      newUid: asIndexUid('another'),
    })
    const swaps = [
      { indexes: [asIndexUid('films'), asIndexUid('another')], rename: false },
    ] as const
    await enqueue(engine, null, { kind: 'indexSwap', swaps })
    await engine.idle()
    expect(
      engine.documents.listIndexes(null).map(({ uid, primaryKey }) => [uid, primaryKey]),
    ).toEqual([
      ['another', 'id'],
      ['films', 'key'],
    ])
    expect(ids(await searchFor(engine, 'another', { q: 'mountain' }))).toEqual([3])
    await enqueue(engine, 'another', { kind: 'indexDeletion' })
    await engine.idle()
    expect(engine.documents.listIndexes(null).map(({ uid }) => uid)).toEqual(['films'])
    await expect(searchFor(engine, 'another', {})).rejects.toThrow('Index `another` not found.')
  })

  it('that were emptied begin with the first document id again', async () => {
    const engine = await filmEngine()
    await enqueue(engine, 'films', { kind: 'documentDeletion', by: 'all' })
    await engine.idle()
    expect((await allTasks(engine)).at(-1)?.details).toEqual({ deletedDocuments: 3 })
    expect(ids(await searchFor(engine, 'films', {}))).toEqual([])
    await addDocuments(engine, 'films', [FILMS[2]!, FILMS[0]!])
    await engine.idle()
    expect(ids(await searchFor(engine, 'films', { q: 'the' }))).toEqual([1])
    expect(ids(await searchFor(engine, 'films', {}))).toEqual([3, 1])
  })
})

describe('segments', () => {
  it('are merged, and unneeded files are removed', async () => {
    const disk = new FakeDisk()
    const engine = await openTestEngine(disk.mount())
    for (let i = 0; i < 40; i++) {
      const text = Array.from({ length: 2000 }, (_, w) => `w${(w * 7 + i) % 5000}`).join(' ')
      await addDocuments(engine, 'a', [
        { id: i, text },
        { id: 1000, text },
      ])
      await engine.idle()
    }
    await engine.allMerged()
    const { results } = { results: await documentsOf(engine, 'a') }
    expect(results).toHaveLength(41)
    const files = disk.mount().list('segments')
    expect(files.length).toBeLessThanOrEqual(3)
    expect((await searchFor(engine, 'a', { q: 'w7' })).estimatedTotalHits).toBeGreaterThan(0)
    await engine.close()
    const again = await openTestEngine(disk.mount())
    expect(await documentsOf(again, 'a')).toEqual(results)
    await again.close()
  })
})

describe('a database', () => {
  it('is unchanged after a restart, and refuses a second process', async () => {
    const disk = new FakeDisk()
    const engine = await filmEngine(disk)
    await expect(openTestEngine(disk.mount())).rejects.toMatchObject({ code: 'locked' })
    await engine.administration.setFeatures({ containsFilter: true })
    await engine.close()
    const again = await openTestEngine(disk.mount())
    expect(again.administration.features.containsFilter).toBe(true)
    expect(await documentsOf(again, 'films')).toEqual(FILMS)
    expect((await allTasks(again)).map(({ status }) => status)).toEqual(['succeeded', 'succeeded'])
    await again.close()
  })

  it('of a newer version is refused and left unchanged', async () => {
    const disk = new FakeDisk()
    const engine = await openTestEngine(disk.mount(), { version: '1.51.0' })
    await engine.close()
    await expect(openTestEngine(disk.mount())).rejects.toMatchObject({ code: 'version' })
  })
})

it('a database that was killed does not start without its task log', async () => {
  const disk = new FakeDisk()
  const engine = await openTestEngine(disk.mount())
  await addDocuments(engine, 'a', [{ id: 1 }])
  await engine.idle()
  disk.kill()
  const fs = disk.mount()
  fs.remove('tasks/tasks-000001.log')
  await expect(openTestEngine(fs)).rejects.toMatchObject({ code: 'missing', path: 'tasks' })
  expect(fs.list('tasks')).toEqual(['bodies'])
})
