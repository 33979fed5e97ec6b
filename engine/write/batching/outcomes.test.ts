// Outcomes of whole batches: which task carries a count, and those of absorbed tasks.
import { expect, it } from 'vitest'
import { asBatchUid, asIndexUid, asTaskUid } from '../../../format/ids.ts'
import { taskKinds } from '../../task-kinds/index.ts'
import type { QueuedContent, TaskDetails, TaskRole } from '../task-data/index.ts'
import {
  allFailed,
  allSucceeded,
  type BatchPlan,
  type BatchResult,
  clearSucceeded,
  completed,
  indexDeletionSucceeded,
  rulesClearSucceeded,
} from './index.ts'

const ERROR = { code: 'internal', message: 'No.' } as never

const CONTENTS: { readonly [role in TaskRole]?: object } = {
  import: { kind: 'documentAdditionOrUpdate' },
  ids: { kind: 'documentDeletion', by: 'ids', count: 3 },
  filter: { kind: 'documentDeletion', by: 'filter' },
  clear: { kind: 'documentDeletion', by: 'all' },
  settings: { kind: 'settingsUpdate' },
  indexDeletion: { kind: 'indexDeletion' },
}

/** Returns a batch of tasks; those with a `-` in front have no effect. */
const planOf = (kind: string, ...roles: readonly string[]): BatchPlan => ({
  uid: asBatchUid(1),
  startedAt: 0,
  strategy: '',
  work: { kind, indexUid: asIndexUid('a'), mayCreate: false },
  tasks: roles.map((name, i) => {
    const role = name.replace('-', '') as TaskRole
    const content = CONTENTS[role] as QueuedContent
    return {
      uid: asTaskUid(i),
      role,
      content,
      indexUid: asIndexUid('a'),
      enqueuedAt: 0,
      hasEffect: !name.startsWith('-'),
    }
  }),
})

const results = ({ outcomes }: BatchResult): readonly (readonly [number, TaskDetails | null])[] =>
  outcomes.map(({ uid, result }) => [uid, result])

it('tasks without an effect do not succeed by themselves, but fail with all', () => {
  const plan = planOf('clear', '-import', 'clear')
  expect(allSucceeded(plan).outcomes).toEqual([{ uid: 1, error: null, result: null }])
  expect(allFailed(plan, ERROR).outcomes.map(({ uid }) => uid)).toEqual([0, 1])
})

it('the first clear reports the documents, later ones none, settings nothing', () => {
  const plan = planOf('clearAndSettings', 'settings', 'clear', '-ids', 'clear')
  expect(results(clearSucceeded(plan, 5))).toEqual([
    [0, null],
    [1, { deletedDocuments: 5 }],
    [3, { deletedDocuments: 0 }],
  ])
})

it('the first clear of rules reports them', () => {
  const plan = planOf('dsrClear', '-dsrUpdate', 'dsrClear', 'dsrClear')
  expect(results(rulesClearSucceeded(plan, 4))).toEqual([
    [1, { deletedDocuments: 4 }],
    [2, { deletedDocuments: 0 }],
  ])
})

it('absorbed tasks report nothing, or zero when the index was deleted', () => {
  const outcomes = (kind: string, ...roles: readonly string[]) => {
    const plan = planOf(kind, ...roles)
    return results({ outcomes: completed(taskKinds, plan, indexDeletionSucceeded(plan, 9)) })
  }
  expect(
    outcomes('indexDeletion', '-import', '-ids', '-settings', '-clear', 'indexDeletion'),
  ).toEqual([
    [0, { indexedDocuments: 0 }],
    [1, { deletedDocuments: 0 }],
    [2, null],
    [3, null],
    [4, { deletedDocuments: 9 }],
  ])
  expect(outcomes('clear', '-import', 'clear')).toEqual([
    [0, null],
    [1, { deletedDocuments: 9 }],
  ])
})

it('deletions among imports report the ids of their requests', () => {
  const ends = (kind: string, roles: readonly string[], error: unknown = null) => {
    const plan = planOf(kind, ...roles)
    const outcomes = roles.map((_, uid) => {
      return { uid: asTaskUid(uid), error: error as never, result: { deletedDocuments: 1 } }
    })
    return results({ outcomes: completed(taskKinds, plan, { outcomes }) }).map(
      ([, result]) => result?.['deletedDocuments'],
    )
  }
  expect(ends('documents', ['import', 'ids', 'filter'])).toEqual([1, 3, 1])
  expect(ends('documents', ['ids', 'filter'])).toEqual([1, 1])
  expect(ends('documents', ['import', 'ids'], ERROR)).toEqual([1, 1])
  expect(ends('other', ['import', 'ids'])).toEqual([1, 1])
})
