// A search from top to bottom: read the request, find the candidates, rank them, write the answer.
//
//   checks (request, then index) → universe (filter) → query → ranking → hits → facets → JSON
//
// Faults come in the order in which clients have always met them: what is wrong with the request by
// itself, then attributes searched on, the distinct field, the filter, the sort, the facets.
import { JsonBuffer } from '../../format/json/index.ts'
import type { SearchRequest } from '../api.ts'
import { EngineFault } from '../errors.ts'
import { checkDistinct, checkSortable, parseSort, type SortTree } from '../filter/index.ts'
import type { Ranking } from '../rank/index.ts'
import { SEARCH_CUTOFF_MS_DEFAULT } from '../settings/index.ts'
import { filtered, readFilter } from './candidates.ts'
import { SearchControl, StepTimes } from './control.ts'
import { type Facets, facetFields, facetsOf, writeFacets } from './facets.ts'
import { HitWriter } from './hits.ts'
import { MemberWriter, writeText } from './json-text.ts'
import { type Query, rankKeywords, readQuery } from './keywords.ts'
import { kindOf, type SearchKind } from './kind.ts'
import { type Page, pageMembers, pageOf } from './pagination.ts'
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
  const kind = kindOf(request)
  const page = pageOf(request, view.settings.pagination.maxTotalHits)
  const tree = readFilter(request.filter, 'search', view.ref.uid, job.features)
  const sort = parseSort(request.sort ?? [], 'invalid_search_sort')
  checkEmbedder(view, request, kind)
  const scope = view.search.scope(view.ref.uid, request.attributesToSearchOn)
  const distinctField = readDistinct(view, request)
  const universe = filtered(view, tree, 'search')
  checkSort(view, sort)
  times.done('search > filter')
  const query = readQuery(view, request, scope)
  times.done('search > tokenize query')
  const cutoff = view.settings.searchCutoffMs ?? SEARCH_CUTOFF_MS_DEFAULT
  const ranking = rankKeywords(view, request, query, universe, {
    page,
    sort,
    distinctField,
    withScores: request.showRankingScore || request.showRankingScoreDetails,
    control: new SearchControl(performance.now() + cutoff, isCanceled),
  })
  times.done('search > rank')
  const fields = request.facets === null ? [] : facetFields(view, request.facets)
  const asked = request.facets !== null && request.facets.length > 0
  const facets = asked ? facetsOf(view, fields, ranking.candidates) : null
  times.done('search > facets')
  return answer(view, job, kind, { page, sort, query, ranking, facets, times })
}

type Found = {
  readonly page: Page
  readonly sort: SortTree
  readonly query: Query
  readonly ranking: Ranking
  readonly facets: Facets | null
  readonly times: StepTimes
}

function answer(
  view: SearchableView,
  job: SearchJob,
  kind: SearchKind,
  { sort, query, ranking, facets, times }: Found,
): Uint8Array {
  const { request } = job
  const out = new JsonBuffer(16 * 1024)
  const members = new MemberWriter(out)
  new HitWriter(view, request, sort, query.graph).write(ranking.hits, members.begin('hits'))
  times.done('search > format hits')
  writeText(members.begin('query'), request.q ?? '')
  members.value('processingTimeMs', Math.max(0, Math.floor(Date.now() - job.sentAt)))
  const pages = pageMembers(request, ranking.candidates.size)
  for (const [name, value] of Object.entries(pages)) members.value(name, value)
  if (facets !== null) writeFacets(members, facets)
  members.value('requestUid', job.requestUid)
  if (job.queryUid !== null) members.value('metadata', metadata(view, request, job.queryUid))
  if (request.showPerformanceDetails) {
    const details = new MemberWriter(members.begin('performanceDetails'))
    for (const [step, text] of times.texts()) writeText(details.begin(step), text)
    details.end()
  }
  if (kind !== 'keyword') members.value('semanticHitCount', 0)
  members.end()
  return out.finish()
}

function metadata({ ref }: SearchableView, { q }: SearchRequest, queryUid: string): object {
  return {
    ...(q === null ? {} : { query: q }),
    queryUid,
    indexUid: ref.uid,
    ...(ref.primaryKey === null ? {} : { primaryKey: ref.primaryKey }),
  }
}

/** @throws EngineFault for a search that needs an embedder there is not */
function checkEmbedder(view: SearchableView, { hybrid }: SearchRequest, kind: SearchKind): void {
  if (kind === 'keyword' || hybrid === null) return
  const name = hybrid.embedder
  if (!Object.hasOwn(view.settings.embedders, name)) {
    throw new EngineFault('invalid_search_embedder', `Cannot find embedder with name \`${name}\`.`)
  }
  if (kind === 'hybrid') return
  const words = 'Error while generating embeddings: no document of the index has vectors.'
  throw new EngineFault('vector_embedding_error', words)
}

/** The field of which each value is shown once. @throws EngineFault invalid_search_distinct */
function readDistinct(view: SearchableView, { distinct }: SearchRequest): string | null {
  if (distinct === null) return view.settings.distinctAttribute
  const { displayedAttributes } = view.settings
  checkDistinct(distinct, view.filterRules, displayedAttributes, view.ref.uid)
  return distinct
}

function checkSort(view: SearchableView, sort: SortTree): void {
  const { sortableAttributes, displayedAttributes, rankingRules } = view.settings
  checkSortable(sort, {
    code: 'invalid_search_sort',
    sortableAttributes,
    displayedAttributes,
    rankingRules,
    indexUid: view.ref.uid,
  })
}
