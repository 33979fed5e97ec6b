// Batches that change documents and settings, in an engine in memory: what a client sees of them.
import { afterEach, expect, test } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import type { OutgoingRequest } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { fakeEmbedding, REST_EMBEDDER } from '../../testing/test-embedding.ts'
import {
  addDocuments,
  documentsOf,
  enqueue,
  openTestEngine,
  type TestEngine,
} from '../../testing/test-engine.ts'

const open: TestEngine[] = []
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close()
})

async function world(options: Parameters<typeof openTestEngine>[1] = {}) {
  const engine = await openTestEngine(new FakeDisk().mount(), options)
  open.push(engine)
  const settled = async (work: Promise<{ readonly uid: number }>) => {
    const { uid } = await work
    await engine.idle()
    return (await engine.tasks.get(uid as never, null))!
  }
  const set = (patch: object, more: object = {}) =>
    settled(
      enqueue(engine, 'i', {
        kind: 'settingsUpdate',
        patch,
        isDeletion: false,
        allowIndexCreation: true,
        ...more,
      } as never),
    )
  const add = (documents: readonly object[]) => settled(addDocuments(engine, 'i', documents))
  const run = (content: object) => settled(enqueue(engine, 'i', content as never))
  const batch = async (task: { readonly batchUid: number | null }) =>
    (await engine.tasks.batch(task.batchUid as never, null))!
  return { engine, settled, set, add, run, batch }
}

const WITHOUT_CREATION = { allowIndexCreation: false }
const NOT_FOUND = { status: 'failed', error: { code: 'index_not_found' } }
const clear = { kind: 'documentDeletion', by: 'all' }

test('an index is created by a write that may create it, even if the write fails', async () => {
  const { engine, set, add, run } = await world()
  expect(await set({ stopWords: ['a'] }, WITHOUT_CREATION)).toMatchObject(NOT_FOUND)
  expect(await run(clear)).toMatchObject(NOT_FOUND)
  expect(await run({ kind: 'documentDeletion', by: 'ids', ids: ['1'] })).toMatchObject(NOT_FOUND)
  expect(() => engine.documents.settings(asIndexUid('i'))).toThrow('not found')
  const failed = await add([{ id: 'no/id' }])
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'invalid_document_id' } })
  expect(await documentsOf(engine, 'i')).toEqual([])
  const other = await world()
  const wrong = await other.set({ chat: { documentTemplate: '{{' } })
  expect(wrong).toMatchObject({
    status: 'failed',
    error: {
      code: 'invalid_chat_setting_document_template',
      message: expect.stringMatching(
        /^Index `i`: `\.chat\.documentTemplate`: Invalid document template: user error: cannot parse/,
      ),
    },
  })
  expect(await documentsOf(other.engine, 'i')).toEqual([])
})

test('details count documents, found or not', async () => {
  const { add, run, engine } = await world()
  expect((await add([{ id: 1 }, { id: 2 }, { id: 2 }])).details).toEqual({
    receivedDocuments: 3,
    indexedDocuments: 2,
  })
  const deleted = await run({ kind: 'documentDeletion', by: 'ids', ids: ['1', '9'] })
  expect(deleted.details).toMatchObject({ providedIds: 2, deletedDocuments: 1 })
  const edited = await run({
    kind: 'documentEdition',
    filter: null,
    context: null,
    function: 'doc.n = 1',
  })
  expect(edited).toMatchObject({ status: 'succeeded', details: { editedDocuments: 1 } })
  expect(await documentsOf(engine, 'i')).toEqual([{ id: 2, n: 1 }])
  expect((await run(clear)).details).toEqual({ deletedDocuments: 1 })
  expect(await documentsOf(engine, 'i')).toEqual([])
})

test('errors of building a segment name the index, those of a document do not', async () => {
  const { set, add } = await world()
  await set({ filterableAttributes: ['_geo'] })
  const { error } = await add([{ id: 1, _geo: 'here' }])
  expect(error).toMatchObject({ code: 'invalid_document_geo_field' })
  expect(error!.message).toMatch(/^Index `i`: /)
})

test('settings of one batch are applied in order, and documents are indexed again', async () => {
  const { engine, add, set, settled } = await world()
  await add([{ id: 1, a: 'x' }])
  const patches = [{ filterableAttributes: ['a'] }, { stopWords: ['a'] }, { stopWords: ['b'] }]
  const both = patches.map((patch) => set(patch))
  for (const { status } of await Promise.all(both)) expect(status).toBe('succeeded')
  expect(engine.documents.settings(asIndexUid('i'))).toMatchObject({
    stopWords: ['b'],
    filterableAttributes: ['a'],
  })
  const found = await settled(
    enqueue(engine, 'i', { kind: 'documentDeletion', by: 'filter', filter: 'a = x' }),
  )
  expect(found.details).toMatchObject({ deletedDocuments: 1 })
})

test('a batch shows how many segments it wrote, and none if it processed nothing', async () => {
  const { add, set, run, batch } = await world()
  const shown = async (task: { readonly batchUid: number | null }) =>
    (await batch(task)).stats.writeChannelCongestion !== null
  expect(await shown(await set({ stopWords: ['a'] }))).toBe(false)
  expect(await shown(await add([{ id: 1 }]))).toBe(true)
  expect(await shown(await run({ kind: 'documentDeletion', by: 'ids', ids: ['7'] }))).toBe(false)
  expect(await shown(await set({ filterableAttributes: ['id'] }))).toBe(true)
  expect(await shown(await run(clear))).toBe(false)
})

test('documents that have expired are gone before a write', async () => {
  let wallMs = 1000
  const { set, add, batch } = await world({ wallMs: () => wallMs } as never)
  await set({ expiresAtAttribute: 'until' })
  await add([{ id: 1, until: 5 }])
  wallMs = 6000
  const task = await add([{ id: 1, until: 9 }])
  expect(task.details).toEqual({ receivedDocuments: 1, indexedDocuments: 1 })
  expect((await batch(task)).stats.status).toEqual({ succeeded: 1 })
})

test('a batch that calls an embedder counts its requests, also if it fails', async () => {
  let isRefused = false
  const send = async ({ body }: OutgoingRequest) => {
    if (isRefused) return { status: 422, body: Buffer.from('no') }
    const { texts } = JSON.parse(Buffer.from(body!).toString()) as { texts: string[] }
    const vectors = texts.map(() => [1, 0])
    return { status: 200, body: Buffer.from(JSON.stringify({ vectors })) }
  }
  const { set, add, batch } = await world({ embedding: fakeEmbedding(send) })
  const requests = async (task: { readonly batchUid: number | null }) =>
    (await batch(task)).stats.embedderRequests
  const e = { ...REST_EMBEDDER, dimensions: 2 }
  await set({ embedders: { e } })
  expect(await requests(await add([{ id: 1, title: 'a' }]))).toMatchObject({ total: 1, failed: 0 })
  isRefused = true
  const failed = await add([{ id: 2, title: 'b' }])
  expect(failed).toMatchObject({ status: 'failed', error: { code: 'vector_embedding_error' } })
  expect(failed.error!.message).toMatch(/^Index `i`: While embedding documents for embedder `e`/)
  expect(await requests(failed)).toMatchObject({ total: 1, failed: 1 })
})
