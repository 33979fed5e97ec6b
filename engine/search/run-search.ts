// A search from top to bottom: read the request, find the candidates, rank them, write the answer.
//
//   checks (request, then index) → universe (filter) → query → ranking → hits → facets → JSON
import { JsonBuffer } from '../../format/json/index.ts'
import type { Ranking } from '../rank/index.ts'
import { StepTimes } from './control.ts'
import { type Facets, facetFields, facetsOf, writeFacets } from './facets.ts'
import { HitWriter } from './hits.ts'
import { MemberWriter, writeText, writeTexts } from './json-text.ts'
import { type Query, rankKeywords, readQuery } from './keywords.ts'
import { pageMembers, pageOf } from './pagination.ts'
import { controlOf, metadataOf, type Prepared, prepare } from './prepare.ts'
import type { SearchJob } from './protocol.ts'
import type { SearchableView } from './searchable-view.ts'

/** Answers a search. @throws EngineFault, StorageError, SearchCanceled */
export function runSearch(
  view: SearchableView,
  job: SearchJob,
  isCanceled: () => boolean,
): Uint8Array {
  const times = new StepTimes()
  times.add('wait in queue', Math.max(0, Date.now() - job.sentAt))
  const { request } = job
  const page = pageOf(request, view.settings.pagination.maxTotalHits)
  const prepared = prepare(view, request, job.features)
  const { sort, scope, distinctField, universe } = prepared
  times.done('search > filter')
  const query = readQuery(view, request, scope)
  times.done('search > tokenize query')
  const ranking = rankKeywords(view, request, query, universe, {
    page,
    sort,
    distinctField,
    withScores: request.showRankingScore || request.showRankingScoreDetails,
    control: controlOf(view, isCanceled),
  })
  times.done('search > rank')
  const fields = request.facets === null ? [] : facetFields(view, request.facets)
  const asked = request.facets !== null && request.facets.length > 0
  const facets = asked ? facetsOf(view, fields, ranking.candidates) : null
  times.done('search > facets')
  return answer(view, job, { prepared, query, ranking, facets, times })
}

type Found = {
  readonly prepared: Prepared
  readonly query: Query
  readonly ranking: Ranking
  readonly facets: Facets | null
  readonly times: StepTimes
}

function answer(
  view: SearchableView,
  job: SearchJob,
  { prepared, query, ranking, facets, times }: Found,
): Uint8Array {
  const { request } = job
  const out = new JsonBuffer(16 * 1024)
  const members = new MemberWriter(out)
  const writer = new HitWriter(view, request, prepared.sort, query.graph)
  writer.writeAll(ranking.hits, members.begin('hits'))
  times.done('search > format hits')
  writeText(members.begin('query'), request.q ?? '')
  members.value('processingTimeMs', Math.max(0, Math.floor(Date.now() - job.sentAt)))
  const pages = pageMembers(request, ranking.candidates.size)
  for (const [name, value] of Object.entries(pages)) members.value(name, value)
  if (facets !== null) writeFacets(members, facets)
  members.value('requestUid', job.requestUid)
  if (job.queryUid !== null) {
    const { uid, primaryKey } = view.ref
    members.value('metadata', metadataOf(uid, primaryKey, request.q, job.queryUid))
  }
  if (request.showPerformanceDetails) {
    writeTexts(members.begin('performanceDetails'), times.texts())
  }
  if (prepared.kind !== 'keyword') members.value('semanticHitCount', 0)
  members.end()
  return out.finish()
}
