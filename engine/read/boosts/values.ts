// Reads the values that boosts of fields compute with: numbers, dates, places.
import { decoder } from '../../../format/bytes/index.ts'
import type { ColumnsReader, FieldReader } from '../../../format/columns/index.ts'
import { distanceMetres } from '../geo/index.ts'
import { momentOf, secondsOf } from '../segments/index.ts'
import { numberColumn } from './number-columns.ts'

/** Returns the value of each of the ascending `ids`, or NaN for a document without one. */
export type ValueReader = (reader: ColumnsReader, ids: Uint32Array) => Float64Array

/** The key of a document without numbers. */
const NONE = 0xffffffff

/** Reads the largest number. */
export const largestNumber =
  (fieldId: number): ValueReader =>
  (reader, ids) => {
    const column = numberColumn(reader, fieldId, ids.length)
    if (column !== null) return column.of(ids)
    const numbers = reader.field(fieldId)?.numbers ?? null
    const values = new Float64Array(ids.length).fill(Number.NaN)
    if (numbers === null) return values
    const ordinals = new Uint32Array(ids.length)
    numbers.rows.extremes(ids, 0, ids.length, true, NONE, ordinals)
    for (let i = 0; i < ids.length; i++) {
      if (ordinals[i] !== NONE) values[i] = numbers.doubleAt(ordinals[i]!)
    }
    return values
  }

/** Reads the distance of the nearest number, or of the nearest date in seconds. */
export const nearestValue =
  (fieldId: number, origin: number, isMoment: boolean): ValueReader =>
  (reader, ids) => {
    const field = reader.field(fieldId)
    const hasOne = field?.numbers?.rows.isSingle === true && !(isMoment && field.strings !== null)
    const column = hasOne ? numberColumn(reader, fieldId, ids.length) : null
    if (column !== null) return distancesOf(column.of(ids), origin, isMoment)
    const distances = new Float64Array(ids.length).fill(Number.NaN)
    if (field === null) return distances
    if (field.numbers !== null) addNumbers(field, ids, origin, isMoment, distances)
    if (isMoment && field.strings !== null) addTexts(field, ids, origin, distances)
    return distances
  }

/** Writes the distances over the values, of which NaN stays. */
function distancesOf(values: Float64Array, origin: number, isMoment: boolean): Float64Array {
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!
    values[i] = Math.abs((isMoment ? secondsOf(value) : value) - origin)
  }
  return values
}

function addNumbers(
  field: FieldReader,
  ids: Uint32Array,
  origin: number,
  isMoment: boolean,
  distances: Float64Array,
): void {
  const numbers = field.numbers!
  const least = new Uint32Array(ids.length)
  numbers.rows.extremes(ids, 0, ids.length, false, NONE, least)
  let most = least
  if (!numbers.rows.isSingle) {
    most = new Uint32Array(ids.length)
    numbers.rows.extremes(ids, 0, ids.length, true, NONE, most)
  }
  const distance = (ordinal: number): number => {
    const value = numbers.doubleAt(ordinal)
    return Math.abs((isMoment ? secondsOf(value) : value) - origin)
  }
  for (let i = 0; i < ids.length; i++) {
    if (least[i] === NONE) continue
    if (least[i] === most[i]) distances[i] = distance(least[i]!)
    else for (const ordinal of field.numbersOf(ids[i]!)) closer(distances, i, distance(ordinal))
  }
}

function addTexts(
  field: FieldReader,
  ids: Uint32Array,
  origin: number,
  distances: Float64Array,
): void {
  for (let i = 0; i < ids.length; i++) {
    for (const variant of field.variantsOf(ids[i]!)) {
      const moment = momentAt(field, field.normalisedOf(variant))
      if (moment !== NO_DATE) closer(distances, i, Math.abs(moment / 1000 - origin))
    }
  }
}

function closer(distances: Float64Array, i: number, distance: number): void {
  const before = distances[i]!
  if (Number.isNaN(before) || distance < before) distances[i] = distance
}

/** By ordinal: NaN before the text is read. A segment never changes, so each is parsed once. */
const moments = new WeakMap<FieldReader, Float64Array>()
const NO_DATE = Number.POSITIVE_INFINITY

/** Returns the moment of a text in milliseconds, infinite for a text without a date. */
function momentAt(field: FieldReader, ordinal: number): number {
  let known = moments.get(field)
  if (known === undefined) {
    known = new Float64Array(field.stringCount).fill(Number.NaN)
    moments.set(field, known)
  }
  if (Number.isNaN(known[ordinal])) {
    known[ordinal] = momentOrDay(decoder.decode(field.stringAt(ordinal))) ?? NO_DATE
  }
  return known[ordinal]!
}

/** Returns the moment in milliseconds, or null. A date alone means its first moment in UTC. */
export const momentOrDay = (text: string): number | null =>
  momentOf(text.length === DATE_UNITS ? `${text}t00:00:00z` : text.toLowerCase())
const DATE_UNITS = '2000-01-01'.length

/** Reads the distance of the place in metres. */
export const distanceFrom =
  (lat: number, lng: number): ValueReader =>
  (reader, ids) => {
    const distances = new Float64Array(ids.length).fill(Number.NaN)
    const geo = reader.geo()
    if (geo === null) return distances
    const ranks = new Int32Array(ids.length)
    geo.holders().ranks(ids, 0, ids.length, ranks)
    for (let i = 0; i < ids.length; i++) {
      const rank = ranks[i]!
      if (rank < 0) continue
      distances[i] = distanceMetres(lat, lng, geo.latitude(rank), geo.longitude(rank))
    }
    return distances
  }
