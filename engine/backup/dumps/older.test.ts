// Dumps of versions 1 to 5, built here in the layouts of ./DUMPS.md, read as the newest version.

import { describe, expect, it } from 'vitest'
import { taskKinds } from '../../task-kinds/index.ts'
import type { DumpReader } from './dump-reader.ts'
import { openDump } from './open-dump.ts'
import { collected, type Files, lines, unpackedFiles } from './test-dumps.ts'

const UUID = '0e1e1f33-3c5f-4d1e-9d3a-1c9a7e8d7a10'
const CONTENT = '8b8d1f2e-0c1d-4e5f-8a9b-0c1d2e3f4a5b'
const at = (second: number): string => `2022-01-01T00:00:${String(second).padStart(2, '0')}Z`
const micros = (second: number): number => Date.parse(at(second)) * 1000

const DOCUMENTS = lines([
  { id: 1, name: 'one' },
  { id: 2, name: 'two' },
])

const V1: Files = {
  'metadata.json': JSON.stringify({
    dumpVersion: 'V1',
    dbVersion: '0.20.0',
    indexes: [
      {
        name: 'books',
        uid: 'books',
        createdAt: at(1),
        updatedAt: at(9),
        primaryKey: 'id',
      },
    ],
  }),
  'books/documents.jsonl': DOCUMENTS,
  'books/settings.json': JSON.stringify({
    rankingRules: ['typo', 'words', 'wordsPosition', 'desc(name)'],
    attributesForFaceting: ['name'],
    searchableAttributes: ['name'],
    synonyms: {},
  }),
  'books/updates.jsonl': lines([
    {
      status: 'processed',
      updateId: 0,
      type: { name: 'DocumentsAddition', number: 2 },
      enqueuedAt: at(2),
      processedAt: at(3),
      duration: 0.25,
    },
    {
      status: 'failed',
      updateId: 1,
      type: {
        name: 'Settings',
        settings: {
          ranking_rules: { Update: ['Typo', 'WordsPosition', { Desc: 'name' }] },
          stop_words: 'Clear',
          synonyms: 'Nothing',
          attributes_for_faceting: { Update: ['name'] },
        },
      },
      error: 'no',
      enqueuedAt: at(4),
    },
    { status: 'processed', updateId: 2, type: { name: 'Customs' }, enqueuedAt: at(4) },
    { status: 'enqueued', updateId: 3, type: { name: 'ClearAll' }, enqueuedAt: at(5) },
  ]),
}

const meta = JSON.stringify({
  settings: { filterableAttributes: ['name'], rankingRules: ['words', 'name:desc'] },
  primaryKey: 'id',
})

const V2: Files = {
  'metadata.json': JSON.stringify({ dumpVersion: 'V2', dbVersion: '0.22.0', dumpDate: at(30) }),
  'index_uuids/data.jsonl': lines([{ uid: 'books', uuid: UUID }]),
  [`indexes/index-${UUID}/meta.json`]: meta,
  [`indexes/index-${UUID}/documents.jsonl`]: DOCUMENTS,
  'updates/data.jsonl': lines([
    {
      uuid: UUID,
      update: {
        status: 'processed',
        success: { DocumentsAddition: { nb_documents: 2 } },
        processedAt: at(4),
        updateId: 0,
        meta: { type: 'DocumentsAddition', method: 'UpdateDocuments', primaryKey: null },
        enqueuedAt: at(2),
        startedProcessingAt: at(3),
      },
    },
    {
      uuid: UUID,
      update: {
        status: 'enqueued',
        updateId: 1,
        meta: { type: 'DocumentsAddition', method: 'ReplaceDocuments', primaryKey: null },
        enqueuedAt: at(5),
        content: `update_${CONTENT}`,
      },
    },
    { uuid: '00000000-0000-4000-8000-000000000000', update: { status: 'enqueued' } },
  ]),
  [`updates/update_files/update_${CONTENT}`]: '{"id":3}\n',
}

const V3: Files = {
  'metadata.json': JSON.stringify({ dumpVersion: 'V3', dbVersion: '0.24.0', dumpDate: at(30) }),
  'index_uuids/data.jsonl': lines([{ uid: 'books', uuid: UUID }]),
  [`indexes/${UUID}/meta.json`]: meta,
  [`indexes/${UUID}/documents.jsonl`]: DOCUMENTS,
  'updates/data.jsonl': lines([
    {
      uuid: UUID,
      update: {
        status: 'failed',
        error: { code: 'missing_document_id', message: 'no id' },
        failedAt: at(4),
        from: {
          startedProcessingAt: at(3),
          from: { updateId: 0, meta: { DeleteDocuments: { ids: [1, 'b'] } }, enqueuedAt: at(2) },
        },
      },
    },
    { uuid: UUID, update: { status: 'processed', meta: 'ClearDocuments', enqueuedAt: at(3) } },
    {
      uuid: UUID,
      update: {
        status: 'enqueued',
        meta: { DocumentAddition: { primary_key: null, content_uuid: CONTENT } },
        enqueuedAt: at(5),
      },
    },
  ]),
  [`updates/updates_files/${CONTENT}`]: '{"id":3}\n',
}

const event = (second: number) => ({ Created: at(second) })
const processing = (second: number) => ({ Processing: at(second) })
const events = (result: unknown) => [
  event(2),
  { Batched: { batch_id: 0, timestamp: at(3) } },
  { Processing: at(3) },
  { Succeded: { result, timestamp: at(4) } },
]

const V4: Files = {
  'metadata.json': JSON.stringify({ dumpVersion: 'V4', dbVersion: '0.27.0', dumpDate: at(30) }),
  'instance-uid': `${CONTENT}\n`,
  keys: lines([
    {
      description: 'search',
      id: 'Tf6xYzAb',
      actions: ['search', 'dumps.get'],
      indexes: ['*'],
      expires_at: null,
      created_at: at(1),
      updated_at: at(1),
    },
  ]),
  'index_uuids/data.jsonl': lines([
    { uid: 'books', index_meta: { uuid: UUID, creation_task_id: 0 } },
  ]),
  [`indexes/${UUID}/meta.json`]: meta,
  [`indexes/${UUID}/documents.jsonl`]: DOCUMENTS,
  'updates/data.jsonl': lines([
    {
      id: 7,
      index_uid: 'books',
      content: {
        DocumentAddition: {
          content_uuid: CONTENT,
          merge_strategy: 'ReplaceDocuments',
          primary_key: null,
          documents_count: 1,
          allow_index_creation: true,
        },
      },
      events: [event(8)],
    },
    {
      id: 1,
      index_uid: 'books',
      content: { DocumentDeletion: { Ids: ['1'] } },
      events: events({ DocumentDeletion: { deleted_documents: 1 } }),
    },
    {
      id: 0,
      index_uid: 'books',
      content: { IndexCreation: { primary_key: 'id' } },
      events: events('Other'),
    },
    { id: 2, index_uid: 'books', content: { DocumentDeletion: 'Clear' }, events: events('Other') },
    { id: 3, content: { Dump: { uid: 'x' } }, events: events('Other') },
  ]),
  [`updates/updates_files/${CONTENT}`]: '{"id":3}\n',
}

const V5: Files = {
  ...V4,
  'metadata.json': JSON.stringify({ dumpVersion: 'V5', dbVersion: '0.29.0', dumpDate: at(30) }),
  keys: lines([
    {
      name: 'search',
      uid: 'd0d0cafe-0000-4000-8000-000000000003',
      actions: ['*'],
      indexes: ['books'],
      expires_at: '2199-05-06T07:08:09Z',
      created_at: at(1),
      updated_at: at(1),
    },
  ]),
  'updates/data.jsonl': lines([
    {
      id: 0,
      content: {
        SettingsUpdate: {
          index_uid: 'books',
          settings: { stopWords: ['the'] },
          is_deletion: false,
          allow_index_creation: true,
        },
      },
      events: events('Other'),
    },
    {
      id: 1,
      content: { IndexUpdate: { index_uid: 'books', primary_key: 'x' } },
      events: [
        event(2),
        { Failed: { error: { code: 'internal', message: 'no' }, timestamp: at(5) } },
      ],
    },
    {
      id: 2,
      content: { DocumentDeletion: { index_uid: 'books', deletion: { Ids: ['1', '2'] } } },
      events: [event(6)],
    },
    { id: 3, content: { Dump: { uid: '20220101-000007000' } }, events: [event(7), processing(8)] },
  ]),
}

const DUMPS: readonly (readonly [string, Files])[] = [
  ['V1', V1],
  ['V2', V2],
  ['V3', V3],
  ['V4', V4],
  ['V5', V5],
]

const opened = (files: Files): Promise<DumpReader> => openDump(unpackedFiles(files), taskKinds)

describe.each(DUMPS)('a dump of version %s', (version, files) => {
  it('yields its index with settings and documents', async () => {
    const dump = await opened(files)
    expect(dump.version).toBe(version)
    const [index, ...others] = dump.indexes()
    expect(others).toEqual([])
    expect(index).toMatchObject({ uid: 'books', primaryKey: 'id' })
    expect(index!.settings()).toMatchObject({ filterableAttributes: ['name'] })
    expect(index!.settings().sortableAttributes).toEqual(version === 'V1' ? ['name'] : [])
    expect(index!.settings().rankingRules.at(-1)).toBe('name:desc')
    expect(index!.settings().rankingRules).not.toContain('wordsPosition')
    expect(files[index!.documents!]).toBe(DOCUMENTS)
    expect(index!.createdAt).toBe(micros(version === 'V1' ? 1 : 2))
    expect(index!.updatedAt).toBeGreaterThan(index!.createdAt)
  })

  it('has none of the later parts', async () => {
    const dump = await opened(files)
    expect([dump.features(), dump.network(), dump.webhooks(), dump.chats()]).toEqual([
      {},
      null,
      [],
      [],
    ])
    expect(await collected(dump.batches())).toEqual([])
    expect(await collected(dump.rules())).toEqual([])
  })

  it('without a list of its indexes, or with a strange one, is refused', async () => {
    const strange = JSON.stringify({ dumpVersion: version, indexes: [{ uid: '../x' }] })
    const uuids = lines([{ uid: '../x', uuid: UUID, index_meta: { uuid: UUID } }])
    const broken = { ...files, 'metadata.json': strange, 'index_uuids/data.jsonl': uuids }
    await expect(opened(broken)).rejects.toThrow('it names no index')
    const twice = {
      ...files,
      'metadata.json': JSON.stringify({
        dumpVersion: version,
        indexes: [{ uid: 'books' }, { uid: 'books' }],
      }),
      'index_uuids/data.jsonl': (files['index_uuids/data.jsonl'] ?? '').repeat(2),
    }
    await expect(opened(twice)).rejects.toThrow('`books` occurs twice')
    if (version === 'V1') return
    const { 'index_uuids/data.jsonl': _, ...none } = files
    await expect(opened(none)).rejects.toThrow('`index_uuids/data.jsonl`: it is missing')
    const bad = lines([{ uid: 'books', uuid: 'x', index_meta: { uuid: 'x' } }])
    await expect(opened({ ...files, 'index_uuids/data.jsonl': bad })).rejects.toThrow(
      '`index_uuids/data.jsonl`, line 1: a UUID is expected',
    )
    const meta = Object.keys(files).find((path) => path.endsWith('/meta.json'))!
    const { [meta]: __, ...less } = files
    await expect(opened(less)).rejects.toThrow(`\`${meta}\`: it is missing`)
  })

  it('may lack documents and tasks; without tasks an index is as old as the dump', async () => {
    const given = Object.entries(files).filter(
      ([path]) => !/documents\.jsonl$|updates\.jsonl$|updates\/data\.jsonl$/.test(path),
    )
    const dump = await opened(Object.fromEntries(given))
    const [index] = dump.indexes()
    expect([index!.documents, await collected(dump.tasks())]).toEqual([null, []])
    const dates = version === 'V1' ? [micros(1), micros(9)] : [micros(30), micros(30)]
    expect([index!.createdAt, index!.updatedAt]).toEqual(dates)
  })
})

describe('tasks', () => {
  const tasksOf = async (files: Files) => collected((await opened(files)).tasks())

  it('of version 1 are read if they had ended', async () => {
    const tasks = await tasksOf(V1)
    expect(tasks.map(({ task }) => [task.uid, task.kind, task.status])).toEqual([
      [0, 'documentAdditionOrUpdate', 'succeeded'],
      [1, 'settingsUpdate', 'failed'],
    ])
    expect(tasks[0]!.task).toMatchObject({
      details: { receivedDocuments: 2, indexedDocuments: 2 },
      enqueuedAt: micros(2),
      startedAt: micros(3) - 250_000,
      finishedAt: micros(3),
    })
    expect(tasks[1]!.task.details).toEqual({
      rankingRules: ['typo', 'name:desc'],
      stopWords: null,
      filterableAttributes: ['name'],
      sortableAttributes: ['name'],
    })
    expect(tasks[1]!.task.error).toEqual({ code: 'internal', message: 'no' })
  })

  it('of version 2 keep waiting documents', async () => {
    const [first, second, ...others] = await tasksOf(V2)
    expect(others).toEqual([])
    expect(first).toMatchObject({ body: null, task: { uid: 0, status: 'succeeded' } })
    expect(first!.task.startedAt).toBe(micros(3))
    expect(second).toMatchObject({
      body: `updates/update_files/update_${CONTENT}`,
      task: { uid: 1, status: 'enqueued', content: { method: 'replace' } },
    })
  })

  it('of version 3 are read from their previous statuses', async () => {
    const tasks = await tasksOf(V3)
    expect(tasks.map(({ task }) => [task.uid, task.kind, task.status])).toEqual([
      [0, 'documentDeletion', 'failed'],
      [1, 'documentDeletion', 'succeeded'],
      [2, 'documentAdditionOrUpdate', 'enqueued'],
    ])
    expect(tasks[0]!.task).toMatchObject({
      error: { code: 'missing_document_id', message: 'no id' },
      details: { providedIds: 2 },
      startedAt: micros(3),
      finishedAt: micros(4),
    })
    expect(tasks[2]!.body).toBe(`updates/updates_files/${CONTENT}`)
  })

  it('of version 4 keep their numbers, in order', async () => {
    const tasks = await tasksOf(V4)
    expect(tasks.map(({ task }) => [task.uid, task.kind, task.status])).toEqual([
      [0, 'indexCreation', 'succeeded'],
      [1, 'documentDeletion', 'succeeded'],
      [2, 'documentDeletion', 'succeeded'],
      [3, 'dumpCreation', 'succeeded'],
      [7, 'documentAdditionOrUpdate', 'enqueued'],
    ])
    expect(tasks[1]!.task.details).toMatchObject({ providedIds: 1, deletedDocuments: 1 })
    const lost = { ...V4 }
    Reflect.deleteProperty(lost, `updates/updates_files/${CONTENT}`)
    await expect(tasksOf(lost)).rejects.toThrow('its documents are missing')
  })

  it('of version 5 name their index inside', async () => {
    const tasks = await tasksOf(V5)
    expect(tasks.map(({ task }) => [task.indexUid, task.kind, task.status])).toEqual([
      ['books', 'settingsUpdate', 'succeeded'],
      ['books', 'indexUpdate', 'failed'],
      ['books', 'documentDeletion', 'enqueued'],
      [null, 'dumpCreation', 'succeeded'],
    ])
    expect(tasks[3]!.task).toMatchObject({
      details: { dumpUid: '20220101-000007000' },
      startedAt: micros(8),
      finishedAt: micros(8),
    })
    expect(tasks[0]!.task.details).toEqual({ stopWords: ['the'] })
    expect(tasks[2]!.task.content).toEqual({
      kind: 'documentDeletion',
      by: 'ids',
      ids: ['1', '2'],
    })
  })
})

describe('keys', () => {
  const keysOf = async (files: Files) => collected((await opened(files)).keys())

  it('of version 4 get a constant UUID', async () => {
    const [key] = await keysOf(V4)
    expect(key).toMatchObject({ description: 'search', actions: ['search'], name: null })
    expect(await keysOf(V4)).toEqual([key])
    expect((await opened(V4)).instanceUid).toBe(CONTENT)
  })

  it('of version 5 stay unchanged, and versions before 4 have no keys', async () => {
    expect(await keysOf(V5)).toMatchObject([
      { uid: 'd0d0cafe-0000-4000-8000-000000000003', actions: ['*'] },
    ])
    expect(await keysOf(V3)).toEqual([])
  })
})
