// Presents several lists of hits as one. Hits are not copied: the merged list holds their
// positions.
import type { IndexUid } from '../../../format/ids.ts'
import type { JsonBuffer } from '../../../format/json/index.ts'
import { type MergeKey, mergeLists } from '../retrieval/index.ts'
import type { FieldValues, HitList } from './partial-answer.ts'

/** A position in a list of hits, with the key of that hit. */
export type HitPlace = { readonly list: HitList; readonly at: number; readonly key: MergeKey }

export class MergedHits implements HitList {
  readonly places: readonly HitPlace[]

  constructor(places: readonly HitPlace[]) {
    this.places = places
  }

  get length(): number {
    return this.places.length
  }

  keyAt(at: number): MergeKey {
    return this.places[at]!.key
  }

  documentAt(at: number): number {
    const place = this.places[at]!
    return place.list.documentAt(place.at)
  }

  pinAt(at: number): number | null {
    const place = this.places[at]!
    return place.list.pinAt(place.at)
  }

  isSemanticAt(at: number): boolean {
    const place = this.places[at]!
    return place.list.isSemanticAt(place.at)
  }

  distinctAt(at: number): readonly string[] {
    const place = this.places[at]!
    return place.list.distinctAt(place.at)
  }

  externalIdAt(at: number): string {
    const place = this.places[at]!
    return place.list.externalIdAt(place.at)
  }

  indexUidAt(at: number): IndexUid {
    const place = this.places[at]!
    return place.list.indexUidAt(place.at)
  }

  valuesAt(at: number): FieldValues | null {
    const place = this.places[at]!
    return place.list.valuesAt(place.at)
  }

  write(at: number, out: JsonBuffer): number {
    const place = this.places[at]!
    return place.list.write(place.at, out)
  }
}

/** The hits of a list in order. */
export const placesOf = (list: HitList): HitPlace[] =>
  Array.from({ length: list.length }, (_, at) => ({ list, at, key: list.keyAt(at) }))

/** Merges sorted lists into one sorted list. */
export const mergedPlaces = (lists: readonly HitList[]): readonly HitPlace[] =>
  mergeLists(lists.map(placesOf), ({ key }) => key)
