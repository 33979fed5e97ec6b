// The partial answer of an index of this instance: ids and scores; keys, facets and JSON are
// computed from them when needed.
import type { IndexUid } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { JsonBuffer } from '../../../format/json/index.ts'
import { covers } from '../../settings/schema/index.ts'
import { parseExact } from '../../text/index.ts'
import type { DistinctValues } from '../facets/index.ts'
import { pseudonymOf, type SearchableView, type SearchControl } from '../jobs/index.ts'
import type { QueryGraph } from '../query-graph/index.ts'
import { type ScoreDetail, scaledScore } from '../rank/index.ts'
import {
  type ForeignIndexes,
  isForMerging,
  listWeight,
  MatchingValues,
  type MergeKey,
  mergeKey,
  type PlacedHit,
  type Plan,
  type QueryPlan,
  type Scales,
} from '../retrieval/index.ts'
import { type Facets, facetsOf } from './facets.ts'
import { HitWriter, originText, proxiedOrigin } from './hits.ts'
import type { FieldValues, HitList, PartialAnswer } from './partial-answer.ts'
import { type DistinctDocument, NO_ORIGIN } from './partial-json.ts'
import { type SentNumber, sentNumber } from './sent-number.ts'

/** Values of a facet that are sent to another instance with each hit. */
export type FacetValues = { readonly field: string; readonly values: DistinctValues }

/** Returns whether hits show the field if a request wants it. */
export const isShown = ({ settings }: Pick<SearchableView, 'settings'>, field: string): boolean =>
  settings.displayedAttributes?.some((name) => covers(name, field)) !== false

const isByVector = (scores: readonly ScoreDetail[]): boolean =>
  scores.some(({ kind }) => kind === 'vectorSort')

/** The state that all hits of one query share. */
export class QueryHits {
  readonly query: QueryPlan
  /** Values of the distinct field; null if hits of this part are not compared with others. */
  readonly values: DistinctValues | null
  readonly #view: SearchableView
  readonly #foreign: ForeignIndexes | null
  readonly #graph: QueryGraph | null
  readonly #scales: Scales | null
  readonly #facets: readonly FacetValues[]
  /** Whether the values of a field are not sent to the merging instance; null: all are sent. */
  readonly #hides: ((field: string) => boolean) | null
  #writer: HitWriter | null = null

  /** `graph`: the query graph after ranking, because ranking looks up words with typos. */
  constructor(
    view: SearchableView,
    query: QueryPlan,
    graph: QueryGraph | null,
    values: DistinctValues | null,
    foreign: ForeignIndexes | null,
    scales: Scales | null,
    facetValues: readonly FacetValues[] = [],
  ) {
    this.#facets = facetValues
    this.query = query
    this.values = values
    this.#view = view
    this.#graph = graph
    this.#scales = scales
    this.#foreign = foreign
    this.#hides = query.origin?.hidesValues === true ? (field) => !isShown(view, field) : null
  }

  get indexUid(): IndexUid {
    return this.#view.ref.uid
  }

  externalIdOf({ id }: PlacedHit): string {
    const { view, ref } = this.#view
    const externalId = Buffer.from(view.externalId(id) ?? [])
    if (this.#hides?.(ref.primaryKey ?? '') !== true) return externalId.toString()
    return pseudonymOf(externalId)
  }

  keyOf({ scores, scale }: PlacedHit): MergeKey {
    const { isShared, position, prepared, request, weight } = this.query
    const key = mergeKey(scores, weight, position, this.#hides, scale)
    if (isShared !== true || prepared.kind !== 'hybrid') return key
    // The lists of all instances merge as those of one; hits show scores without this weight.
    const factor = weight * listWeight(request.hybrid!, isByVector(scores))
    const { parts } = mergeKey(scores, factor, position, this.#hides, scale)
    return { ...key, parts }
  }

  /** Returns the values of a hit that are sent to another instance, or null without any. */
  valuesOf(hit: PlacedHit): FieldValues | null {
    const field = this.query.prepared.distinctField
    const own = field === null || this.values === null ? [] : [{ field, values: this.values }]
    let found: { [field: string]: FieldValues[string] } | null = null
    for (const facet of [...this.#facets, ...own]) {
      if (this.#hides?.(facet.field) === true) continue
      const values = facet.values.of(hit.id).map(plainValue)
      if (values.length === 0) continue
      found ??= {}
      found[facet.field] = values.length === 1 ? values[0]! : values
    }
    return found
  }

  write(hit: PlacedHit, out: JsonBuffer): number {
    const { request, prepared, position, weight, origin } = this.query
    this.#writer ??= new HitWriter(
      this.#view,
      request,
      prepared.sort,
      this.#graph,
      this.#foreign,
      this.#scales,
    )
    const from = origin === null ? null : this.#origin(hit, position, weight, origin)
    return this.#writer.write(hit, out, from)
  }

  #origin(
    hit: PlacedHit,
    position: number,
    weight: number,
    { remote, detail }: NonNullable<QueryPlan['origin']>,
  ): string {
    if (detail === 'beside') return NO_ORIGIN
    const { uid } = this.#view.ref
    if (detail === 'place') {
      return originText(uid, position, scaledScore(hit.scores, hit.scale) * weight, remote)
    }
    const isSemantic = isByVector(hit.scores)
    const key = this.keyOf(hit)
    const values = this.valuesOf(hit) ?? {}
    return JSON.stringify(proxiedOrigin(uid, key, values, hit.pin ?? null, isSemantic))
  }
}

/** A distinct value without the prefix for its type. */
const plainValue = (value: string): string | SentNumber =>
  value.startsWith('=') ? value.slice(1) : sentNumber(parseExact(value.slice(1)) ?? 0)

/** Hits of one query in the order of the retriever. */
export class RankedHits implements HitList {
  readonly #of: QueryHits
  readonly #hits: readonly PlacedHit[]

  constructor(of: QueryHits, hits: readonly PlacedHit[]) {
    this.#of = of
    this.#hits = hits
  }

  get length(): number {
    return this.#hits.length
  }

  /** Returns a list of the hits at these positions; the memory of other hits can be freed. */
  only(places: readonly number[]): RankedHits {
    return new RankedHits(
      this.#of,
      places.map((at) => this.#hits[at]!),
    )
  }

  keyAt(at: number): MergeKey {
    return this.#of.keyOf(this.#hits[at]!)
  }

  documentAt(at: number): number {
    return this.#hits[at]!.id
  }

  pinAt(at: number): number | null {
    return this.#hits[at]!.pin ?? null
  }

  isSemanticAt(at: number): boolean {
    return isByVector(this.#hits[at]!.scores)
  }

  distinctAt(at: number): readonly string[] {
    return this.#of.values?.of(this.#hits[at]!.id) ?? []
  }

  externalIdAt(at: number): string {
    return this.#of.externalIdOf(this.#hits[at]!)
  }

  indexUidAt(): IndexUid {
    return this.#of.indexUid
  }

  valuesAt(at: number): FieldValues | null {
    return this.#of.valuesOf(this.#hits[at]!)
  }

  write(at: number, out: JsonBuffer): number {
    return this.#of.write(this.#hits[at]!, out)
  }
}

/** The results of a plan's queries in their index. */
export type LocalFound = {
  readonly hits: HitList
  readonly skipped: number
  readonly pinned: HitList
  readonly degraded: boolean
  /** Documents that at least one of the queries counts as found. */
  readonly candidates: IdSet
  /** Candidates that are represented by another hit of this part. */
  readonly rejected: readonly number[]
  /** The hits of the only query; null if there are several. */
  readonly of: QueryHits | null
  /**
   * Returns the candidates without the filter's own conditions on a field, or null if it has none.
   */
  readonly candidatesWithout: (field: string, control: SearchControl) => IdSet | null
}

export class LocalAnswer implements PartialAnswer {
  readonly #view: SearchableView
  readonly #plan: Plan
  readonly #found: LocalFound

  constructor(view: SearchableView, plan: Plan, found: LocalFound) {
    this.#view = view
    this.#plan = plan
    this.#found = found
  }

  get indexUid(): IndexUid {
    return this.#view.ref.uid
  }

  get hits(): HitList {
    return this.#found.hits
  }

  get skipped(): number {
    return this.#found.skipped
  }

  get pinned(): HitList {
    return this.#found.pinned
  }

  get degraded(): boolean {
    return this.#found.degraded
  }

  total(rejected: readonly number[]): number {
    return this.#counted(rejected).size
  }

  /**
   * Returns the documents that count as found with the values that another instance needs to count
   * each distinct value once, or null if there are more than `max`.
   */
  representatives(max: number): readonly DistinctDocument[] | null {
    const { of, candidates } = this.#found
    if (of === null || candidates.size > max) return null
    return Array.from(candidates.toArray(), (id): DistinctDocument => {
      const hit = { id, scores: [] }
      return [of.externalIdOf(hit), of.valuesOf(hit) ?? {}]
    })
  }

  facets(rejected: readonly number[]): Facets | null {
    const { facets, controlFor, queries, times } = this.#plan
    if (facets === null) return null
    const { request, origin } = queries[0]!
    const control = controlFor()
    const counted = this.#counted(rejected)
    const without = (field: string): IdSet | null => {
      const candidates = this.#found.candidatesWithout(field, control)
      return candidates === null ? null : this.#less(candidates, rejected)
    }
    const scoped = queries.flatMap(({ request: { facetScope }, prepared: { matching } }) =>
      facetScope === 'match' && matching !== null ? [matching] : [],
    )
    const matching = MatchingValues.ofAll(scoped)
    return facetsOf(this.#view, facets, counted, without, control, times, {
      matching: (field, isDisjunctive) =>
        (isDisjunctive ? matching?.without(field) : matching)?.segments(field) ?? null,
      valuesByCount: request.facetValuesByCount,
      isMerged: isForMerging(origin),
      isDistinct: this.#plan.distinctField !== null,
    })
  }

  #counted(rejected: readonly number[]): IdSet {
    return this.#less(this.#found.candidates, rejected)
  }

  #less(candidates: IdSet, rejected: readonly number[]): IdSet {
    const { hits, rejected: own } = this.#found
    if (own.length + rejected.length === 0) return candidates
    return candidates.andNot(IdSet.of([...own, ...rejected.map((at) => hits.documentAt(at))]))
  }
}
