// Documents edited by a function, through the whole engine: search results afterwards, and the
// effects of failures, restarts and cancelations.
import { describe, expect, it } from 'vitest'
import { asIndexUid } from '../../format/ids.ts'
import { FakeDisk } from '../store/storage/index.ts'
import type { AcceptedTask } from '../write/task-data/index.ts'
import {
  addDocuments,
  allTasks,
  documentsOf,
  enqueue,
  openTestEngine,
  searchFor,
  type TestEngine,
} from './test-engine.ts'

type EditionOptions = { readonly filter?: unknown; readonly context?: unknown }

const edit = (
  engine: TestEngine,
  text: string,
  { filter = null, context = null }: EditionOptions = {},
): Promise<AcceptedTask> =>
  enqueue(engine, 'films', { kind: 'documentEdition', filter, context, function: text })

const FILMS = [
  { id: 1, title: 'The Quiet Harbour', year: 1994, tags: ['sea'] },
  { id: 2, title: 'Harbour Lights', year: 2001, tags: [] },
  { id: 3, title: 'Mountain Song', year: 1994, more: { z: 1, a: 1.5 } },
]

async function filmEngine(disk = new FakeDisk()): Promise<TestEngine> {
  const engine = await openTestEngine(disk.mount())
  const patch = { filterableAttributes: ['year', 'tags', 'seen'] }
  const settings = { patch, isDeletion: false, allowIndexCreation: true }
  await enqueue(engine, 'films', { kind: 'settingsUpdate', ...settings })
  await addDocuments(engine, 'films', FILMS)
  await engine.idle()
  return engine
}

const ids = (answer: { hits: { id: number }[] }): number[] => answer.hits.map(({ id }) => id)
const last = async (engine: TestEngine): Promise<AcceptedTask> => (await allTasks(engine)).at(-1)!

describe('an edition', () => {
  it('changes what is found, filtered and counted', async () => {
    const engine = await filmEngine()
    await edit(engine, 'doc.title.replace("Harbour", "Port"); doc.seen = context.at', {
      filter: 'year = 1994',
      context: { at: 'noon' },
    })
    await engine.idle()
    expect(ids(await searchFor(engine, 'films', { q: 'port' }))).toEqual([1])
    expect(ids(await searchFor(engine, 'films', { q: 'harbour' }))).toEqual([2])
    expect(ids(await searchFor(engine, 'films', { filter: 'seen = noon' }))).toEqual([1, 3])
    expect(engine.documents.indexStats(asIndexUid('films')).fieldDistribution).toMatchObject({
      seen: 2,
      title: 3,
    })
    const counts = { editedDocuments: 2, deletedDocuments: 2 }
    expect(await last(engine)).toMatchObject({ status: 'succeeded', details: counts })
  })

  it('removes documents for which it returns null, and frees their ids', async () => {
    const engine = await filmEngine()
    await edit(engine, 'if doc.year < 2000 { doc = () }')
    await addDocuments(engine, 'films', [{ id: 9, title: 'New' }])
    await engine.idle()
    expect(await documentsOf(engine, 'films')).toEqual([{ id: 9, title: 'New' }, FILMS[1]])
  })

  it('that changes nothing writes nothing', async () => {
    const engine = await filmEngine()
    const before = engine.documents.indexStats(asIndexUid('films'))
    await edit(
      engine,
      'let t = doc.title + doc.year; doc.more; doc.tags ?? []; doc.year = doc.year',
    )
    await engine.idle()
    expect(await last(engine)).toMatchObject({ status: 'succeeded' })
    expect(engine.documents.indexStats(asIndexUid('films'))).toEqual(before)
    expect(await documentsOf(engine, 'films')).toEqual(FILMS)
  })

  it('fails completely or not at all', async () => {
    const engine = await filmEngine()
    await edit(engine, 'doc.seen = 1; if doc.id == 3 { throw "no" }')
    await engine.idle()
    expect(await last(engine)).toMatchObject({
      status: 'failed',
      error: {
        code: 'edit_documents_by_function_error',
        message:
          'Index `films`: Document edition runtime error encountered while running the function: ' +
          'Runtime error: no (line 1, position 32)',
      },
      details: { editedDocuments: 0, deletedDocuments: null },
    })
    expect(await documentsOf(engine, 'films')).toEqual(FILMS)
  })

  it('creates no index', async () => {
    const engine = await openTestEngine(new FakeDisk().mount())
    await edit(engine, 'doc.a = 1')
    await engine.idle()
    expect(await last(engine)).toMatchObject({ error: { code: 'index_not_found' } })
    expect(engine.documents.listIndexes(null)).toEqual([])
  })

  it('still waits after a power cut', async () => {
    const disk = new FakeDisk()
    const engine = await filmEngine(disk)
    await edit(engine, 'doc.year += context.by', { context: { by: 10 }, filter: 'tags EXISTS' })
    disk.crash(1)
    const again = await openTestEngine(disk.mount())
    await again.idle()
    const years = (await documentsOf(again, 'films')).map((one) => (one as { year: number }).year)
    expect(years).toEqual([2004, 2011, 1994])
  })

  it('can be canceled before it runs', async () => {
    const engine = await filmEngine()
    const first = await edit(engine, 'let i = 0; while i < 20000 { i += 1 }')
    const second = await edit(engine, 'doc.seen = 1')
    const none = {
      uids: [second.uid],
      batchUids: null,
      canceledBy: null,
      kinds: null,
      statuses: null,
      indexUids: null,
      afterEnqueuedAt: null,
      beforeEnqueuedAt: null,
      afterStartedAt: null,
      beforeStartedAt: null,
      afterFinishedAt: null,
      beforeFinishedAt: null,
    }
    await engine.tasks.enqueueCancelation(none, `?uids=${second.uid}`, null)
    await engine.idle()
    const statuses = (await allTasks(engine)).map(({ status }) => status)
    expect(statuses[first.uid]).toBe('succeeded')
    expect(statuses[second.uid]).toBe('canceled')
    expect(await documentsOf(engine, 'films')).toEqual(FILMS)
  })
})
