// Documents that are similar to one. No embedder has made
// a vector yet: a document without one has nothing that is similar to it, but those that could be
// are counted.
import type { IdSet } from '../../../format/idset/index.ts'
import { JsonBuffer } from '../../../format/json/index.ts'
import { EngineFault } from '../../model/index.ts'
import { filtered, readFilter } from './candidates.ts'
import { StepTimes, type Watch } from './control.ts'
import type { ForeignIndexes } from './foreign.ts'
import { MemberWriter, writeText, writeTexts } from './json-text.ts'
import { controlOf } from './prepare.ts'
import type { SimilarJob } from './protocol.ts'
import type { SearchableView } from './searchable-view.ts'

/** Answers with hits, most similar first. @throws EngineFault, StorageError */
export function runSimilar(
  view: SearchableView,
  job: SimilarJob,
  watch: Watch,
  foreign: ForeignIndexes | null,
): Uint8Array {
  const times = new StepTimes()
  times.add('wait in queue', Math.max(0, Date.now() - job.sentAt))
  const { request, features } = job
  const { id, embedder, offset, limit } = request
  if (!Object.hasOwn(view.settings.embedders, embedder)) {
    const words = `Cannot find embedder with name \`${embedder}\`.`
    throw new EngineFault('invalid_similar_embedder', words)
  }
  const { uid } = view.ref
  const control = controlOf(view, watch)
  const others = foreign?.filtersOf(view, control) ?? null
  const passing = (filter: unknown): IdSet => {
    const tree = readFilter(filter, 'similar', uid, features, control)
    return filtered(view, tree, 'similar', control, others)
  }
  const universe = passing(request.filter)
  const target = view.view.idOf(Buffer.from(id))
  const seen = passing(request.within)
  if (target < 0 || !seen.has(target)) {
    throw new EngineFault('not_found_similar_id', `Document \`${id}\` not found.`)
  }
  times.done('search > filter')
  const candidates = universe.size - (universe.has(target) ? 1 : 0)
  const out = new JsonBuffer(256)
  const members = new MemberWriter(out)
  members.value('hits', [])
  writeText(members.begin('id'), id)
  members.value('processingTimeMs', Math.max(0, Math.floor(Date.now() - job.sentAt)))
  members.value('limit', limit)
  members.value('offset', offset)
  const { maxTotalHits } = view.settings.pagination
  members.value('estimatedTotalHits', Math.min(candidates, maxTotalHits))
  if (request.showPerformanceDetails) {
    writeTexts(members.begin('performanceDetails'), times.texts())
  }
  members.end()
  return out.finish()
}
