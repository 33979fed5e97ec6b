// A search from top to bottom: read the request, find the candidates, rank them, write the answer.
//
//   checks (request, then index) → universe (filter) → query → ranking → hits → facets → JSON
import type { SearchRequest } from '../../model/index.ts'
import type { SearchRule } from '../rules/index.ts'
import { answerBuffer, hitsTookTooLong } from './answer.ts'
import { type SearchControl, StepTimes, type Watch } from './control.ts'
import { type Facets, facetFields, facetsOf, writeFacets } from './facets.ts'
import { indexNotFound, ofQuery, placing } from './faults.ts'
import type { ForeignIndexes } from './foreign.ts'
import { HitWriter } from './hits.ts'
import { MemberWriter, writeText, writeTexts } from './json-text.ts'
import { type Query, rankKeywords, readQuery } from './keywords.ts'
import { HITS_MS_MAX } from './limits.ts'
import { pageMembers, pageOf } from './pagination.ts'
import { pageBefore, pinsOf, withPins } from './pins.ts'
import { controlOf, metadataOf, type Prepared, prepare, timeOfAll } from './prepare.ts'
import type { SearchesJob, SearchJob } from './protocol.ts'
import type { SearchableView } from './searchable-view.ts'

const COMMA = 0x2c

/** A search as a thread is asked for it. */
type Asked = Pick<SearchJob, 'request' | 'features' | 'requestUid' | 'queryUid' | 'sentAt'> & {
  /** Active ones in their order. */
  readonly rules: readonly SearchRule[]
  /** null: nothing is reached over foreign keys. */
  readonly foreign: ForeignIndexes | null
}

/** Answers a search. @throws EngineFault, StorageError, SearchCanceled */
export function runSearch(
  view: SearchableView,
  job: SearchJob,
  rules: readonly SearchRule[],
  watch: Watch,
  foreign: ForeignIndexes | null,
): Uint8Array {
  const out = answerBuffer(16 * 1024)
  writeSearch(view, { ...job, rules, foreign }, controlOf(view, watch), new MemberWriter(out))
  return out.take()
}

/**
 * Answers several searches: objects with commas between them, each led by the name of its index.
 * @throws EngineFault with the position of the search, StorageError, SearchCanceled
 */
export function runSearches(
  views: readonly SearchableView[],
  { searches, first, queryUids, ...job }: SearchesJob,
  rules: readonly SearchRule[],
  watch: Watch,
  foreign: ForeignIndexes | null,
): Uint8Array {
  const out = answerBuffer(16 * 1024 * searches.length)
  const timeLeft = timeOfAll()
  searches.forEach(({ indexUid, request }, i) => {
    if (i > 0) out.byte(COMMA)
    placing(ofQuery(first + i), '', () => {
      const view = views.find(({ ref }) => ref.uid === indexUid)
      if (view === undefined) throw indexNotFound(indexUid)
      // The first one has waited for its thread, the others for the first one.
      const sentAt = i === 0 ? job.sentAt : Date.now()
      const queryUid = queryUids === null ? null : queryUids[i]!
      const members = new MemberWriter(out)
      writeText(members.begin('indexUid'), indexUid)
      const asked = { ...job, rules, foreign, request, queryUid, sentAt }
      writeSearch(view, asked, controlOf(view, watch, timeLeft()), members)
    })
  })
  return out.take()
}

function writeSearch(
  view: SearchableView,
  asked: Asked,
  control: SearchControl,
  members: MemberWriter,
): void {
  const times = new StepTimes()
  times.add('wait in queue', Math.max(0, Date.now() - asked.sentAt))
  const { request } = asked
  const page = pageOf(request, view.settings.pagination.maxTotalHits)
  const prepared = prepare(view, request, asked.features, control, asked.foreign)
  const { sort, scope, distinctField, universe } = prepared
  const pins = pinsOf(view, { ...asked, ...prepared })
  times.done('search > filter')
  const query = readQuery(view, request, scope)
  times.done('search > tokenize query')
  const ranked = rankKeywords(view, request, query, universe.andNot(pins.ids), {
    page: pageBefore(page, pins),
    sort,
    distinctField,
    withScores: needsScores(request),
    control,
  })
  const ranking = withPins(ranked, pins, page)
  times.done('search > rank')
  const fields = request.facets === null ? [] : facetFields(view, request.facets)
  const withFacets = request.facets !== null && request.facets.length > 0
  const facets = withFacets ? facetsOf(view, fields, ranking.candidates, control) : null
  times.done('search > facets')
  const goOn = control.checkpoint(HITS_MS_MAX, hitsTookTooLong)
  writeAnswer(view, asked, { prepared, query, ranking, facets, times }, goOn, members)
}

const needsScores = (request: SearchRequest): boolean =>
  request.showRankingScore || request.showRankingScoreDetails || request.network !== undefined

type Found = {
  readonly prepared: Prepared
  readonly query: Query
  readonly ranking: ReturnType<typeof withPins>
  readonly facets: Facets | null
  readonly times: StepTimes
}

function writeAnswer(
  view: SearchableView,
  { request, requestUid, queryUid, sentAt, foreign }: Asked,
  { prepared, query, ranking, facets, times }: Found,
  goOn: () => void,
  members: MemberWriter,
): void {
  const writer = new HitWriter(view, request, prepared.sort, query.graph, foreign)
  writer.writeAll(ranking.hits, members.begin('hits'), goOn)
  times.done('search > format hits')
  writeText(members.begin('query'), request.q ?? '')
  members.value('processingTimeMs', Math.max(0, Math.floor(Date.now() - sentAt)))
  const pages = pageMembers(request, ranking.candidates.size)
  for (const [name, value] of Object.entries(pages)) members.value(name, value)
  if (facets !== null) writeFacets(members, facets)
  members.value('requestUid', requestUid)
  if (queryUid !== null) {
    const { uid, primaryKey } = view.ref
    members.value('metadata', metadataOf(uid, primaryKey, request.q, queryUid, request.network))
  }
  if (request.showPerformanceDetails) {
    writeTexts(members.begin('performanceDetails'), times.texts())
  }
  if (request.network !== undefined) members.value('remoteErrors', request.network.remoteErrors)
  if (prepared.kind !== 'keyword') members.value('semanticHitCount', 0)
  members.end()
}
