// Tasks that change documents or settings: their records, details and forms in dumps.
import { describe, expect, it, test } from 'vitest'
import { CorruptionError } from '../../../format/errors.ts'
import { asTaskUid } from '../../../format/ids.ts'
import type { TaskNetwork } from '../../network/records/index.ts'
import { packMetadata } from '../../write/task-data/index.ts'
import type { TaskContent } from '../index.ts'
import { taskKinds } from '../index.ts'
import {
  finishedForms,
  formsOf,
  readDetails,
  readFromDump,
  recordOf,
  treatmentOf,
} from '../kind/test-forms.ts'
import { encodedDeletion } from './document-deletion.ts'
import { encodedEdition } from './document-edition.ts'
import { encodedSettings } from './settings-update.ts'

const importOf = (more: object = {}): TaskContent =>
  ({
    kind: 'documentAdditionOrUpdate',
    method: 'replace',
    body: { file: 3, inline: null, bytes: 90, documents: 2 },
    primaryKey: null,
    skipCreation: false,
    allowIndexCreation: false,
    ...more,
  }) as TaskContent
const inline = { file: null, inline: new Uint8Array(4), bytes: 4, documents: 1 }
const deletion = (more: object): TaskContent =>
  ({ kind: 'documentDeletion', ...more }) as TaskContent
const edition = (more: object = {}): TaskContent =>
  ({ kind: 'documentEdition', filter: null, context: null, function: 'f', ...more }) as TaskContent
const settings = (more: object = {}): TaskContent =>
  ({
    kind: 'settingsUpdate',
    patch: { stopWords: ['a'] },
    isDeletion: false,
    allowIndexCreation: false,
    ...more,
  }) as TaskContent

const dumpedImport = (
  method: string,
  mayCreate: boolean,
  key: string | null = null,
  count = 2,
) => ({
  documentImport: {
    primary_key: key,
    method,
    documents_count: count,
    allow_index_creation: mayCreate,
  },
})
const received = { receivedDocuments: 2, indexedDocuments: null }
const edited = { editedDocuments: null, deletedDocuments: null }

describe('a request', () => {
  it.each<[string, TaskContent, object, unknown]>([
    ['import', importOf(), received, dumpedImport('ReplaceDocuments', false)],
    ['update', importOf({ method: 'update' }), received, dumpedImport('UpdateDocuments', false)],
    ['key', importOf({ primaryKey: 'k' }), received, dumpedImport('ReplaceDocuments', false, 'k')],
    ['skips', importOf({ skipCreation: true }), received, dumpedImport('ReplaceDocuments', false)],
    [
      'may create',
      importOf({ allowIndexCreation: true, body: inline }),
      { receivedDocuments: 1, indexedDocuments: null },
      dumpedImport('ReplaceDocuments', true, null, 1),
    ],
    [
      'deletion by ids',
      deletion({ by: 'ids', ids: ['1', '2'] }),
      { providedIds: 2, deletedDocuments: null, originalFilter: null },
      { documentDeletion: { documents_ids: ['1', '2'] } },
    ],
    [
      'deletion by filter',
      deletion({ by: 'filter', filter: 'a = 1' }),
      { providedIds: 0, deletedDocuments: null, originalFilter: '"a = 1"' },
      { documentDeletionByFilter: { filter: 'a = 1' } },
    ],
    ['clear', deletion({ by: 'all' }), { deletedDocuments: null }, 'documentClear'],
    [
      'edition',
      edition(),
      { ...edited, originalFilter: null, context: null, function: 'f' },
      { documentEdition: { filter: null, context: null, function: 'f' } },
    ],
    [
      'edition of some',
      edition({ filter: ['a = 1'], context: { b: 2 }, contextText: '{"b":2.0}' }),
      { ...edited, originalFilter: '["a = 1"]', context: { b: 2 }, function: 'f' },
      { documentEdition: { filter: ['a = 1'], context: { b: 2 }, function: 'f' } },
    ],
    [
      'settings',
      settings({ allowIndexCreation: true }),
      { stopWords: ['a'] },
      {
        settings: {
          settings: { stopWords: ['a'] },
          is_deletion: false,
          allow_index_creation: true,
        },
      },
    ],
    [
      'reset',
      settings({ isDeletion: true }),
      { stopWords: ['a'] },
      {
        settings: {
          settings: { stopWords: ['a'] },
          is_deletion: true,
          allow_index_creation: false,
        },
      },
    ],
  ])('%s keeps its content, and has details and a form in dumps', (_, content, details, dumped) => {
    const forms = formsOf(content)
    expect(forms.decoded).toEqual(content)
    expect(forms.details).toEqual(details)
    expect(forms.dumped).toEqual(dumped)
  })
})

describe('a record', () => {
  const refused = (view: object) =>
    expect(() => taskKinds.contentOf(view as never)).toThrow(CorruptionError)

  it('of an import has one body, of its length', () => {
    const view = recordOf(importOf({ body: inline }))
    refused({ ...view, bodyFile: 3 })
    refused({ ...view, inline: null })
    refused({ ...view, bodyBytes: 5 })
  })

  it('is the same if the content comes as JSON of the client', () => {
    const json = (value: unknown) => Buffer.from(JSON.stringify(value))
    const flags = { isDeletion: true, allowIndexCreation: true }
    for (const [encoded, content] of [
      [encodedDeletion.byIds(2, json(['1', '2'])), deletion({ by: 'ids', ids: ['1', '2'] })],
      [encodedDeletion.byFilter(json('a = 1')), deletion({ by: 'filter', filter: 'a = 1' })],
      [encodedEdition(json({ function: 'f' })), edition()],
      [encodedSettings(json({ stopWords: ['a'] }), flags), settings(flags)],
    ] as const) {
      const view = recordOf(encoded as never)
      expect(taskKinds.contentOf(view)).toEqual(content)
      const { flags, count, names } = recordOf(content)
      expect(view).toMatchObject({ flags, count, names })
    }
  })

  it('of settings that another instance sent replaces all of them', () => {
    const origin = { remoteName: 'a', taskUid: asTaskUid(1), networkVersion: 'v' }
    const parts = { indexName: null, documentCount: 1, indexCount: 1, totalDocuments: 1, key: null }
    const source = { remoteName: 'a', ...parts }
    const contentOf = (network: TaskNetwork) => {
      const metadata = Buffer.from(packMetadata(null, network)!)
      return taskKinds.contentOf({ ...recordOf(settings()), metadata })
    }
    const imported = contentOf({ kind: 'import', source, change: origin })
    expect(imported).toStrictEqual({ ...settings(), isWhole: true })
    const ofAnother = { ...source, remoteName: 'b' }
    expect(contentOf({ kind: 'import', source: ofAnother, change: origin })).toStrictEqual({
      ...settings(),
      isWhole: true,
      isForNewIndex: true,
    })
    expect(contentOf({ kind: 'origin', origin })).toStrictEqual(settings())
  })

  it('of a deletion has a known selection, and its ids', () => {
    const view = recordOf(deletion({ by: 'ids', ids: ['1'] }))
    refused({ ...view, count: 2 })
    refused({ ...view, content: null })
    // All bits of the selection: no way to delete.
    refused({ ...view, flags: 0xff })
    expect(() => taskKinds.contentToRun({ ...view, flags: 0xff })).toThrow(CorruptionError)
    expect(() => taskKinds.contentToRun({ ...view, content: null })).toThrow(CorruptionError)
  })
})

test.each([
  [{ by: 'ids', ids: ['1', '2'] }, 'ids', 2, '["1","2"]', { providedIds: 2 }],
  [{ by: 'filter', filter: 'x' }, 'filter', 0, '"x"', null],
  [{ by: 'all' }, 'clear', 0, '', {}],
] as const)('a deletion %j runs as %s', (by, role, count, json, plain) => {
  const kind = taskKinds.named('documentDeletion')
  const view = recordOf(deletion(by))
  const work = taskKinds.contentToRun(view) as never as { json: Uint8Array; count: number }
  expect([work.count, Buffer.from(work.json).toString()]).toEqual([count, json])
  expect(work).toMatchObject({ by: by.by })
  expect(kind.queue.of === 'index' ? kind.queue.role(view.flags) : null).toBe(role)
  expect(kind.plainDetails!(view.flags, view.count)).toEqual(plain)
  expect(kind.absorbedDetails!(work as never)).toEqual(
    by.by === 'all' ? null : { deletedDocuments: 0 },
  )
  const among = kind.detailsAmongImports!(work as never, { deletedDocuments: 5 })
  expect(among).toEqual({ deletedDocuments: by.by === 'ids' ? 2 : 5 })
})

test('how the queue treats the kinds', () => {
  const names = [
    'documentAdditionOrUpdate',
    'documentDeletion',
    'documentEdition',
    'settingsUpdate',
  ]
  const roles = names.map((name) => {
    const { queue } = taskKinds.named(name)
    return queue.of === 'index' ? queue.role(0) : null
  })
  expect(roles).toEqual(['import', 'ids', 'alone', 'settings'])
  for (const name of names) expect(treatmentOf(name)).toBe('index isForLeader needsIndex')
  const counts = names.slice(0, 3).map((name) => taskKinds.named(name).documentCounts!(4))
  expect(counts).toEqual([
    { indexedDocuments: 4 },
    { deletedDocuments: 4 },
    { editedDocuments: 4, deletedDocuments: 4 },
  ])
  const addition = taskKinds.named('documentAdditionOrUpdate')
  expect(addition.plainDetails!(0, 4)).toEqual({ receivedDocuments: 4 })
  expect(addition.absorbedDetails!({} as never)).toEqual({ indexedDocuments: 0 })
})

test('finished tasks in a dump, from the details that clients saw', () => {
  const of = finishedForms
  expect(of('documentAdditionOrUpdate', { receivedDocuments: 2, indexedDocuments: 1 })).toEqual({
    type: dumpedImport('ReplaceDocuments', true),
    details: { DocumentAdditionOrUpdate: { received_documents: 2, indexed_documents: 1 } },
  })
  expect(of('documentDeletion', { deletedDocuments: 2 })).toEqual({
    type: 'documentClear',
    details: { ClearAll: { deleted_documents: 2 } },
  })
  const byIds = { providedIds: 3, deletedDocuments: 2, originalFilter: null }
  expect(of('documentDeletion', byIds)).toEqual({
    type: { documentDeletion: { documents_ids: [] } },
    details: { DocumentDeletion: { provided_ids: 3, deleted_documents: 2 } },
  })
  const byFilter = { providedIds: 0, deletedDocuments: 2, originalFilter: '"a = 1"' }
  expect(of('documentDeletion', byFilter)).toEqual({
    type: { documentDeletionByFilter: { filter: 'a = 1' } },
    details: { DocumentDeletionByFilter: { original_filter: '"a = 1"', deleted_documents: 2 } },
  })
  const some = { editedDocuments: 1, deletedDocuments: 0, originalFilter: '"a"', context: null }
  expect(of('documentEdition', { ...some, function: 'f' })).toEqual({
    type: { documentEdition: { filter: 'a', context: null, function: 'f' } },
    details: {
      DocumentEdition: {
        edited_documents: 1,
        deleted_documents: 0,
        original_filter: '"a"',
        context: null,
        function: 'f',
      },
    },
  })
  expect(of('documentEdition', {}).type).toEqual({
    documentEdition: { filter: null, context: null, function: '' },
  })
  expect(of('settingsUpdate', { stopWords: [] })).toEqual({
    type: {
      settings: { settings: { stopWords: [] }, is_deletion: false, allow_index_creation: true },
    },
    details: { SettingsUpdate: { settings: { stopWords: [] } } },
  })
})

test('older dumps lack members', () => {
  expect(readFromDump('documentAdditionOrUpdate', 'documentImport', {})).toMatchObject({
    method: 'replace',
    primaryKey: null,
    allowIndexCreation: true,
  })
  expect(readFromDump('documentDeletion', 'documentDeletionByFilter', {})).toEqual(
    deletion({ by: 'filter', filter: null }),
  )
  expect(readFromDump('settingsUpdate', 'settings', { settings: {} })).toEqual(
    settings({ patch: {}, allowIndexCreation: true }),
  )
  expect(readFromDump('documentEdition', 'documentEdition', { function: 'f' })).toEqual(edition())
  expect(
    readDetails('documentDeletion', 'DocumentDeletionByFilter', {
      deleted_documents: 2,
      original_filter: 'x',
    }),
  ).toEqual({ providedIds: 0, deletedDocuments: 2, originalFilter: 'x' })
  expect(
    readDetails('documentDeletion', 'DocumentDeletion', {
      deleted_documents: 2,
      provided_ids: 3,
    }),
  ).toEqual({ providedIds: 3, deletedDocuments: 2, originalFilter: null })
  expect(readDetails('settingsUpdate', 'SettingsUpdate', {})).toEqual({})
})
