// The end of a topology change: documents of shards that this instance does not hold any more go,
// index by index. Running it again deletes what is left.
import type { SegmentNo } from '../../format/ids.ts'
import { shardSetOf } from '../network/index.ts'
import { documentChanges } from '../write/batches/index.ts'
import { allFailed, allSucceeded } from '../write/tasks/index.ts'
import { commitBatch, discardSegment, hooksOf, uncommitted } from './commit.ts'
import { batchTarget } from './target.ts'
import type { BatchRun, TaskEnvironment } from './task-kind.ts'

export const runTopologyChange: BatchRun = async (environment, plan, control) => {
  const { topology, manifest } = environment
  const { change } = topology
  if (change === null || change.uid !== plan.tasks[0]?.uid) {
    const message = 'the network of the change is not known'
    return uncommitted(allFailed(plan, { code: 'internal', message }))
  }
  const shards = shardSetOf(change.after)
  let movedDocuments = 0
  if (shards !== null) {
    for (const uid of [...manifest.state.indexes.values()].map((index) => index.uid)) {
      movedDocuments += await deleteOthers(environment, uid, shards, control)
    }
  }
  const result = allSucceeded(plan, { movedDocuments, message: 'Finished' })
  return commitBatch(environment, control, result, null, () => [])
}

/** Deletes the documents of one index; how many. @throws StorageError, Canceled */
async function deleteOthers(
  { manifest, merger, views, indexing, chunkBytesMax, onCommitted, fs, now }: TaskEnvironment,
  uid: string,
  shards: NonNullable<ReturnType<typeof shardSetOf>>,
  control: Parameters<BatchRun>[2],
): Promise<number> {
  const target = batchTarget(manifest, uid, false)
  if (target === null) return 0
  using batchOffer = merger.offer(target.index)
  using lease = views.lease(target.index)
  const view = lease?.ref ?? target.view
  const operations = [{ kind: 'delete-others', shards } as const]
  const offer = batchOffer.made
  const job = { kind: 'documents', view, operations, chunkBytesMax, offer } as const
  const result = await indexing.run(job, hooksOf(control, 'delete documents'))
  if (result.deleted === 0) {
    for (const segment of result.segments) discardSegment(fs, segment)
    return 0
  }
  const { index } = target
  const follow = (segment: SegmentNo): SegmentNo => merger.follow(segment)
  await manifest.commit((state) => [
    ...documentChanges(state.indexes.get(index), index, result, follow),
    { kind: 'index-touched', index, at: now() },
  ])
  onCommitted()
  merger.touch(index)
  return result.deleted
}
