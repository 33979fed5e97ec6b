// Deletes the documents of an index that an operation finds, as an edit without a task. No batch of
// the index may run meanwhile.
import type { IndexUid, SegmentNo } from '../../../format/ids.ts'
import type { Change } from '../../../format/manifest/index.ts'
import type { IndexSettings } from '../../settings/index.ts'
import { documentChanges } from '../../write/batches/index.ts'
import { type DocumentOperation, discardSegment } from '../../write/indexer/index.ts'
import { batchTarget } from './target.ts'
import type { TaskEnvironment } from './task-kind.ts'

type Parts = Pick<
  TaskEnvironment,
  'manifest' | 'merger' | 'views' | 'indexing' | 'chunkBytesMax' | 'onCommitted' | 'fs'
>
type Hooks = Parameters<TaskEnvironment['indexing']['run']>[1]

/**
 * Returns the number of deleted documents. `further`: changes for the same edit. @throws
 * StorageError, Canceled
 */
export async function deleteFound(
  { manifest, merger, views, indexing, chunkBytesMax, onCommitted, fs }: Parts,
  uid: IndexUid,
  operation: DocumentOperation,
  hooks: Hooks,
  further: () => readonly Change[] = () => [],
): Promise<number> {
  const target = batchTarget(manifest, uid, false)
  if (target === null) return 0
  using batchOffer = merger.offer(target.index)
  using lease = views.lease(target.index)
  const view = lease?.ref ?? target.view
  const { offer } = batchOffer
  const operations = [operation]
  const job = { kind: 'documents', view, operations, chunkBytesMax, offer } as const
  const result = await indexing.run(job, hooks)
  if (result.deleted === 0) {
    for (const segment of result.segments) discardSegment(fs, segment)
    return 0
  }
  const { index } = target
  const follow = (segment: SegmentNo): SegmentNo => merger.follow(segment)
  await manifest.commit((state) => [
    ...documentChanges(state.indexes.get(index), index, result, follow),
    ...further(),
  ])
  onCommitted()
  merger.touch(index)
  return result.deleted
}

/** Deletes the documents of an index that have expired. @throws StorageError, Canceled */
export async function deleteExpired(
  parts: Parts & Pick<TaskEnvironment, 'wallMs'>,
  uid: IndexUid,
  hooks: Hooks,
): Promise<void> {
  const settings = batchTarget(parts.manifest, uid, false)?.settings
  const [operation] = settings === undefined ? [] : expiredOf(settings, parts.wallMs)
  if (operation !== undefined) await deleteFound(parts, uid, operation, hooks)
}

/** Returns the operation that deletes the documents which have expired by now, if any expire. */
export const expiredOf = (
  { expiresAtAttribute }: Pick<IndexSettings, 'expiresAtAttribute'>,
  wallMs: () => number,
): readonly DocumentOperation[] =>
  expiresAtAttribute === null ? [] : [{ kind: 'deletionOfExpired', at: wallMs() }]
