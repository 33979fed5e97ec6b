// The task kind that merges the segments of an index, so that it uses less space.

import { type Members, snakeMembers } from '../../backup/dumps/index.ts'
import { bytesOf, indexOfUid } from '../../store/catalog/index.ts'
import { allFailed, allSucceeded } from '../../write/batching/index.ts'
import { formatBytes, type TaskDetails } from '../../write/task-data/index.ts'
import { sizeText } from '../database/index.ts'
import {
  type BatchRun,
  deleteExpired,
  hooksOf,
  indexNotFound,
  type TaskKind,
  uncommitted,
} from '../kind/index.ts'

/** Files occupy whole pages, and an index without documents its definition. */
const PAGE_BYTES = 4096

const spaceText = (bytes: number): string =>
  formatBytes(Math.max(1, Math.ceil(bytes / PAGE_BYTES)) * PAGE_BYTES)

export type CompactionContent = { readonly kind: 'indexCompaction' }

/** Merging changes no answer, so nothing is committed: the queue records the outcome. */
const run: BatchRun = async (environment, plan, control) => {
  const { manifest, merger } = environment
  const uid = plan.work.indexUid!
  const before = indexOfUid(manifest.state, uid)
  if (before === undefined) return uncommitted(allFailed(plan, indexNotFound(uid)))
  await deleteExpired(environment, uid, hooksOf(control, 'delete expired documents'))
  await merger.compact(before.index, control.signal)
  const after = manifest.state.indexes.get(before.index)
  const sizes = {
    preCompactionSize: spaceText(bytesOf(before)),
    postCompactionSize: spaceText(bytesOf(after)),
  }
  return uncommitted(allSucceeded(plan, sizes))
}

export const indexCompaction: TaskKind<CompactionContent> = {
  name: 'indexCompaction',
  number: 14,
  isGlobal: false,
  isForLeader: false,
  failsWithStorage: true,
  queue: { of: 'kind', order: 4, takes: 'oldest' },

  encode: () => ({}),
  decode: () => ({ kind: 'indexCompaction' }),

  enqueuedDetails: () => ({}),

  runs: { indexCompaction: run },

  dump: {
    needsIndex: true,
    tags: { indexCompaction: () => ({ kind: 'indexCompaction' }) },
    type: (_, { indexUid }) => ({ indexCompaction: { index_uid: indexUid } }),
    typeOfDetails: (_, { indexUid }) => ({ indexCompaction: { index_uid: indexUid } }),
    details: (details) => ({
      IndexCompaction: {
        index_uid: '',
        ...snakeMembers(details, 'preCompactionSize', 'postCompactionSize'),
      },
    }),
    detailsTags: { IndexCompaction: shownSizes },
  },
}

function shownSizes(members: Members): TaskDetails {
  const before = members['pre_compaction_size'] ?? null
  const after = members['post_compaction_size'] ?? null
  if (before === null || after === null) return {}
  return { preCompactionSize: sizeText(before), postCompactionSize: sizeText(after) }
}
