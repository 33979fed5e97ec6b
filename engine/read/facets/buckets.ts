// Buckets of numbers: ranges that a request lists, equal intervals, days of a calendar.
import { compareText, type ExactNumber, exactText } from '../../../format/bytes/index.ts'
import { type FacetOptions, type FacetRange, rangeKey } from '../../model/index.ts'
import { Calendar } from './calendar.ts'
import type { Layer, Stretch } from './layer.ts'

export type Buckets = {
  /** The same text for the same buckets. */
  readonly name: string
  /** Ranges that overlap are in different layers. */
  readonly layers: readonly Layer[]
  /** Compares two keys: ascending buckets. */
  readonly compare: (a: string, b: string) => number
  /** Keys that are shown even if no candidate has a number in their bucket. */
  readonly listed: readonly string[]
}

/** Returns the buckets of a facet, or null if each value is counted. */
export function bucketsOf({
  ranges,
  histogram,
  calendar,
  timezone = 'UTC',
}: FacetOptions): Buckets | null {
  if (ranges !== undefined) return rangeBuckets(ranges)
  if (histogram !== undefined) {
    const name = JSON.stringify(histogram)
    const compare = (a: string, b: string): number => Number(a) - Number(b)
    return { name, layers: [new Histogram(histogram)], compare, listed: [] }
  }
  if (calendar === undefined) return null
  const name = `${calendar} ${timezone}`
  return { name, layers: [new Calendar(calendar, timezone)], compare: compareText, listed: [] }
}

/** Returns the keys of the buckets that contain one of the numbers. */
export const keysOf = ({ layers }: Buckets, numbers: readonly ExactNumber[]): readonly string[] =>
  layers.flatMap((layer) => numbers.flatMap((number) => layer.stretchAt(number)?.key ?? []))

function rangeBuckets(ranges: readonly FacetRange[]): Buckets {
  const ordered = ranges
    .map((range) => ({
      key: rangeKey(range),
      from: range.from ?? Number.NEGATIVE_INFINITY,
      to: range.to ?? Number.POSITIVE_INFINITY,
    }))
    .sort((a, b) => ascending(a.from, b.from) || ascending(a.to, b.to))
  const layers: ClosedRange[][] = []
  for (const range of ordered) {
    const layer = layers.find((one) => one[one.length - 1]!.to <= range.from)
    if (layer === undefined) layers.push([range])
    else layer.push(range)
  }
  const places = new Map(ordered.map(({ key }, at) => [key, at]))
  return {
    name: JSON.stringify(ordered),
    layers: layers.map((one) => new Ranges(one)),
    compare: (a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0),
    listed: ordered.map(({ key }) => key),
  }
}

/** Unlike a difference, also for two infinities. */
const ascending = (a: number, b: number): number => (a < b ? -1 : a > b ? 1 : 0)

type ClosedRange = { readonly key: string; readonly from: number; readonly to: number }

class Ranges implements Layer {
  /** Ascending and disjoint. */
  readonly #ranges: readonly ClosedRange[]

  constructor(ranges: readonly ClosedRange[]) {
    this.#ranges = ranges
  }

  stretchAt(value: ExactNumber): Stretch {
    const next = this.#ranges.find(({ to }) => value < to)
    if (next === undefined) return { key: null, end: Number.POSITIVE_INFINITY }
    return value < next.from ? { key: null, end: next.from } : { key: next.key, end: next.to }
  }
}

/** The quotient of two doubles is at most this many buckets off. */
const STEPS_MAX = 3
/** Digits that a double keeps: so 3 · 0.1 is 0.3. */
const DIGITS = 15

class Histogram implements Layer {
  readonly #interval: number
  readonly #offset: number
  readonly #isWhole: boolean

  constructor({ interval, offset }: NonNullable<FacetOptions['histogram']>) {
    this.#interval = interval
    this.#offset = offset
    this.#isWhole = Number.isInteger(interval) && Number.isInteger(offset)
  }

  stretchAt(value: ExactNumber): Stretch | null {
    let bucket = Math.floor((Number(value) - this.#offset) / this.#interval)
    for (let i = 0; i < STEPS_MAX && this.#start(bucket) > value; i++) bucket--
    for (let i = 0; i < STEPS_MAX && this.#start(bucket + 1) <= value; i++) bucket++
    const start = this.#start(bucket)
    const end = this.#start(bucket + 1)
    return start <= value && value < end ? { key: exactText(start), end } : null
  }

  #start(bucket: number): number {
    const steps = bucket * this.#interval
    const start = this.#offset + steps
    if (this.#isWhole) return start
    // Near zero the sum has fewer exact digits than its larger part.
    const larger = Math.max(Math.abs(this.#offset), Math.abs(steps))
    const digits = DIGITS - (exponentOf(larger) - exponentOf(start))
    return digits >= 1 ? Number(start.toPrecision(Math.min(digits, DIGITS))) : 0
  }
}

const exponentOf = (value: number): number => Math.floor(Math.log10(Math.abs(value)))
