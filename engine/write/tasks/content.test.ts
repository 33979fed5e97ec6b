// Contents of tasks encoded and decoded, and the details of tasks that have not run.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CorruptionError } from '../../../format/errors.ts'
import { asIndexUid, asTaskUid } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { decodeEnqueued, type EnqueuedView, encodeEnqueued } from '../../../format/tasks/index.ts'
import { TASK_KINDS, type TaskContent, taskKinds } from '../../task-kinds/index.ts'
import { finishedDetails } from '../task-data/kinds.ts'
import type { TaskDetails, TaskStatus } from '../task-data/types.ts'

const viewOf = (content: TaskContent, indexUid: string | null = 'pens'): EnqueuedView =>
  decodeEnqueued(
    encodeEnqueued(
      taskKinds.recordOf(asTaskUid(7), 1000, {
        indexUid: indexUid === null ? null : asIndexUid(indexUid),
        content,
        customMetadata: 'mine',
      }),
    ),
  )

const inline = new TextEncoder().encode('[{"id":1}]')
const IMPORT: TaskContent = {
  kind: 'documentAdditionOrUpdate',
  method: 'update',
  body: { file: null, inline, bytes: inline.length, documents: 1 },
  primaryKey: 'id',
  skipCreation: true,
  allowIndexCreation: true,
}
const targets = IdSet.of([1, 5, 70_000])

type Shown = TaskDetails | null
const HALF = { originalFilter: null, context: { half: 2 }, function: '' }
/**
 * A content, and its details when it waits, when it succeeded (with a result) and when it failed.
 */
const CASES: readonly (readonly [TaskContent, Shown, Shown, Shown, Shown])[] = [
  [
    IMPORT,
    { receivedDocuments: 1, indexedDocuments: null },
    { indexedDocuments: 1 },
    { receivedDocuments: 1, indexedDocuments: 1 },
    { receivedDocuments: 1, indexedDocuments: 0 },
  ],
  [
    { ...IMPORT, method: 'replace', body: { ...IMPORT.body, file: 12, inline: null } },
    { receivedDocuments: 1, indexedDocuments: null },
    null,
    { receivedDocuments: 1, indexedDocuments: null },
    { receivedDocuments: 1, indexedDocuments: 0 },
  ],
  [
    { kind: 'documentDeletion', by: 'ids', ids: ['a', 'a', 'é'] },
    { providedIds: 3, deletedDocuments: null, originalFilter: null },
    { deletedDocuments: 1 },
    { providedIds: 3, deletedDocuments: 1, originalFilter: null },
    { providedIds: 3, deletedDocuments: 0, originalFilter: null },
  ],
  [
    { kind: 'documentDeletion', by: 'filter', filter: 'color = red' },
    { providedIds: 0, deletedDocuments: null, originalFilter: '"color = red"' },
    { deletedDocuments: 4 },
    { providedIds: 0, deletedDocuments: 4, originalFilter: '"color = red"' },
    { providedIds: 0, deletedDocuments: 0, originalFilter: '"color = red"' },
  ],
  [
    { kind: 'documentDeletion', by: 'all' },
    { deletedDocuments: null },
    { deletedDocuments: 9 },
    { deletedDocuments: 9 },
    { deletedDocuments: 0 },
  ],
  [
    {
      kind: 'documentEdition',
      filter: ['kg = 3'],
      context: { more: 1 },
      function: 'doc.kg += context.more',
    },
    {
      editedDocuments: null,
      deletedDocuments: null,
      originalFilter: '["kg = 3"]',
      context: { more: 1 },
      function: 'doc.kg += context.more',
    },
    { editedDocuments: 2, deletedDocuments: 2 },
    {
      editedDocuments: 2,
      deletedDocuments: 2,
      originalFilter: '["kg = 3"]',
      context: { more: 1 },
      function: 'doc.kg += context.more',
    },
    {
      editedDocuments: 0,
      deletedDocuments: null,
      originalFilter: '["kg = 3"]',
      context: { more: 1 },
      function: 'doc.kg += context.more',
    },
  ],
  [
    {
      kind: 'documentEdition',
      filter: null,
      context: { half: 2 },
      contextText: '{"half":2.0}',
      function: '',
    },
    { editedDocuments: null, deletedDocuments: null, ...HALF },
    { editedDocuments: 2, deletedDocuments: 2 },
    { editedDocuments: 2, deletedDocuments: 2, ...HALF },
    { editedDocuments: 0, deletedDocuments: null, ...HALF },
  ],
  [
    {
      kind: 'settingsUpdate',
      patch: { synonyms: { a: ['b'] }, filterableAttributes: ['kg'], rankingRules: null },
      isDeletion: true,
      allowIndexCreation: true,
    },
    { filterableAttributes: ['kg'], rankingRules: null, synonyms: { a: ['b'] } },
    null,
    { filterableAttributes: ['kg'], rankingRules: null, synonyms: { a: ['b'] } },
    { filterableAttributes: ['kg'], rankingRules: null, synonyms: { a: ['b'] } },
  ],
  [
    { kind: 'indexCreation', primaryKey: null },
    { primaryKey: null },
    null,
    { primaryKey: null },
    { primaryKey: null },
  ],
  [
    { kind: 'indexUpdate', primaryKey: 'sku', newUid: null },
    { primaryKey: 'sku' },
    null,
    { primaryKey: 'sku' },
    { primaryKey: 'sku' },
  ],
  [
    { kind: 'indexUpdate', primaryKey: null, newUid: asIndexUid('ink') },
    { primaryKey: null, oldIndexUid: 'pens', newIndexUid: 'ink' },
    null,
    { primaryKey: null, oldIndexUid: 'pens', newIndexUid: 'ink' },
    { primaryKey: null, oldIndexUid: 'pens', newIndexUid: 'ink' },
  ],
  [
    { kind: 'indexDeletion' },
    { deletedDocuments: null },
    { deletedDocuments: 3 },
    { deletedDocuments: 3 },
    { deletedDocuments: 0 },
  ],
  [
    {
      kind: 'indexSwap',
      swaps: [
        { indexes: [asIndexUid('a'), asIndexUid('b')], rename: false },
        { indexes: [asIndexUid('c'), asIndexUid('d')], rename: true },
      ],
    },
    {
      swaps: [
        { indexes: ['a', 'b'], rename: false },
        { indexes: ['c', 'd'], rename: true },
      ],
    },
    null,
    {
      swaps: [
        { indexes: ['a', 'b'], rename: false },
        { indexes: ['c', 'd'], rename: true },
      ],
    },
    {
      swaps: [
        { indexes: ['a', 'b'], rename: false },
        { indexes: ['c', 'd'], rename: true },
      ],
    },
  ],
  [
    { kind: 'taskCancelation', query: '?uids=1', targets },
    { matchedTasks: 3, canceledTasks: null, originalFilter: '?uids=1' },
    { canceledTasks: 2 },
    { matchedTasks: 3, canceledTasks: 2, originalFilter: '?uids=1' },
    { matchedTasks: 3, canceledTasks: 0, originalFilter: '?uids=1' },
  ],
  [
    { kind: 'taskDeletion', query: '?uids=1', targets: IdSet.empty },
    { matchedTasks: 0, deletedTasks: null, originalFilter: '?uids=1' },
    { deletedTasks: 0 },
    { matchedTasks: 0, deletedTasks: 0, originalFilter: '?uids=1' },
    { matchedTasks: 0, deletedTasks: 0, originalFilter: '?uids=1' },
  ],
  [
    { kind: 'dumpCreation', keys: [], instanceUid: null },
    { dumpUid: null },
    { dumpUid: '20240808-090113348' },
    { dumpUid: '20240808-090113348' },
    { dumpUid: null },
  ],
  [{ kind: 'snapshotCreation' }, null, null, null, null],
  [
    {
      kind: 'export',
      url: 'http://127.0.0.1:9',
      apiKey: 'a-key-of-some-letters',
      payloadSize: '24 MiB',
      indexes: { '*': { filter: null, overrideSettings: false } },
    },
    {
      url: 'http://127.0.0.1:9',
      apiKey: 'a-kXXXXX...',
      payloadSize: '24 MiB',
      indexes: { '*': { filter: null, overrideSettings: false } },
    },
    null,
    {
      url: 'http://127.0.0.1:9',
      apiKey: 'a-kXXXXX...',
      payloadSize: '24 MiB',
      indexes: { '*': { filter: null, overrideSettings: false } },
    },
    {
      url: 'http://127.0.0.1:9',
      apiKey: 'a-kXXXXX...',
      payloadSize: '24 MiB',
      indexes: { '*': { filter: null, overrideSettings: false } },
    },
  ],
  [
    { kind: 'upgradeDatabase', from: 'v1.12.0', to: 'v1.50.0' },
    { upgradeFrom: 'v1.12.0', upgradeTo: 'v1.50.0' },
    null,
    { upgradeFrom: 'v1.12.0', upgradeTo: 'v1.50.0' },
    { upgradeFrom: 'v1.12.0', upgradeTo: 'v1.50.0' },
  ],
  [
    { kind: 'indexCompaction' },
    {},
    { preCompactionSize: '1.2 MiB', postCompactionSize: '1 MiB' },
    { preCompactionSize: '1.2 MiB', postCompactionSize: '1 MiB' },
    {},
  ],
  [
    { kind: 'networkTopologyChange', change: { add: ['x'] } },
    { movedDocuments: 0, message: 'processing tasks for previous network versions' },
    { movedDocuments: 3, message: 'done' },
    { movedDocuments: 3, message: 'done' },
    {
      movedDocuments: 0,
      message: 'Failed. Previous status: processing tasks for previous network versions',
    },
  ],
  [
    { kind: 'dsrUpdate', uid: 'top', rule: { precedence: 3 } },
    { rule: { precedence: 3 }, updatedRules: 1 },
    null,
    { rule: { precedence: 3 }, updatedRules: 1 },
    { rule: { precedence: 3 }, updatedRules: 1 },
  ],
  [
    { kind: 'dsrUpdate', uid: 'top', rule: null },
    { updatedRules: 1 },
    null,
    { updatedRules: 1 },
    { updatedRules: 1 },
  ],
  [
    { kind: 'dsrClear' },
    { deletedDocuments: null },
    { deletedDocuments: 2 },
    { deletedDocuments: 2 },
    { deletedDocuments: 0 },
  ],
]

const namesOf = (content: TaskContent): readonly string[] =>
  content.kind === 'indexSwap' ? content.swaps.flatMap(({ indexes }) => indexes) : []

describe('every kind', () => {
  it('is among the cases', () => {
    expect(new Set(CASES.map(([content]) => content.kind))).toEqual(new Set(TASK_KINDS))
  })

  for (const [i, [content, waiting, result, succeeded, failed]] of CASES.entries()) {
    it(`${i} ${content.kind} is restored from its record`, () => {
      const again = taskKinds.contentOf(viewOf(content))
      if (content.kind !== 'taskCancelation' && content.kind !== 'taskDeletion') {
        expect(again).toEqual(content)
        return
      }
      expect(again).toMatchObject({ kind: content.kind, query: content.query })
      expect((again as typeof content).targets.toArray()).toEqual(content.targets.toArray())
    })

    it(`${i} ${content.kind} shows its details in this order`, () => {
      const view = viewOf(content)
      const enqueued = taskKinds.enqueuedDetails(view, namesOf(content))
      const finished = (status: TaskStatus, changes: Shown): string =>
        JSON.stringify(finishedDetails(taskKinds.of(view.kind), status, enqueued, changes))
      expect(JSON.stringify(enqueued)).toBe(JSON.stringify(waiting))
      expect(finished('succeeded', result)).toBe(JSON.stringify(succeeded))
      expect(finished('failed', null)).toBe(JSON.stringify(failed))
      expect(finished('canceled', null)).toBe(JSON.stringify(failed))
    })
  }
})

describe('values of clients', () => {
  it('are preserved exactly', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.dictionary(fc.string(), fc.jsonValue()), (filter, patch) => {
        const deletion = taskKinds.contentOf(
          viewOf({ kind: 'documentDeletion', by: 'filter', filter }),
        )
        expect(JSON.stringify(deletion)).toBe(
          JSON.stringify({ kind: 'documentDeletion', by: 'filter', filter }),
        )
        const settings = taskKinds.contentOf(
          viewOf({ kind: 'settingsUpdate', patch, isDeletion: false, allowIndexCreation: false }),
        )
        expect('patch' in settings && JSON.stringify(settings.patch)).toBe(JSON.stringify(patch))
      }),
    )
  })

  it('keeps a member called __proto__', () => {
    const patch = JSON.parse('{"synonyms":{"__proto__":["a"]}}') as TaskDetails
    const content = { kind: 'settingsUpdate', isDeletion: false, allowIndexCreation: true } as const
    const again = taskKinds.contentOf(viewOf({ ...content, patch }))
    expect(JSON.stringify(again)).toContain('"__proto__":["a"]')
  })
})

describe('records of other builds', () => {
  const sound = viewOf(IMPORT)
  const deletion = viewOf({ kind: 'documentDeletion', by: 'ids', ids: ['a'] })
  const swap = viewOf({
    kind: 'indexSwap',
    swaps: [{ indexes: [asIndexUid('a'), asIndexUid('b')], rename: false }],
  })
  const settings = viewOf({
    kind: 'settingsUpdate',
    patch: {},
    isDeletion: false,
    allowIndexCreation: true,
  })
  const json = (text: string): Uint8Array => new TextEncoder().encode(text)

  it.each([
    ['no body', { ...sound, inline: null }],
    ['two bodies', { ...sound, bodyFile: 3 }],
    ['a body of another length', { ...sound, bodyBytes: 3 }],
    ['an unknown kind', { ...sound, kind: 30 }],
    ['an unknown way to delete', { ...deletion, flags: 0x30 }],
    ['ids that are not texts', { ...deletion, content: json('[1]') }],
    ['fewer ids than counted', { ...deletion, count: 2 }],
    ['no content', { ...deletion, content: null }],
    ['content that is no JSON', { ...deletion, content: json('[') }],
    ['half a pair', { ...swap, names: swap.names.slice(1) }],
    ['settings that are a list', { ...settings, content: json('[]') }],
    ['targets missing', { ...viewOf({ kind: 'taskDeletion', query: '', targets }), inline: null }],
  ])('%s is refused', (_, view) => {
    expect(() => taskKinds.contentOf(view)).toThrow(CorruptionError)
  })
})
