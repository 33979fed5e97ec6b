// Searches over one or more indexes whose hits become one list · search semantics §16.
//
//   checks → each search ranked for itself → lists of an index merged → indexes merged → page →
//   hits → facets → JSON
//
// All is done in one thread over views of one moment. A search brings no more hits than the page
// reaches, so that merging is cheap beside ranking.
import { IdSet } from '../../../format/idset/index.ts'
import type { JsonBuffer } from '../../../format/json/index.ts'
import { columnsLayer } from '../../store/layers/index.ts'
import { DistinctValues } from '../facets/index.ts'
import type { QueryGraph } from '../query/index.ts'
import type { SearchRule } from '../rules/index.ts'
import { answerBuffer, hitsTookTooLong } from './answer.ts'
import { SearchControl, StepTimes, type Watch } from './control.ts'
import { type Facets, facetsOf, writeFacets } from './facets.ts'
import {
  type Checked,
  type ControlFor,
  checkFederated,
  type IndexMembers,
  type Member,
} from './federated-checks.ts'
import { mergedFacets } from './federated-facets.ts'
import { type MergeKey, mergeKey, mergeLists } from './federated-order.ts'
import type { ForeignIndexes } from './foreign.ts'
import { HitWriter, originOf } from './hits.ts'
import { MemberWriter, writeTexts } from './json-text.ts'
import { rankKeywords, readQuery } from './keywords.ts'
import { HITS_MS_MAX } from './limits.ts'
import { type Page, pageMembers, pageOf } from './pagination.ts'
import { type PlacedHit, pinsOf, placed } from './pins.ts'
import { controlOf, metadataOf, timeOfAll } from './prepare.ts'
import type { FederatedJob } from './protocol.ts'
import type { SearchableView } from './searchable-view.ts'

const COMMA = 0x2c
const BRACKET = 0x5b
const BRACKET_END = 0x5d

/** A search with what it found. */
type Ranked = {
  readonly member: Member
  readonly graph: QueryGraph | null
  /** Made for the first hit that is shown. */
  writer: HitWriter | null
}

type Item = {
  readonly hit: PlacedHit
  readonly key: MergeKey
  readonly ranked: Ranked
  readonly index: IndexFound
}

/** What the searches of one index found. */
type IndexFound = {
  readonly view: SearchableView
  readonly facetFields: readonly string[] | null
  /** Values of the distinct field; null: hits are not told apart by one. */
  readonly values: DistinctValues | null
  items: readonly Item[]
  /** Hits that rules have placed. */
  readonly pinned: Item[]
  /** What counts as found. */
  candidates: IdSet
  /** Of those, hits for which another one stands. */
  readonly rejected: number[]
}

/** Answers a federated search. @throws EngineFault, StorageError, SearchCanceled */
export function runFederated(
  views: readonly SearchableView[],
  job: FederatedJob,
  rules: readonly SearchRule[],
  watch: Watch,
  foreign: ForeignIndexes | null,
): Uint8Array {
  const times = new StepTimes()
  times.add('wait in queue', Math.max(0, Date.now() - job.sentAt))
  const { federation } = job
  const page = pageOf(federation, Number.POSITIVE_INFINITY)
  const timeLeft = timeOfAll()
  const controlFor: ControlFor = (view) => controlOf(view, watch, timeLeft())
  const checked = checkFederated(views, job, controlFor, foreign)
  times.done('federating > check')
  const found = checked.indexes.map((index) =>
    rankIndex(index, job, rules, page, controlFor, times),
  )
  for (const index of found) mergeIndex(index, page.offset + page.limit)
  const items = withPinned(mergeIndexes(found), found)
  times.done('federating > merge')
  const shown = items.slice(page.offset, page.offset + page.limit)
  return answer({ ...job, shown, others: foreign, controlFor, watch }, checked, found, times)
}

function rankIndex(
  { view, members, facetFields }: IndexMembers,
  { federation, features }: FederatedJob,
  rules: readonly SearchRule[],
  page: Page,
  controlFor: ControlFor,
  times: StepTimes,
): IndexFound {
  const { distinct } = federation
  const distinctId = distinct === null ? null : view.fieldId(distinct)
  const values =
    distinctId === null ? null : new DistinctValues(view.view.layer(columnsLayer), distinctId)
  const found: IndexFound = {
    ...{ view, facetFields, values },
    ...{ items: [], pinned: [], candidates: IdSet.empty, rejected: [] },
  }
  const { maxTotalHits } = view.settings.pagination
  const lists: (readonly Item[])[] = []
  for (const member of members) {
    const { request, prepared, weight, position } = member
    const query = readQuery(view, request, prepared.scope)
    times.done('search > tokenize query')
    const pins = pinsOf(view, { ...prepared, rules, request, features })
    const ranking = rankKeywords(view, request, query, prepared.universe.andNot(pins.ids), {
      page: {
        offset: 0,
        limit: Math.min(page.offset + page.limit, maxTotalHits),
        finite: page.finite,
      },
      sort: prepared.sort,
      distinctField: prepared.distinctField,
      withScores: true,
      control: controlFor(view),
    })
    times.done('search > rank')
    const ranked: Ranked = { member, graph: query.graph, writer: null }
    found.candidates = found.candidates.or(ranking.candidates).or(pins.ids)
    const itemOf = (hit: PlacedHit): Item => {
      const key = mergeKey(hit.scores, weight, position)
      return { hit, key, ranked, index: found }
    }
    lists.push(ranking.hits.map(itemOf))
    found.pinned.push(...pins.hits.map(itemOf))
  }
  found.items = mergeLists(lists, ({ key }) => key)
  return found
}

/** Of several hits of a document the best one stays; then one of each value, as far as needed. */
function mergeIndex(index: IndexFound, countMax: number): void {
  const seen = new Set<number>()
  const unlike = new Unlike()
  const items = index.items.filter((item) => {
    const { id } = item.hit
    if (seen.has(id)) return false
    seen.add(id)
    return unlike.admit(item)
  })
  index.items = items.slice(0, countMax)
}

/** The hits of all indexes, one of each value; the page is cut from them. */
function mergeIndexes(found: readonly IndexFound[]): readonly Item[] {
  const all = mergeLists(
    found.map(({ items }) => items),
    ({ key }) => key,
  )
  const unlike = new Unlike()
  const items = all.filter((item) => unlike.admit(item))
  for (const index of found) {
    index.candidates = index.candidates.andNot(IdSet.of(index.rejected))
  }
  return items
}

/** The hits that rules have placed come in between; each document is there once. */
function withPinned(items: readonly Item[], found: readonly IndexFound[]): readonly Item[] {
  const taken = new Map<IndexFound, Set<number>>(found.map((index) => [index, new Set()]))
  const pinned = found
    .flatMap((index) => index.pinned)
    .filter(({ hit, index }) => {
      const ids = taken.get(index)!
      return !ids.has(hit.id) && ids.add(hit.id)
    })
    .sort((a, b) => a.hit.pin! - b.hit.pin!)
  if (pinned.length === 0) return items
  const ranked = items.filter(({ hit, index }) => !taken.get(index)!.has(hit.id))
  return placed(ranked, pinned, ({ hit }) => hit.pin!)
}

/** Passes the first hit of each value, and notes the others where they come from. */
class Unlike {
  readonly #seen = new Set<string>()

  admit({ hit, index }: Item): boolean {
    if (index.values === null) return true
    const values = index.values.of(hit.id)
    if (values.some((value) => this.#seen.has(value))) {
      index.rejected.push(hit.id)
      return false
    }
    for (const value of values) this.#seen.add(value)
    return true
  }
}

/** A job with the hits of the page. */
type Shown = FederatedJob & {
  readonly shown: readonly Item[]
  readonly others: ForeignIndexes | null
  readonly controlFor: ControlFor
  readonly watch: Watch
}

function answer(
  job: Shown,
  checked: Checked,
  found: readonly IndexFound[],
  times: StepTimes,
): Uint8Array {
  const { federation, searches } = job
  const out = answerBuffer(16 * 1024)
  const members = new MemberWriter(out)
  writeHits(job, members.begin('hits'))
  times.done('search > format hits')
  // No embedder has made a vector of any query.
  if (searches.some(({ request }) => request.retrieveVectors)) members.value('queryVectors', {})
  const facets = found.flatMap((index) => facetsOfIndex(index, job.controlFor) ?? [])
  times.done('search > facets')
  members.value('processingTimeMs', Math.max(0, Math.floor(Date.now() - job.sentAt)))
  const total = found.reduce((sum, { candidates }) => sum + candidates.size, 0)
  const pages = pageMembers(federation, total)
  for (const [name, value] of Object.entries(pages)) members.value(name, value)
  if (facets.length > 0) writeAllFacets(members, job, checked, facets)
  members.value('requestUid', job.requestUid)
  if (job.queryUids !== null) members.value('metadata', metadata(job, checked, job.queryUids))
  if (isSemantic(checked)) members.value('semanticHitCount', 0)
  if (federation.showPerformanceDetails) {
    writeTexts(members.begin('performanceDetails'), times.texts())
  }
  if (federation.network !== undefined) {
    members.value('remoteErrors', federation.network.remoteErrors)
  }
  members.end()
  return out.take()
}

function writeHits({ shown, others, federation, watch }: Shown, out: JsonBuffer): void {
  const goOn = new SearchControl(HITS_MS_MAX, watch).checkpoint(HITS_MS_MAX, hitsTookTooLong)
  const remote = federation.network?.self ?? null
  out.byte(BRACKET)
  shown.forEach(({ hit, key, ranked }, i) => {
    goOn()
    if (i > 0) out.byte(COMMA)
    const { view, request, prepared, position } = ranked.member
    ranked.writer ??= new HitWriter(view, request, prepared.sort, ranked.graph, others)
    ranked.writer.write(hit, out, originOf(view.ref.uid, position, key.score, remote))
  })
  out.byte(BRACKET_END)
}

type FacetsOfIndex = { readonly uid: string; readonly facets: Facets }

function facetsOfIndex(
  { view, facetFields, candidates }: IndexFound,
  controlFor: Shown['controlFor'],
): FacetsOfIndex | null {
  if (facetFields === null) return null
  return { uid: view.ref.uid, facets: facetsOf(view, facetFields, candidates, controlFor(view)) }
}

function writeAllFacets(
  members: MemberWriter,
  { federation }: FederatedJob,
  { orders }: Checked,
  all: readonly FacetsOfIndex[],
): void {
  const { mergeFacets } = federation
  if (mergeFacets !== null) {
    const each = all.map(({ facets }) => facets)
    writeFacets(members, mergedFacets(each, orders, mergeFacets.maxValuesPerFacet))
    return
  }
  const indexes = new MemberWriter(members.begin('facetsByIndex'))
  for (const { uid, facets } of all) {
    const index = new MemberWriter(indexes.begin(uid))
    writeFacets(index, facets, ['distribution', 'stats'])
    index.end()
  }
  indexes.end()
}

/** One by one for the searches, in their order. */
function metadata(
  { searches, federation }: FederatedJob,
  { indexes }: Checked,
  queryUids: readonly string[],
): readonly object[] {
  const keys = new Map(indexes.map(({ view: { ref } }) => [ref.uid, ref.primaryKey]))
  return searches.map(({ indexUid, request }, at) =>
    metadataOf(indexUid, keys.get(indexUid) ?? null, request.q, queryUids[at]!, federation.network),
  )
}

const isSemantic = ({ indexes }: Checked): boolean =>
  indexes.some(({ members }) => members.some(({ prepared }) => prepared.kind !== 'keyword'))
