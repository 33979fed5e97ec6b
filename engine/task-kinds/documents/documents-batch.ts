// Runs batches that change documents: imports, deletions by ids or filters, editions.

import { assert } from '../../../format/errors.ts'
import type { SegmentNo } from '../../../format/ids.ts'
import { congestionOf, documentChanges } from '../../write/batches/index.ts'
import {
  allFailed,
  type BatchControl,
  type BatchEnd,
  type BatchPlan,
  type PlannedTask,
  type TaskOutcome,
} from '../../write/batching/index.ts'
import type { DocumentOperation, DocumentsResult } from '../../write/indexer/index.ts'
import {
  batchTarget,
  commitBatch,
  expiredOf,
  hooksOf,
  indexNotFound,
  type TaskEnvironment,
  uncommitted,
  withIndexName,
} from '../kind/index.ts'
import { embeddingSession, failedWith, requestsOf } from './embedding.ts'

export async function runDocuments(
  environment: TaskEnvironment,
  plan: BatchPlan,
  control: BatchControl,
): Promise<BatchEnd> {
  const { views, manifest, indexing, merger, chunkBytesMax, now } = environment
  const uid = plan.work.indexUid!
  const target = batchTarget(manifest, uid, plan.work.mayCreate)
  if (target === null) return uncommitted(allFailed(plan, indexNotFound(uid)))
  const { containsFilter, multimodal, network } = environment.features()
  const divided = environment.topology.shardsOf(plan.tasks[0]!.uid)
  const names = network ? (divided?.names ?? []) : null
  const gates = { contains: containsFilter, vectors: multimodal, shards: names }
  using batchOffer = merger.offer(target.index)
  using lease = views.lease(target.index)
  const embedding = embeddingSession(environment, target.settings.embedders, control)
  try {
    const view = lease?.ref ?? target.view
    // A write of a document that has expired is one of a document that does not exist.
    const before = expiredOf(target.settings, environment.wallMs)
    const own = plan.tasks.map(({ content }) => content as DocumentOperation)
    const operations = [...before, ...own]
    const offer = batchOffer.offer
    const job = { kind: 'documents', view, operations, gates, chunkBytesMax, offer } as const
    const request = divided === null ? job : { ...job, shards: divided }
    const result = await indexing.run(request, hooksOf(control, 'indexing', embedding))
    const outcomes = plan.tasks.map((task, i) =>
      outcomeOf(environment, task, result, before.length + i),
    )
    const parts = result.segments.length + result.tombstones.length
    const processed = result.added + result.updated + result.unchanged + result.deleted
    const congestion = processed === 0 ? {} : { writeChannelCongestion: congestionOf(parts) }
    const done = { ...congestion, ...requestsOf(embedding) }
    const built = { segments: result.segments, target }
    return await commitBatch(environment, control, { outcomes, ...done }, built, (state) => {
      const { index, created } = target
      const at = now()
      const follow = (segment: SegmentNo): SegmentNo => merger.follow(segment)
      const changes = documentChanges(state.indexes.get(index), index, result, follow)
      return [...created(at), ...changes, { kind: 'index-touched', index, at }]
    })
  } catch (error) {
    return failedWith(withIndexName(uid, error), plan, embedding)
  }
}

/** Returns the outcome of the task at position `at` of its batch. */
function outcomeOf(
  { kinds }: TaskEnvironment,
  { uid, content }: PlannedTask,
  result: DocumentsResult,
  at: number,
): TaskOutcome {
  const { documentCounts } = kinds.named(content.kind)
  assert(documentCounts !== undefined, 'only changes of documents are batched with them')
  const { fault, documents } = result.outcomes[at]!
  if (fault !== null) return { uid, error: fault, result: null }
  return { uid, error: null, result: documentCounts(documents) }
}
