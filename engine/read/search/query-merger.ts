// Hits of several queries over one index become one list: of several hits of a document the best
// one stays, then one of each value, as far as needed.
//
// A thousand queries that each bring a thousand hits would hold a million, some hundred bytes each:
// hits that cannot be among the best any more are let go of on the way.
import type { DistinctValues } from '../facets/index.ts'
import { DistinctMerger } from './distinct-merger.ts'
import type { RankedHits } from './local-answer.ts'
import { type HitPlace, MergedHits, mergedPlaces } from './merged-hits.ts'
import type { HitList } from './partial-answer.ts'

/** Hits are let go of when so many times the needed ones are held, and at least so many. */
const HELD_SHARE = 4
const HELD_MIN = 4096

export class QueryMerger {
  readonly #values: DistinctValues | null
  readonly #hitsMax: number
  #lists: RankedHits[] = []
  #held = 0

  /** `values`: one hit of each is kept; null: hits are not compared. */
  constructor(values: DistinctValues | null, hitsMax: number) {
    this.#values = values
    this.#hitsMax = hitsMax
  }

  /** How many hits are held. */
  get held(): number {
    return this.#held
  }

  /** Hits in their order. */
  add(hits: RankedHits): void {
    this.#lists.push(hits)
    this.#held += hits.length
    // With distinct values every hit counts: which of them another stands for is told at the end.
    if (this.#values === null && this.#held > Math.max(HELD_MIN, HELD_SHARE * this.#hitsMax)) {
      this.#dropOthers()
    }
  }

  /** `rejected`: documents for which another one of their value stands. */
  merged(): { readonly hits: HitList; readonly rejected: readonly number[] } {
    const rejected: number[] = []
    return { hits: new MergedHits(this.#best(rejected)), rejected }
  }

  #best(rejected: number[]): readonly HitPlace[] {
    const seen = new Set<number>()
    const distinct = new DistinctMerger()
    const places: HitPlace[] = []
    for (const place of mergedPlaces(this.#lists)) {
      const document = place.list.documentAt(place.at)
      if (seen.has(document)) continue
      seen.add(document)
      if (this.#values !== null && !distinct.admit(place.list.distinctAt(place.at))) {
        rejected.push(document)
      } else if (places.length < this.#hitsMax) places.push(place)
    }
    return places
  }

  #dropOthers(): void {
    const kept = new Map<HitList, number[]>()
    for (const { list, at } of this.#best([])) {
      const places = kept.get(list)
      if (places === undefined) kept.set(list, [at])
      else places.push(at)
    }
    this.#lists = this.#lists
      .filter((list) => kept.has(list))
      .map((list) => list.only(kept.get(list)!))
    this.#held = this.#lists.reduce((sum, { length }) => sum + length, 0)
  }
}
