// The `details` of a task in each of its states. Members stand in the order in which they are
// shown.
import { type EnqueuedView, textOf } from '../../format/tasks/index.ts'
import { detailsOf, maskSecret, type SettingsPatch } from '../settings/index.ts'
import { contentOfRecord, DELETES_ALL, DELETES_IDS, deletesBy } from './content.ts'
import { kindOf } from './kinds.ts'
import type { TaskContent, TaskDetails, TaskKind, TaskStatus } from './types.ts'

/**
 * What a task shows before it has run; null: its kind has no details. `names` are the indexes of a
 * swap as they are called now; a rename goes on showing both its names as they were.
 * @throws CorruptionError
 */
export function enqueuedDetails(view: EnqueuedView, names: readonly string[]): TaskDetails | null {
  switch (kindOf(view.kind)) {
    case 'documentAdditionOrUpdate':
      return { receivedDocuments: view.count, indexedDocuments: null }
    case 'documentDeletion':
      return deletionDetails(view)
    case 'taskCancelation':
      return { matchedTasks: view.count, canceledTasks: null, originalFilter: queryOf(view) }
    case 'taskDeletion':
      return { matchedTasks: view.count, deletedTasks: null, originalFilter: queryOf(view) }
    case 'indexSwap':
      return { swaps: swapDetails(contentOfRecord(view), names) }
    case 'indexUpdate': {
      const primaryKey = view.primaryKey === null ? null : textOf(view.primaryKey)
      if (view.names.length === 0) return { primaryKey }
      const oldIndexUid = view.index === null ? null : textOf(view.index)
      return { primaryKey, oldIndexUid, newIndexUid: textOf(view.names[0]!) }
    }
    default:
      return detailsOfContent(contentOfRecord(view))
  }
}

function detailsOfContent(content: TaskContent): TaskDetails | null {
  switch (content.kind) {
    case 'settingsUpdate':
      return detailsOf(content.patch as SettingsPatch)
    case 'indexCreation':
      return { primaryKey: content.primaryKey }
    case 'indexDeletion':
    case 'dsrClear':
      return { deletedDocuments: null }
    case 'documentEdition':
      return editionDetails(content)
    case 'dumpCreation':
      return { dumpUid: null }
    case 'upgradeDatabase':
      return { upgradeFrom: content.from, upgradeTo: content.to }
    case 'indexCompaction':
      return {}
    case 'networkTopologyChange':
      return { movedDocuments: 0, message: 'processing tasks for previous network versions' }
    case 'dsrUpdate':
      return content.rule === null ? { updatedRules: 1 } : { rule: content.rule, updatedRules: 1 }
    case 'export':
      return exportDetails(content)
    default:
      return null
  }
}

function deletionDetails(view: EnqueuedView): TaskDetails {
  const by = deletesBy(view.flags)
  if (by === DELETES_ALL) return { deletedDocuments: null }
  return {
    providedIds: view.count,
    deletedDocuments: null,
    originalFilter: by === DELETES_IDS || view.content === null ? null : textOf(view.content),
  }
}

function queryOf(view: EnqueuedView): string | null {
  const content = contentOfRecord(view)
  return content.kind === 'taskCancelation' || content.kind === 'taskDeletion'
    ? content.query
    : null
}

function swapDetails(content: TaskContent, names: readonly string[]): unknown {
  if (content.kind !== 'indexSwap') return []
  return renamedSwaps(content.swaps, names)
}

/** The swaps of a task with the names that its indexes have now, pair after pair. */
export const renamedSwaps = (
  swaps: readonly { readonly rename: boolean }[],
  names: readonly string[],
): readonly { readonly indexes: readonly [string, string]; readonly rename: boolean }[] =>
  swaps.map(({ rename }, i) => ({ indexes: [names[i * 2]!, names[i * 2 + 1]!] as const, rename }))

function editionDetails(content: Extract<TaskContent, { kind: 'documentEdition' }>): TaskDetails {
  return {
    editedDocuments: null,
    deletedDocuments: null,
    originalFilter: content.filter === null ? null : JSON.stringify(content.filter),
    context: content.context,
    function: content.function,
  }
}

function exportDetails(content: Extract<TaskContent, { kind: 'export' }>): TaskDetails {
  const { url, apiKey, payloadSize, indexes } = content
  return {
    url,
    ...(apiKey === null ? {} : { apiKey: maskSecret(apiKey) }),
    ...(payloadSize === null ? {} : { payloadSize }),
    indexes,
  }
}

/** The members that a task which did not succeed shows as zero. */
const ZEROS: { readonly [kind in TaskKind]?: TaskDetails } = {
  documentAdditionOrUpdate: { indexedDocuments: 0 },
  documentDeletion: { deletedDocuments: 0 },
  documentEdition: { editedDocuments: 0 },
  indexDeletion: { deletedDocuments: 0 },
  taskCancelation: { canceledTasks: 0 },
  taskDeletion: { deletedTasks: 0 },
  dsrClear: { deletedDocuments: 0 },
}

/**
 * `enqueued` with what became of it. `result` is what a success, or some failures, add or replace.
 */
export function finishedDetails(
  kind: TaskKind,
  status: TaskStatus,
  enqueued: TaskDetails | null,
  result: TaskDetails | null,
): TaskDetails | null {
  if (enqueued === null) return null
  if (status === 'succeeded') return result === null ? enqueued : { ...enqueued, ...result }
  const zeroed = { ...enqueued, ...ZEROS[kind], ...result }
  if (kind !== 'networkTopologyChange') return zeroed
  return { ...zeroed, message: `Failed. Previous status: ${zeroed['message']}` }
}
