// Finds documents similar to a given one: the nearest ones to its vectors · search semantics §12.5.
import { KiB } from '../../../format/bytes/index.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { JsonBuffer } from '../../../format/json/index.ts'
import { DEFAULT_SEARCH, EngineFault, type SimilarRequest } from '../../model/index.ts'
import type { Neighbour } from '../segments/index.ts'
import { answerBuffer, hitsTookTooLong } from './answer.ts'
import { filtered, readFilter } from './candidates.ts'
import { SearchControl, StepTimes, type Watch } from './control.ts'
import type { ForeignIndexes } from './foreign.ts'
import { HitWriter } from './hits.ts'
import { MemberWriter, writeText, writeTexts } from './json-text.ts'
import { HITS_MS_MAX } from './limits.ts'
import { controlOf } from './prepare.ts'
import type { SimilarJob } from './protocol.ts'
import { embedderOf } from './query-vector.ts'
import type { SearchableView } from './searchable-view.ts'
import { scoreBy } from './vectors.ts'

const COMMA = 0x2c
const BRACKET = 0x5b
const BRACKET_END = 0x5d

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
  embedderOf(view, embedder, 'invalid_similar_embedder')
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
  const among = universe.andNot(IdSet.of([target]))
  const { near, candidates } = similarTo(view, target, among, request)
  times.done('search > rank')
  const out = answerBuffer(4 * KiB)
  const members = new MemberWriter(out)
  const goOn = new SearchControl(HITS_MS_MAX, watch).checkpoint(HITS_MS_MAX, hitsTookTooLong)
  writeNear(view, near.slice(offset, offset + limit), request, members.begin('hits'), goOn)
  writeText(members.begin('id'), id)
  members.value('processingTimeMs', times.elapsedMs())
  members.value('limit', limit)
  members.value('offset', offset)
  const { maxTotalHits } = view.settings.pagination
  members.value('estimatedTotalHits', Math.min(candidates, maxTotalHits))
  if (request.showPerformanceDetails) {
    writeTexts(members.begin('performanceDetails'), times.texts())
  }
  members.end()
  return out.take()
}

type Similar = { readonly near: readonly Neighbour[]; readonly candidates: number }

/**
 * Returns the nearest documents, each once, with their scores, in order of similarity, even if
 * their scores are equal. The list ends before the first document below the threshold.
 */
function similarTo(
  view: SearchableView,
  target: number,
  among: IdSet,
  { embedder, offset, limit, rankingScoreThreshold: threshold }: SimilarRequest,
): Similar {
  const index = view.vectors(embedder)
  const score = scoreBy(view, embedder)
  const best = new Map<number, number>()
  // A vector of a fragment is compared with vectors of the same fragment; of vectors that the
  // documents contain, the first one is compared with first ones, the second one with second ones.
  for (const { slot, vector } of index.vectorsOf(target)) {
    for (const { id, similarity } of index.nearest(vector, among, offset + limit + 1, slot)) {
      best.set(id, Math.max(similarity, best.get(id) ?? 0))
    }
  }
  const near = [...best]
    .map(([id, similarity]) => ({ id, similarity }))
    .sort((a, b) => b.similarity - a.similarity || a.id - b.id)
    .map(({ id, similarity }) => ({ id, similarity: score(similarity) }))
  if (threshold === null) return { near, candidates: among.size }
  const end = near.findIndex(({ similarity }) => similarity < threshold)
  return end < 0 ? { near, candidates: among.size } : { near: near.slice(0, end), candidates: end }
}

/** Writes hits in the same form as a search. */
function writeNear(
  view: SearchableView,
  near: readonly Neighbour[],
  request: SimilarRequest,
  out: JsonBuffer,
  goOn: () => void,
): void {
  const writer = new HitWriter(view, { ...DEFAULT_SEARCH, ...request }, [], null)
  out.byte(BRACKET)
  near.forEach(({ id, similarity }, i) => {
    goOn()
    if (i > 0) out.byte(COMMA)
    writer.write({ id, scores: [{ kind: 'vectorSort', similarity }] }, out, null)
  })
  out.byte(BRACKET_END)
}
