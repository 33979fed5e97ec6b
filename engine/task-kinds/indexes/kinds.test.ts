// Tasks that change indexes and search rules: their records, details and forms in dumps.
import { describe, expect, it, test } from 'vitest'
import { CorruptionError } from '../../../format/errors.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { type TaskContent, taskKinds } from '../index.ts'
import {
  expectForms,
  finishedForms,
  readDetails,
  readFromDump,
  recordOf,
  treatmentOf,
} from '../kind/test-forms.ts'
import { pendingRuleTasks } from './rule-batch.ts'

const swap = (rename: boolean, ...indexes: readonly string[]) => ({ indexes, rename })
const swaps = [swap(false, 'a', 'b'), swap(true, 'c', 'd')]
const rule = { active: true }

describe('a request', () => {
  it.each<[string, object, object, unknown]>([
    [
      'indexCreation',
      { primaryKey: null },
      { primaryKey: null },
      { indexCreation: { primary_key: null } },
    ],
    [
      'indexCreation',
      { primaryKey: 'k' },
      { primaryKey: 'k' },
      { indexCreation: { primary_key: 'k' } },
    ],
    ['indexDeletion', {}, { deletedDocuments: null }, 'indexDeletion'],
    [
      'indexUpdate',
      { primaryKey: 'k', newUid: null },
      { primaryKey: 'k' },
      { indexUpdate: { primary_key: 'k', uid: null } },
    ],
    [
      'indexUpdate',
      { primaryKey: null, newUid: 'ink' },
      { primaryKey: null, oldIndexUid: 'pens', newIndexUid: 'ink' },
      { indexUpdate: { primary_key: null, uid: 'ink' } },
    ],
    ['indexSwap', { swaps }, { swaps }, { indexSwap: { swaps } }],
    ['indexCompaction', {}, {}, { indexCompaction: { index_uid: 'pens' } }],
    [
      'dsrUpdate',
      { uid: 'r', rule },
      { rule, updatedRules: 1 },
      { dsrUpdate: { createOrUpdate: { rule_id: 'r', update: rule } } },
    ],
    [
      'dsrUpdate',
      { uid: 'r', rule: null },
      { updatedRules: 1 },
      { dsrUpdate: { delete: { rule_id: 'r' } } },
    ],
    ['dsrClear', {}, { deletedDocuments: null }, 'dsrClear'],
  ])('%s %j keeps its content, and has details and a form in dumps', expectForms)
})

test('how the queue treats the kinds', () => {
  expect(
    [
      'indexCreation',
      'indexDeletion',
      'indexUpdate',
      'indexSwap',
      'indexCompaction',
      'dsrUpdate',
      'dsrClear',
    ].map((name) => `${name}: ${treatmentOf(name)}`),
  ).toEqual([
    'indexCreation: index isForLeader needsIndex',
    'indexDeletion: index isForLeader needsIndex',
    'indexUpdate: index isForLeader needsIndex',
    'indexSwap: index isGlobal isForLeader',
    'indexCompaction: queue 4, takes oldest failsWithStorage needsIndex',
    'dsrUpdate: index isForLeader',
    'dsrClear: index isForLeader',
  ])
})

test('a rename and a swap follow later renames', () => {
  const renamed = (content: object, names: readonly string[]) =>
    taskKinds.named((content as TaskContent).kind).renamed!(content as never, names as never)
  const update = { kind: 'indexUpdate', primaryKey: null, newUid: asIndexUid('b') }
  expect(renamed(update, ['c'])).toEqual({ ...update, newUid: 'c' })
  expect(renamed(update, [])).toEqual({ ...update, newUid: null })
  expect(renamed({ kind: 'indexSwap', swaps }, ['e', 'f', 'g', 'h'])).toEqual({
    kind: 'indexSwap',
    swaps: [swap(false, 'e', 'f'), swap(true, 'g', 'h')],
  })
})

test('a damaged record is refused', () => {
  const refused = (view: object) =>
    expect(() => taskKinds.contentOf(view as never)).toThrow(CorruptionError)
  const swapped = recordOf({ kind: 'indexSwap', swaps } as never)
  refused({ ...swapped, names: swapped.names.slice(1) })
  const update = recordOf({ kind: 'indexUpdate', primaryKey: null, newUid: asIndexUid('b') })
  refused({ ...update, names: [...update.names, ...update.names] })
})

test('a swap in a dump has two indexes', () => {
  const read = (indexes: readonly string[]) => () =>
    readFromDump('indexSwap', 'indexSwap', { swaps: [{ indexes }] })
  expect(read(['a', 'b'])()).toEqual({ kind: 'indexSwap', swaps: [swap(false, 'a', 'b')] })
  for (const wrong of [[], ['a'], ['a', 'b', 'c']]) expect(read(wrong)).toThrow('two indexes')
  const { dump } = taskKinds.named('indexSwap')
  const names = dump.names!({ swaps } as never, 'here')
  expect(names).toEqual(['a', 'b', 'c', 'd'])
  const update = taskKinds.named('indexUpdate').dump.names!
  expect([update({ uid: 'x' }, 'here'), update({}, 'here')]).toEqual([['x'], []])
})

test.each<[string, object, unknown, unknown]>([
  [
    'indexCreation',
    { primaryKey: 'k' },
    { indexCreation: { primary_key: 'k' } },
    { IndexInfo: { primary_key: 'k' } },
  ],
  [
    'indexDeletion',
    { deletedDocuments: 2 },
    'indexDeletion',
    { ClearAll: { deleted_documents: 2 } },
  ],
  [
    'indexUpdate',
    { primaryKey: 'k', oldIndexUid: 'a', newIndexUid: 'b' },
    { indexUpdate: { primary_key: 'k', uid: 'b' } },
    { IndexInfo: { primary_key: 'k', old_index_uid: 'a', new_index_uid: 'b' } },
  ],
  ['indexSwap', { swaps }, { indexSwap: { swaps } }, { IndexSwap: { swaps } }],
  ['indexSwap', {}, { indexSwap: { swaps: [] } }, { IndexSwap: { swaps: [] } }],
  [
    'indexCompaction',
    { preCompactionSize: '8 KiB', postCompactionSize: '4 KiB' },
    { indexCompaction: { index_uid: 'pens' } },
    {
      IndexCompaction: {
        index_uid: '',
        pre_compaction_size: '8 KiB',
        post_compaction_size: '4 KiB',
      },
    },
  ],
  [
    'dsrUpdate',
    { rule, updatedRules: 1 },
    { dsrUpdate: { createOrUpdate: { rule_id: '', update: rule } } },
    { DsrUpdate: { createOrUpdate: { rule_id: '', update: rule } } },
  ],
  [
    'dsrUpdate',
    { updatedRules: 1 },
    { dsrUpdate: { delete: { rule_id: '' } } },
    { DsrUpdate: { delete: { rule_id: '' } } },
  ],
  ['dsrClear', { deletedDocuments: 2 }, 'dsrClear', { ClearAll: { deleted_documents: 2 } }],
])('a finished %s %j in a dump', (kind, shown, type, dumped) => {
  const forms = finishedForms(kind, shown)
  expect(forms.type).toEqual(type)
  expect(JSON.parse(JSON.stringify(forms.details))).toMatchObject(dumped as object)
  const [tag, members] = Object.entries(dumped as object)[0]!
  const again = readDetails(kind, tag, members)
  const written = kind === 'indexSwap' && !('swaps' in shown) ? { swaps: [] } : shown
  expect(again).toEqual(written)
})

test('details of older dumps', () => {
  expect(finishedForms('indexCreation', {}).type).toEqual({ indexCreation: { primary_key: null } })
  expect(finishedForms('indexUpdate', {}).type).toEqual({
    indexUpdate: { primary_key: null, uid: null },
  })
  expect(readDetails('indexUpdate', 'IndexInfo', { primary_key: 'k', old_index_uid: 'a' })).toEqual(
    {
      primaryKey: 'k',
    },
  )
  const sizes = { pre_compaction_size: 2048, post_compaction_size: 1024 }
  expect(readDetails('indexCompaction', 'IndexCompaction', sizes)).toEqual({
    preCompactionSize: '2 KiB',
    postCompactionSize: '1 KiB',
  })
  const { pre_compaction_size: _, ...half } = sizes
  expect(readDetails('indexCompaction', 'IndexCompaction', half)).toEqual({})
  const { post_compaction_size: __, ...other } = sizes
  expect(readDetails('indexCompaction', 'IndexCompaction', other)).toEqual({})
  expect(readDetails('indexSwap', 'IndexSwap', {})).toEqual({ swaps: null })
})

test('a rule of the log with a list of actions is shown with an object', () => {
  const { detailsFromLog } = taskKinds.named('dsrUpdate')
  expect(detailsFromLog!({ updatedRules: 1 })).toEqual({ updatedRules: 1 })
  expect(detailsFromLog!({ rule, updatedRules: 1 })).toEqual({ rule, updatedRules: 1 })
})

test('a change of a rule in a dump may lack its members', () => {
  const read = (members: object) => readFromDump('dsrUpdate', 'dsrUpdate', members)
  const made = { kind: 'dsrUpdate', uid: 'r', rule: {} }
  expect(read({ createOrUpdate: { rule_id: 'r' } })).toEqual(made)
  expect(() => read({ createOrUpdate: {} })).toThrow('here')
  const shown = (members: object) => readDetails('dsrUpdate', 'DsrUpdate', members)
  expect(shown({ createOrUpdate: {} })).toEqual({ rule: {}, updatedRules: 1 })
  expect(shown({})).toEqual({ updatedRules: 1 })
})

test('pending tasks of rules: updates with their moments, and clears', async () => {
  const unfinished = async (kinds: readonly string[]) => {
    expect(kinds).toEqual(['dsrUpdate', 'dsrClear'])
    return [
      { uid: 3, enqueuedAt: 10, content: { kind: 'dsrUpdate', uid: 'r', rule } },
      { uid: 4, enqueuedAt: 11, content: { kind: 'dsrClear' } },
    ]
  }
  expect(await pendingRuleTasks({ unfinished } as never)).toEqual([
    { taskUid: 3, update: { uid: 'r', rule, enqueuedAt: 10 } },
    { taskUid: 4, update: null },
  ])
})
