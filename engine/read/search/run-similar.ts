// Finds documents similar to a given one: the nearest ones to its vectors
// (docs/search-semantics.md#similar-documents).
import { BRACKET, BRACKET_END, COMMA, KiB } from '../../../format/bytes/index.ts'
import type { DocId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { JsonBuffer } from '../../../format/json/index.ts'
import {
  DEFAULT_SEARCH,
  EngineFault,
  type SimilarRequest,
  type SlottedVector,
} from '../../model/index.ts'
import {
  answerBuffer,
  HitWriter,
  hitsTookTooLong,
  MemberWriter,
  writeText,
  writeTexts,
} from '../answers/index.ts'
import {
  HITS_MS_MAX,
  type SearchableView,
  SearchControl,
  type SimilarJob,
  StepTimes,
  type Watch,
} from '../jobs/index.ts'
import {
  controlOf,
  embedderOf,
  type ForeignIndexes,
  filtered,
  ofShards,
  readFilter,
  requireDimensions,
  scoreBy,
  withTies,
} from '../retrieval/index.ts'
import { compareExternalIds, type Neighbour } from '../segments/index.ts'

/**
 * Answers with hits, most similar first, or with the result of one step of a network's answer.
 * @throws EngineFault, StorageError
 */
export function runSimilar(
  view: SearchableView,
  job: SimilarJob,
  watch: Watch,
  foreign: ForeignIndexes | null,
): Uint8Array {
  const times = new StepTimes()
  times.add('wait in queue', Math.max(0, Date.now() - job.sentAt))
  const { request, features } = job
  const { id, embedder, offset, limit, step } = request
  const spec = embedderOf(view, embedder, 'invalid_similar_embedder')
  const { uid } = view.ref
  const control = controlOf(view, watch)
  const others = foreign?.filtersOf(view, control) ?? null
  const passing = (filter: unknown): IdSet => {
    const tree = readFilter(filter, 'similar', uid, features, control)
    return filtered(view, tree, 'similar', control, others)
  }
  const universe = passing(request.filter)
  const target = view.view.idOf(Buffer.from(id))
  const isPart = step?.kind === 'part'
  if (isPart) for (const { vector } of step.vectors) requireDimensions(view, spec, vector.length)
  if (!isPart && (target < 0 || !passing(request.within).has(target))) {
    throw new EngineFault('not_found_similar_id', `Document \`${id}\` not found.`)
  }
  times.done('search > filter')
  const vectors = isPart ? step.vectors : view.vectors(embedder).vectorsOf(target)
  if (step?.kind === 'target') return targetJson(vectors)
  const whole = target < 0 ? universe : universe.andNot(IdSet.of([target]))
  const shards = isPart ? step.shards : null
  const among = shards === null ? whole : ofShards(view, shards, whole)
  const { near, isCut } = similarTo(view, vectors, among, request)
  times.done('search > rank')
  const out = answerBuffer(4 * KiB)
  const members = new MemberWriter(out)
  const goOn = new SearchControl(HITS_MS_MAX, watch).checkpoint(HITS_MS_MAX, hitsTookTooLong)
  if (isPart) {
    writeNear(view, near.slice(0, offset + limit), request, members.begin('results'), goOn)
    members.value('total', among.size)
    if (request.rankingScoreThreshold !== null) {
      members.value('above', near.length)
      members.value('isCut', isCut)
    }
    members.end()
    return out.take()
  }
  writeNear(view, near.slice(offset, offset + limit), request, members.begin('hits'), goOn)
  writeText(members.begin('id'), id)
  members.value('processingTimeMs', times.elapsedMs())
  members.value('limit', limit)
  members.value('offset', offset)
  const { maxTotalHits } = view.settings.pagination
  const found = isCut ? near.length : among.size
  members.value('estimatedTotalHits', Math.min(found, maxTotalHits))
  if (request.showPerformanceDetails) {
    writeTexts(members.begin('performanceDetails'), times.texts())
  }
  members.end()
  return out.take()
}

/**
 * Encodes vectors as JSON; 32-bit floats are written with enough digits to be read back unchanged.
 */
const targetJson = (vectors: readonly SlottedVector[]): Uint8Array =>
  Buffer.from(JSON.stringify(vectors.map(({ slot, vector }) => ({ slot, vector: [...vector] }))))

/** `similarity` orders documents; `score` is shown in hits. */
type NearDocument = Neighbour & { readonly score: number }

/** `isCut`: true if the threshold has ended the list. */
type Similar = { readonly near: readonly NearDocument[]; readonly isCut: boolean }

/**
 * Returns the nearest documents, each once, with their scores, in order of similarity, even if
 * their scores are equal. The list ends before the first document below the threshold.
 */
function similarTo(
  view: SearchableView,
  vectors: readonly SlottedVector[],
  among: IdSet,
  request: SimilarRequest,
): Similar {
  const { embedder, offset, limit, rankingScoreThreshold: threshold, step } = request
  const score = scoreBy(view, embedder)
  const index = view.vectors(embedder)
  const best = new Map<number, number>()
  // A vector of a fragment is compared with vectors of the same fragment; of vectors that the
  // documents contain, the first one is compared with first ones, the second one with second ones.
  for (const { slot, vector } of vectors) {
    const find = (count: number): readonly Neighbour[] => index.nearest(vector, among, count, slot)
    const wanted = offset + limit + 1
    for (const { id, similarity } of step === undefined ? find(wanted) : withTies(find, wanted)) {
      best.set(id, Math.max(similarity, best.get(id) ?? 0))
    }
  }
  const near = [...best]
    .map(([id, similarity]) => ({ id, similarity, score: score(similarity) }))
    .sort((a, b) => b.similarity - a.similarity || inOrder(view, a, b, step !== undefined))
  const end = threshold === null ? -1 : near.findIndex((one) => one.score < threshold)
  return end < 0 ? { near, isCut: false } : { near: near.slice(0, end), isCut: true }
}

/** Breaks ties: by id within one instance, by external id in a network. */
function inOrder(
  { view }: SearchableView,
  { id: a }: Neighbour,
  { id: b }: Neighbour,
  isOfNetwork: boolean,
): number {
  return isOfNetwork ? compareExternalIds(view.externalId(a)!, view.externalId(b)!) : a - b
}

/** Writes hits in the same form as a search. */
function writeNear(
  view: SearchableView,
  near: readonly NearDocument[],
  request: SimilarRequest,
  out: JsonBuffer,
  goOn: () => void,
): void {
  const writer = new HitWriter(view, { ...DEFAULT_SEARCH, ...request }, [], null)
  out.byte(BRACKET)
  near.forEach(({ id, similarity, score }, i) => {
    goOn()
    if (i > 0) out.byte(COMMA)
    const origin = request.step === undefined ? null : originOf(view, id, similarity)
    writer.write({ id, scores: [{ kind: 'vectorSort', similarity: score }] }, out, origin)
  })
  out.byte(BRACKET_END)
}

/** The origin of a hit for the merging instance: its similarity and its external id. */
function originOf({ view }: SearchableView, id: DocId, similarity: number): string {
  const externalId = Buffer.from(view.externalId(id)!).toString()
  return JSON.stringify({ weightedScoreValues: [{ weightedScore: similarity }], externalId })
}
