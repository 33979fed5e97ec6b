// Merges answers of several network instances: of one search, or of a federated search.
import { CorruptionError, VersionError } from '../../../format/errors.ts'
import type { IndexUid } from '../../../format/ids.ts'
import {
  Canceled,
  EngineFault,
  type InlineRuleOutcomes,
  type InstancesMerge,
} from '../../model/index.ts'
import {
  countDistinct,
  type DistinctCount,
  encodeMerged,
  FacetOrders,
  type Facets,
  type FacetsByIndex,
  type FieldValues,
  facetsWithout,
  type HitList,
  hitsTookTooLong,
  MemberWriter,
  merge,
  mergedFacets,
  pageMembers,
  ReceivedAnswer,
  SORT_KEYS,
  searchBuffer,
  semanticHits,
  takeAnswer,
  windowOf,
  writeFacets,
  writeHits,
  writeText,
} from '../answers/index.ts'
import {
  HITS_MS_MAX,
  type InstancesJob,
  type SearchableView,
  SearchControl,
  type Watch,
} from '../jobs/index.ts'
import { metadataOf } from '../retrieval/index.ts'

/** The properties of an index that merging needs. */
export type MergedIndex = Pick<SearchableView, 'settings'> & {
  readonly ref: Pick<SearchableView['ref'], 'uid' | 'primaryKey'>
}

/** @throws EngineFault for answers that cannot be read or are too large together, Canceled */
export function runInstances(
  indexes: readonly MergedIndex[],
  { merge: request, sentAt, requestUid, queryUids }: Omit<InstancesJob, 'kind' | 'job' | 'views'>,
  watch: Watch,
): Uint8Array {
  const { federation, answers, remoteErrors } = request
  const byUid = new Map(indexes.map((index) => [index.ref.uid, index]))
  const page = windowOf(federation, Number.POSITIVE_INFINITY)
  const hitsMax = page.offset + page.limit
  const indexUids = new Set(request.queries.map(({ indexUid }) => indexUid))
  const distinctOf = (uid: IndexUid): string | null =>
    federation.distinct ?? byUid.get(uid)?.settings.distinctAttribute ?? null
  const parts = answers.map(({ bytes, remote, isOwn }, at) => {
    if (watch()) throw new Canceled()
    const isForMember = federation.merger?.by === 'member'
    const withDetails = isForMember && isOwn
    const { facetsByIndex } = federation
    const all = { withDetails, distinctOf, hitsMax, indexUids, facetsByIndex }
    return ofAnswer(at, () => new ReceivedAnswer(bytes, { remote, isOwn, ...all }))
  })
  const answer = merge(parts, page)
  if (federation.merger?.form === 'partial') return encodeMerged(answer)
  const out = searchBuffer()
  const members = new MemberWriter(out)
  const [query] = request.queries
  if (request.kind === 'listed') writeText(members.begin('indexUid'), query!.indexUid)
  const goOn = new SearchControl(HITS_MS_MAX, watch).checkpoint(HITS_MS_MAX, hitsTookTooLong)
  writeReceived(parts, () => writeHits(answer, members.begin('hits'), goOn))
  const isSingle = request.kind !== 'federated'
  if (isSingle) writeText(members.begin('query'), query!.q ?? '')
  writeQueryVectors(members, parts, isSingle)
  const slowest = Math.max(0, ...parts.map(({ processingTimeMs }) => processingTimeMs))
  members.value('processingTimeMs', Math.max(slowest, Math.floor(Date.now() - sentAt)))
  const rejected = answer.parts.map((part) => part.rejected)
  const counted =
    (request.queries.length === 1 ? countDistinct(parts) : null) ?? countEach(parts, rejected)
  const pages = pageMembers(federation, counted.total)
  for (const [name, value] of Object.entries(pages)) members.value(name, value)
  writeAllFacets(members, request, counted.facets, byUid)
  members.value('requestUid', requestUid)
  if (queryUids !== null) {
    const network = { self: request.self, remoteErrors }
    const outcomes = outcomesOf(parts)
    const all = request.queries.map(({ indexUid, q, position }, at) => {
      const key = byUid.get(indexUid)?.ref.primaryKey ?? null
      return metadataOf(indexUid, key, q, queryUids[at]!, network, outcomes.get(position) ?? null)
    })
    members.value('metadata', isSingle ? all[0] : all)
  }
  if (federation.showPerformanceDetails) members.value('performanceDetails', {})
  members.value('remoteErrors', remoteErrors)
  if (parts.some(({ isSemantic }) => isSemantic))
    members.value('semanticHitCount', semanticHits(answer))
  members.end()
  return takeAnswer(out)
}

/** The first instance that sent a query's vector counts, because all have the same embedders. */
function writeQueryVectors(
  members: MemberWriter,
  parts: readonly ReceivedAnswer[],
  isSingle: boolean,
): void {
  const all = Object.assign({}, ...parts.map(({ queryVectors }) => queryVectors).reverse())
  const [first] = Object.values(all)
  if (first === undefined) return
  if (isSingle) members.value('queryVector', first)
  else members.value('queryVectors', all)
}

/** The first instance that sent a query's outcomes counts. */
const outcomesOf = (parts: readonly ReceivedAnswer[]): ReadonlyMap<number, InlineRuleOutcomes> =>
  new Map(
    parts
      .flatMap(({ inlineRules }) => Object.entries(inlineRules))
      .reverse()
      .map(([query, outcomes]) => [Number(query), outcomes]),
  )

/** Writes hits, which are checked meanwhile. @throws EngineFault that names the answer of a bad one */
function writeReceived(parts: readonly ReceivedAnswer[], write: () => void): void {
  try {
    write()
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error
    for (const [at, part] of parts.entries()) ofAnswer(at, () => part.checkHits())
    throw error
  }
}

/** @throws EngineFault remote_bad_response, about the answer `at`, if it is not valid */
function ofAnswer<T>(at: number, work: () => T): T {
  try {
    return work()
  } catch (error) {
    const isTheirs = error instanceof CorruptionError || error instanceof VersionError
    if (!isTheirs) throw error
    const lacksScores = error instanceof CorruptionError && error.at.section === SORT_KEYS
    throw new EngineFault('remote_bad_response', error.message, { kind: 'answer', at, lacksScores })
  }
}

function writeAllFacets(
  members: MemberWriter,
  { federation, kind }: InstancesMerge,
  parts: readonly FacetsByIndex[],
  byUid: ReadonlyMap<IndexUid, MergedIndex>,
): void {
  const uids = new Set(parts.flatMap(({ facetsByIndex }) => [...facetsByIndex.keys()]))
  if (uids.size === 0) return
  const { mergeFacets } = federation
  const isMerged = mergeFacets !== null && kind === 'federated'
  const merged = [...uids].sort().map((uid): readonly [IndexUid, Facets] => {
    const each = parts.flatMap(({ facetsByIndex }) => facetsByIndex.get(uid) ?? [])
    const view = byUid.get(uid)
    const limit = isMerged ? null : (view?.settings.faceting.maxValuesPerFacet ?? null)
    const orders = ordersOf(each, view === undefined ? [] : [view])
    return [uid, mergedFacets(each, orders, limit, 'instances')]
  })
  if (isMerged) {
    const each = merged.map(([, facets]) => facets)
    const orders = ordersOf(
      each,
      [...uids].flatMap((uid) => byUid.get(uid) ?? []),
    )
    writeFacets(members, mergedFacets(each, orders, mergeFacets.maxValuesPerFacet))
    return
  }
  if (kind !== 'federated') {
    for (const [, facets] of merged) writeFacets(members, facets)
    return
  }
  const indexes = new MemberWriter(members.begin('facetsByIndex'))
  for (const [uid, facets] of merged) {
    const index = new MemberWriter(indexes.begin(uid))
    writeFacets(index, facets, ['distribution', 'stats'])
    index.end()
  }
  indexes.end()
}

/** The order of each field's values. @throws EngineFault if indexes disagree */
function ordersOf(facets: readonly Facets[], views: readonly MergedIndex[]): FacetOrders {
  const orders = new FacetOrders()
  const counted = new Map(facets.flatMap((one) => [...one.counted]))
  for (const view of views) orders.add(view, [...counted.values()])
  return orders
}

/**
 * Counts each part by itself, without the hits that merging left out. This is exact if the page
 * reaches the last hit; otherwise it is an estimate, because hits that were not sent may be
 * duplicates.
 */
function countEach(
  parts: readonly ReceivedAnswer[],
  rejected: readonly (readonly number[])[],
): DistinctCount {
  const each = parts.map((part, i) => {
    const places = rejected[i]!
    const own = countDistinct([part])
    const total = own === null ? part.total(places) : Math.max(0, own.total - places.length)
    return { total, facets: withoutRejected(part, own?.facets[0] ?? part, places) }
  })
  return {
    total: each.reduce((sum, one) => sum + one.total, 0),
    facets: each.map(({ facets }) => facets),
  }
}

/** Subtracts the hits that merging left out from the facets of their instance. */
function withoutRejected(
  part: ReceivedAnswer,
  counted: FacetsByIndex,
  rejected: readonly number[],
): FacetsByIndex {
  if (rejected.length === 0) return counted
  // All documents that count are hits, so that the values of all of them are known.
  const isWhole = part.total([]) === part.hits.length + part.pinned.length
  const places = new Set(rejected)
  const left = [...counted.facetsByIndex].map(([uid, facets]) => {
    const ranked = valuesIn(part.hits, uid)
    const without = ranked.filter((_, at) => places.has(at)).flatMap(given)
    const kept = ranked.filter((_, at) => !places.has(at))
    const all = isWhole ? [...kept, ...valuesIn(part.pinned, uid)].flatMap(given) : null
    return [uid, facetsWithout(facets, without, all)] as const
  })
  return { facetsByIndex: new Map(left) }
}

/** Returns the values of each hit of an index, at the positions of the hits. */
const valuesIn = (hits: HitList, uid: IndexUid): readonly (FieldValues | null)[] =>
  Array.from({ length: hits.length }, (_, at) =>
    hits.indexUidAt(at) === uid ? hits.valuesAt(at) : null,
  )

const given = (values: FieldValues | null): readonly FieldValues[] =>
  values === null ? [] : [values]
