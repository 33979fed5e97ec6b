// The end of a topology change: deletes documents of shards that this instance no longer holds,
// index by index. Running it again deletes the rest.

import { quotedNames } from '../../../format/errors.ts'
import type { IndexUid } from '../../../format/ids.ts'
import { type ShardSet, shardSetOf } from '../../network/records/index.ts'
import { documentCount, indexOfUid } from '../../store/catalog/index.ts'
import { allFailed, allSucceeded } from '../../write/batching/index.ts'
import {
  type BatchRun,
  commitBatch,
  deleteFound,
  hooksOf,
  type TaskEnvironment,
  uncommitted,
} from '../kind/index.ts'

export const runTopologyChange: BatchRun = async (environment, plan, control) => {
  const { topology } = environment
  const { change, work } = topology
  if (change === null || change.uid !== plan.tasks[0]?.uid) {
    const message = 'the network of the change is not known'
    return uncommitted(allFailed(plan, { code: 'internal', message }))
  }
  if (work.kind === 'fail') {
    const names = quotedNames(work.failed)
    const message = `Documents could not be imported by ${names}: all stay where they were`
    return uncommitted(allFailed(plan, { code: 'remote_remote_error', message }))
  }
  if (work.kind === 'clean') {
    const { before, after } = change
    const self = after.self ?? before.self
    if (change.isDirty) {
      await deleteFromAll(environment, shardSetOf({ ...before, self }), control)
    }
    if (change.isReturning) await deleteEmptyIndexes(environment)
    await topology.cleaned()
    return { kind: 'aborted' }
  }
  const shards = work.kind === 'keep' ? null : shardSetOf(change.after)
  const movedDocuments = await deleteFromAll(environment, shards, control)
  const result = allSucceeded(plan, { movedDocuments, message: 'Finished' })
  return commitBatch(environment, control, result, null, () => [topology.placementChange()])
}

/**
 * Deletes indexes without documents: the leader sends those that it has now, with their current
 * settings and primary keys. @throws StorageError
 */
async function deleteEmptyIndexes({ manifest, onCommitted }: TaskEnvironment): Promise<void> {
  await manifest.commit((state) =>
    [...state.indexes].flatMap(([index, known]) =>
      documentCount(known) === 0 ? [{ kind: 'index-removed', index } as const] : [],
    ),
  )
  onCommitted()
}

/** Deletes documents of other shards. Returns their number. @throws StorageError, Canceled */
async function deleteFromAll(
  environment: TaskEnvironment,
  shards: ShardSet | null,
  control: Parameters<BatchRun>[2],
): Promise<number> {
  let deleted = 0
  if (shards === null) return deleted
  for (const uid of [...environment.manifest.state.indexes.values()].map((index) => index.uid)) {
    deleted += await deleteOthers(environment, uid, shards, control)
  }
  return deleted
}

/**
 * Deletes documents of other shards from one index. Returns their number. @throws StorageError,
 * Canceled
 */
async function deleteOthers(
  environment: TaskEnvironment,
  uid: IndexUid,
  shards: ShardSet,
  control: Parameters<BatchRun>[2],
): Promise<number> {
  const { manifest, now } = environment
  const operation = { kind: 'deletionOfOthers', shards } as const
  const hooks = hooksOf(control, 'delete documents')
  return deleteFound(environment, uid, operation, hooks, () => {
    const known = indexOfUid(manifest.state, uid)
    return known === undefined ? [] : [{ kind: 'index-touched', index: known.index, at: now() }]
  })
}
