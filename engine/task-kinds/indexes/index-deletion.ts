// The task kind that deletes an index with all its documents.

import { camelMembers, snakeMembers } from '../../backup/dumps/index.ts'
import { documentCount, indexOfUid } from '../../store/catalog/index.ts'
import { allFailed, indexDeletionSucceeded } from '../../write/batching/index.ts'
import {
  type BatchRun,
  commitBatch,
  indexNotFound,
  type TaskKind,
  uncommitted,
} from '../kind/index.ts'

export type IndexDeletionContent = { readonly kind: 'indexDeletion' }

/** Succeeds also for an index that does not exist but that the batch might have created. */
const run: BatchRun = async (environment, plan, control) => {
  const uid = plan.work.indexUid!
  const known = indexOfUid(environment.manifest.state, uid)
  if (known === undefined) {
    const result = plan.work.mayCreate
      ? indexDeletionSucceeded(plan, 0)
      : allFailed(plan, indexNotFound(uid))
    return uncommitted(result)
  }
  const { index } = known
  const result = indexDeletionSucceeded(plan, documentCount(known))
  return commitBatch(environment, control, result, null, () => [{ kind: 'index-removed', index }])
}

export const indexDeletion: TaskKind<IndexDeletionContent> = {
  name: 'indexDeletion',
  number: 5,
  isGlobal: false,
  isForLeader: true,
  queue: { of: 'index', role: () => 'indexDeletion' },

  encode: () => ({}),
  decode: () => ({ kind: 'indexDeletion' }),

  enqueuedDetails: () => ({ deletedDocuments: null }),
  zeros: { deletedDocuments: 0 },

  runs: { indexDeletion: run },

  dump: {
    needsIndex: true,
    tags: { indexDeletion: () => ({ kind: 'indexDeletion' }) },
    type: () => 'indexDeletion',
    typeOfDetails: () => 'indexDeletion',
    details: (details) => ({ ClearAll: snakeMembers(details, 'deletedDocuments') }),
    detailsTags: { ClearAll: (members) => camelMembers(members, 'deleted_documents') },
  },
}
