// Merges hits of several queries over one index: keeps the best hit of each document, then one of
// each distinct value, up to the needed number.
//
// A thousand queries with a thousand hits each would hold a million hits of some hundred bytes:
// hits that can no longer be among the best are dropped early.
import type { DistinctValues } from '../facets/index.ts'
import { DistinctMerger } from './distinct-merger.ts'
import type { RankedHits } from './local-answer.ts'
import { type HitPlace, MergedHits, mergedPlaces } from './merged-hits.ts'
import type { HitList } from './partial-answer.ts'

/** Hits are dropped when this many times the needed number are held, and at least HELD_MIN. */
const HELD_SHARE = 4
const HELD_MIN = 4096

export class QueryMerger {
  readonly #values: DistinctValues | null
  readonly #hitsMax: number
  #lists: RankedHits[] = []
  #held = 0

  /**
   * `values`: values of the distinct field, of which one hit each is kept; null if hits are not
   * compared.
   */
  constructor(values: DistinctValues | null, hitsMax: number) {
    this.#values = values
    this.#hitsMax = hitsMax
  }

  /** Number of hits held. */
  get held(): number {
    return this.#held
  }

  /** `hits` are sorted. */
  add(hits: RankedHits): void {
    this.#lists.push(hits)
    this.#held += hits.length
    // With distinct values no hit may be dropped early: which hits are rejected is decided at the
    // end.
    if (this.#values === null && this.#held > Math.max(HELD_MIN, HELD_SHARE * this.#hitsMax)) {
      this.#dropOthers()
    }
  }

  /** `rejected`: documents represented by another hit with the same value. */
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
    const places = new Map<HitList, number[]>()
    for (const { list, at } of this.#best([])) {
      const positions = places.get(list)
      if (positions === undefined) places.set(list, [at])
      else positions.push(at)
    }
    this.#lists = this.#lists
      .filter((list) => places.has(list))
      .map((list) => list.only(places.get(list)!))
    this.#held = this.#lists.reduce((sum, { length }) => sum + length, 0)
  }
}
