// Merges answers of several network instances: of one search, or of a federated search.
import { KiB } from '../../../format/bytes/index.ts'
import { CorruptionError, VersionError } from '../../../format/errors.ts'
import { Canceled, EngineFault, type InstancesMerge } from '../../model/index.ts'
import { normalizeFacet } from '../../text/index.ts'
import { answerBuffer, hitsTookTooLong, writeHits } from './answer.ts'
import { SearchControl, type Watch } from './control.ts'
import { type Facets, writeFacets } from './facets.ts'
import { MemberWriter, writeText } from './json-text.ts'
import { HITS_MS_MAX } from './limits.ts'
import { merge, semanticHits } from './merge.ts'
import { countDistinct, type DistinctCount, type FacetsByIndex } from './merge-distinct.ts'
import { FacetOrders, mergedFacets } from './merge-facets.ts'
import { pageMembers, windowOf } from './pagination.ts'
import { encodeMerged } from './partial-json.ts'
import { metadataOf } from './prepare.ts'
import type { InstancesJob } from './protocol.ts'
import { type Expected, ReceivedAnswer } from './received-answer.ts'
import type { SearchableView } from './searchable-view.ts'

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
  const distinctOf = (uid: string): string | null =>
    federation.distinct ?? byUid.get(uid)?.settings.distinctAttribute ?? null
  const parts = answers.map(({ bytes, remote, isOwn }, at) => {
    if (watch()) throw new Canceled()
    const withDetails = federation.isProxied === true && isOwn
    return readAnswer(bytes, at, {
      remote,
      withDetails,
      isOwn,
      distinctOf,
      hitsMax,
      indexUids,
    })
  })
  const answer = merge(parts, page)
  if (federation.isPartial === true) return encodeMerged(answer)
  const out = answerBuffer(16 * KiB)
  const members = new MemberWriter(out)
  if (request.leadingIndexUid !== undefined) {
    writeText(members.begin('indexUid'), request.leadingIndexUid)
  }
  const goOn = new SearchControl(HITS_MS_MAX, watch).checkpoint(HITS_MS_MAX, hitsTookTooLong)
  writeHits(answer, members.begin('hits'), goOn)
  const isPlain = request.queries.length === 1 && request.isPlain
  if (isPlain) writeText(members.begin('query'), request.queries[0]!.q ?? '')
  writeQueryVectors(members, parts, isPlain)
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
    const all = request.queries.map(({ indexUid, q }, at) => {
      const key = byUid.get(indexUid)?.ref.primaryKey ?? null
      return metadataOf(indexUid, key, q, queryUids[at]!, { self: request.self, remoteErrors })
    })
    members.value('metadata', isPlain ? all[0] : all)
  }
  if (federation.showPerformanceDetails) members.value('performanceDetails', {})
  members.value('remoteErrors', remoteErrors)
  if (parts.some(({ isSemantic }) => isSemantic))
    members.value('semanticHitCount', semanticHits(answer))
  members.end()
  return out.take()
}

/** The first instance that sent a query's vector counts, because all have the same embedders. */
function writeQueryVectors(
  members: MemberWriter,
  parts: readonly ReceivedAnswer[],
  isPlain: boolean,
): void {
  const all = Object.assign({}, ...parts.map(({ queryVectors }) => queryVectors).reverse())
  const [first] = Object.values(all)
  if (first === undefined) return
  if (isPlain) members.value('queryVector', first)
  else members.value('queryVectors', all)
}

/** `at`: position of the answer, included in the fault. @throws EngineFault remote_bad_response */
function readAnswer(bytes: Uint8Array, at: number, expected: Expected): ReceivedAnswer {
  try {
    return new ReceivedAnswer(bytes, expected)
  } catch (error) {
    const isTheirs = error instanceof CorruptionError || error instanceof VersionError
    if (!isTheirs) throw error
    throw new EngineFault('remote_bad_response', `${at}\u0000${error.message}`)
  }
}

function writeAllFacets(
  members: MemberWriter,
  { federation, isPlain }: InstancesMerge,
  parts: readonly FacetsByIndex[],
  byUid: ReadonlyMap<string, MergedIndex>,
): void {
  const uids = new Set(parts.flatMap(({ facetsByIndex }) => [...facetsByIndex.keys()]))
  if (uids.size === 0) return
  if (federation.mergeFacets !== null && !isPlain) {
    const each = parts.flatMap(({ facetsByIndex }) => [...facetsByIndex.values()])
    const orders = ordersOf(
      each,
      [...uids].flatMap((uid) => byUid.get(uid) ?? []),
    )
    const { maxValuesPerFacet } = federation.mergeFacets
    writeFacets(members, mergedFacets(each, orders, maxValuesPerFacet, 'larger'))
    return
  }
  const merged = [...uids].sort().map((uid): readonly [string, Facets] => {
    const each = parts.flatMap(({ facetsByIndex }) => facetsByIndex.get(uid) ?? [])
    const view = byUid.get(uid)
    const limit = view?.settings.faceting.maxValuesPerFacet ?? null
    const orders = ordersOf(each, view === undefined ? [] : [view])
    return [uid, mergedFacets(each, orders, limit, 'larger')]
  })
  if (isPlain) {
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
  const fields = [...new Set(facets.flatMap(({ distribution }) => [...distribution.keys()]))]
  for (const view of views) orders.add(view, fields)
  return orders
}

/** Counts each part by itself, without the hits that merging left out: an estimate. */
function countEach(
  parts: readonly ReceivedAnswer[],
  rejected: readonly (readonly number[])[],
): DistinctCount {
  const each = parts.map((part, i) => {
    const own = countDistinct([part])
    if (own === null) return { total: part.total(rejected[i]!), facets: part }
    return { total: Math.max(0, own.total - rejected[i]!.length), facets: own.facets[0]! }
  })
  const total = each.reduce((sum, one) => sum + one.total, 0)
  return {
    total,
    facets: withoutRejected(
      parts,
      each.map(({ facets }) => facets),
      rejected,
    ),
  }
}

/** Subtracts the hits that merging left out from the facets of their instance. */
const withoutRejected = (
  parts: readonly ReceivedAnswer[],
  facets: readonly FacetsByIndex[],
  rejected: readonly (readonly number[])[],
): readonly FacetsByIndex[] =>
  parts.map((part, i) => {
    const places = rejected[i]!
    if (places.length === 0 || part.facetsByIndex.size === 0) return facets[i]!
    const facetsByIndex = new Map(
      [...facets[i]!.facetsByIndex].map(([uid, { distribution, stats }]) => {
        const counts = new Map(
          [...distribution].map(([field, values]) => [field, new Map(values)] as const),
        )
        return [uid, { distribution: counts, stats }] as const
      }),
    )
    for (const at of places) {
      const counts = facetsByIndex.get(part.hits.indexUidAt(at))?.distribution
      for (const [field, value] of Object.entries(part.hits.valuesAt(at) ?? {})) {
        const all: readonly unknown[] = Array.isArray(value) ? value : [value]
        const values = counts?.get(field)
        if (values !== undefined) for (const one of all) takeOff(values, String(one))
      }
    }
    return { facetsByIndex }
  })

/** Facets show values as written, while hits send them normalized. */
function takeOff(values: Map<string, number>, value: string): void {
  const shown = values.has(value)
    ? value
    : [...values.keys()].find((one) => normalizeFacet(one) === value)
  if (shown === undefined) return
  const count = values.get(shown)! - 1
  if (count > 0) values.set(shown, count)
  else values.delete(shown)
}
