// Facets of a search: names of fields, and objects that say how values are counted.
import {
  CALENDAR_UNITS,
  COUNTING_ORDERS,
  type FacetOptions,
  type FacetRange,
  type FacetRequest,
  isTimeZone,
  rangeKey,
} from '../../../engine/index.ts'
import * as json from '../../../format/schema/index.ts'
import { isJsonObject } from './json-value.ts'
import { FACET_OBJECTS_MAX, FACET_RANGES_MAX } from './limits.ts'
import { member, object, partial, required } from './object-schemas.ts'
import { type ParameterReader, rawTexts } from './query.ts'
import { withSchema } from './reader-schemas.ts'
import {
  checked,
  flag,
  float,
  invalid,
  list,
  listUpTo,
  oneOf,
  readable,
  readerOf,
  type Schema,
  text,
} from './schemas.ts'

/** JSON has no infinite numbers, but one beyond all doubles is read as one. */
const finite: Schema<number> = checked(float, (found) => {
  if (Number.isFinite(found)) return found
  throw invalid('a number that fits in 64 bits was expected')
})

const range: Schema<FacetRange> = checked(
  partial<FacetRange>({ from: finite, to: finite, key: text }),
  (found) => {
    const { from, to } = found
    if (from === undefined && to === undefined) throw invalid('a range needs `from` or `to`')
    if (from === undefined || to === undefined || from < to) return found
    throw invalid(`\`from\` must be below \`to\`, but found \`${from}\` and \`${to}\``)
  },
)

const ranges: Schema<readonly FacetRange[]> = checked(
  listUpTo(FACET_RANGES_MAX, 'ranges', range),
  (found) => {
    const keys = found.map(rangeKey)
    const again = keys.find((key, at) => keys.indexOf(key) < at)
    if (again !== undefined) throw invalid(`two ranges have the key \`${again}\``)
    if (found.length > 0) return found
    throw invalid('at least one range is needed')
  },
)

const interval: Schema<number> = checked(finite, (found) => {
  if (found > 0) return found
  throw invalid(`a number above zero was expected, but found \`${found}\``)
})

const histogram = object<NonNullable<FacetOptions['histogram']>>({
  interval: required(interval, null),
  offset: member(finite, null, 0),
})

const timezone: Schema<string> = checked(text, (found) => {
  if (isTimeZone(found)) return found
  throw invalid(`\`${found}\` is no time zone; use a name such as \`Europe/Paris\` or \`UTC\``)
})

const BUCKETS = ['ranges', 'histogram', 'calendar'] as const
/** Buckets are shown in ascending order. */
const EXCLUSIVE = ['order', ...BUCKETS] as const

const options: Schema<FacetOptions> = checked(
  partial<FacetOptions>(
    {
      attribute: text,
      disjunctive: flag,
      stats: flag,
      order: oneOf(COUNTING_ORDERS),
      ranges,
      histogram,
      calendar: oneOf(CALENDAR_UNITS),
      timezone,
    },
    null,
    { required: ['attribute'] },
  ),
  (found) => {
    const [one, another] = EXCLUSIVE.filter((name) => found[name] !== undefined)
    if (another !== undefined) {
      throw invalid(`\`${one}\` and \`${another}\` exclude each other: remove one of them`)
    }
    if (found.timezone === undefined || found.calendar !== undefined) return found
    throw invalid('`timezone` needs `calendar`')
  },
)

const readText = readerOf(text)
const readOptions = readerOf(options)

const facet: Schema<FacetRequest> = readable(json.either(text, options), (value) =>
  isJsonObject(value) ? readOptions(value) : readText(value),
)

/** The facets of a search, or those of an index in a federation. */
export const facets: Schema<readonly FacetRequest[]> = checked(list(facet), (found) => {
  const objects = found.filter((one) => typeof one !== 'string')
  if (objects.length > FACET_OBJECTS_MAX) {
    throw invalid(
      `at most \`${FACET_OBJECTS_MAX}\` objects are accepted, but found \`${objects.length}\``,
    )
  }
  const bucketed = objects.filter((one) => BUCKETS.some((name) => one[name] !== undefined))
  const names = bucketed.map(({ attribute }) => attribute)
  const again = names.find((name, at) => names.indexOf(name) < at)
  if (again === undefined) return found
  throw invalid(`\`${again}\` has buckets in two objects: an attribute is counted in one way`)
})

/** Attributes that are counted without their own conditions. */
export const disjunctiveFacets: Schema<readonly string[]> = listUpTo(
  FACET_OBJECTS_MAX,
  'attributes',
  text,
)

/** The same in a query string. */
export const rawDisjunctiveFacets: ParameterReader<readonly string[]> = (raw) => {
  const found = rawTexts(raw)
  if (found.length <= FACET_OBJECTS_MAX) return found
  throw invalid(
    `at most \`${FACET_OBJECTS_MAX}\` attributes are accepted, but found \`${found.length}\``,
  )
}
withSchema(rawDisjunctiveFacets, () => json.listUpTo(FACET_OBJECTS_MAX, json.text))
