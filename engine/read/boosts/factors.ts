// The factors of documents: the product of the boosts that concern a document.
import type { DocId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { Boost, BoostPlace } from '../../model/index.ts'
import { columnsLayer } from '../../store/layers/index.ts'
import { type ColumnsSegment, candidateParts } from '../facets/index.ts'
import type { SearchableView } from '../jobs/index.ts'
import type { OpenView } from '../segments/index.ts'
import type { FactorTable } from './factor-table.ts'
import { decayOf, functionOf } from './formulas.ts'
import { factorTable } from './table-cache.ts'
import {
  distanceFrom,
  largestNumber,
  momentOrDay,
  nearestValue,
  type ValueReader,
} from './values.ts'

/** One boost of a search: the documents of its filter, or the values of its field. */
export type Boosting = FilterBoosting | FieldBoosting
type Shared = {
  readonly position: number
  readonly weight: number
  /** Equal texts have equal factors, apart from the documents of a filter. */
  readonly key: string
}
type FilterBoosting = Shared & { readonly ids: IdSet }
type FieldBoosting = Shared & {
  readonly read: ValueReader
  readonly factorOf: (value: number) => number
  /** No document has a larger factor. */
  readonly most: number
}

/** The factor of one boost for a document. */
export type BoostFactor = { readonly position: number; readonly factor: number }

/** Returns null for a field that no document has. `now`: milliseconds since 1970. */
export function boostingOf(
  { view, fieldId }: SearchableView,
  boost: Boost,
  position: number,
  now: number,
): FieldBoosting | null {
  const { field, function: named, origin, weight = 1 } = boost
  const id = fieldId(field!)
  if (id === null) return null
  const key = boostKey(boost, now)
  if (named !== undefined) {
    const factorOf = functionOf(boost)
    const most = weight * factorOf(largestOf(view.layer(columnsLayer), id))
    return { position, weight, key, read: largestNumber(id), factorOf, most }
  }
  const shared = { position, weight, key, factorOf: decayOf(boost), most: weight }
  if (typeof origin === 'object') {
    const { lat, lng }: BoostPlace = origin
    return { ...shared, read: distanceFrom(lat, lng) }
  }
  if (typeof origin === 'number') return { ...shared, read: nearestValue(id, origin, false) }
  const moment = origin === 'now' ? now : (momentOrDay(origin!) ?? now)
  return { ...shared, read: nearestValue(id, moment / 1000, true) }
}

export const boostKey = (boost: Boost, now: number): string =>
  boost.origin === 'now' ? `${JSON.stringify(boost)} ${now}` : JSON.stringify(boost)

function largestOf(segments: readonly ColumnsSegment[], id: number): number {
  return segments.reduce((most, { reader }) => {
    const numbers = reader.field(id)?.numbers ?? null
    return numbers === null ? most : Math.max(most, numbers.doubleAt(numbers.count - 1))
  }, 0)
}

export class Factors {
  /** No document has a larger factor; at least 1. */
  readonly max: number
  readonly #segments: readonly ColumnsSegment[]
  readonly #boosts: readonly Boosting[]
  readonly #table: FactorTable

  constructor(view: OpenView, boosts: readonly Boosting[]) {
    this.#segments = view.layer(columnsLayer)
    this.#boosts = boosts
    this.#table = factorTable(view, boosts)
    const mosts = boosts.map((boost) => ('ids' in boost ? boost.weight : boost.most))
    this.max = mosts.reduce((product, most) => bounded(product * Math.max(1, most)), 1)
  }

  /** Returns the table of factors; it knows those of these live documents. */
  tableWith(documents: IdSet): FactorTable {
    this.#table.add(documents, this.#of)
    return this.#table
  }

  /** Returns the factors of live documents, ids ascending. */
  readonly #of = (documents: IdSet): Float64Array => {
    const factors = new Float64Array(documents.size).fill(1)
    for (const boost of this.#boosts) this.#multiply(boost, documents, factors)
    return factors
  }

  /** Returns the factors of the boosts that concern a document. */
  partsOf(id: DocId): readonly BoostFactor[] {
    const alone = IdSet.of([id])
    return this.#boosts.flatMap((boost) => {
      const factors = Float64Array.of(1)
      return this.#multiply(boost, alone, factors)
        ? [{ position: boost.position, factor: factors[0]! }]
        : []
    })
  }

  /** Returns whether the boost concerns any of the documents. */
  #multiply(boost: Boosting, documents: IdSet, factors: Float64Array): boolean {
    if ('ids' in boost) {
      return multiply(documents, documents.and(boost.ids), factors, () => boost.weight)
    }
    const { read, factorOf, weight } = boost
    let isAny = false
    for (const part of candidateParts(this.#segments, documents)) {
      const values = read(part.segment.reader, part.ids)
      const factorAt = (i: number): number => {
        const value = values[i]!
        return Number.isNaN(value) ? Number.NaN : bounded(weight * factorOf(value))
      }
      isAny = multiply(documents, part.set, factors, factorAt) || isAny
    }
    return isAny
  }
}

/** Multiplies the factors of `some` of the documents; NaN stands for no factor. */
function multiply(
  documents: IdSet,
  some: IdSet,
  factors: Float64Array,
  factorAt: (index: number) => number,
): boolean {
  const all = documents.toArray()
  const ids = some.size === documents.size ? all : some.toArray()
  let isAny = false
  let at = 0
  for (let i = 0; i < ids.length; i++) {
    while (all[at]! < ids[i]!) at++
    const factor = factorAt(i)
    if (Number.isNaN(factor)) continue
    factors[at] = bounded(factors[at]! * factor)
    isAny = true
  }
  return isAny
}

const bounded = (factor: number): number => Math.min(factor, Number.MAX_VALUE)
