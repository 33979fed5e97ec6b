// Sort expressions: `field:asc`, `field:desc` and `_geoPoint(lat, lng):asc`. The parser accepts any
// field; `checkSortable` checks it against the settings.
import { compareText } from '../../../format/bytes/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import { EngineFault } from '../../model/index.ts'
import { covers, matchesPattern } from '../../settings/schema/index.ts'
import { parseFloatText } from '../../text/index.ts'
import { latitudeProblem, longitudeProblem, named } from '../filter-syntax/index.ts'
import { listDisplayed } from './selection.ts'

type SortDirection = 'asc' | 'desc'
export type SortKey =
  | { readonly kind: 'field'; readonly field: string; readonly direction: SortDirection }
  | {
      readonly kind: 'geo'
      readonly latitude: number
      readonly longitude: number
      readonly direction: SortDirection
    }
/** The first key decides, the next ones break its ties. */
export type SortTree = readonly SortKey[]

export type SortFaultCode = 'invalid_search_sort' | 'invalid_document_sort'

/** @throws EngineFault of `code` for the first invalid expression */
export const parseSort = (expressions: readonly string[], code: SortFaultCode): SortTree =>
  expressions.map((expression) => parseKey(expression, code))

function parseKey(expression: string, code: SortFaultCode): SortKey {
  const colon = expression.lastIndexOf(':')
  const direction = expression.slice(colon + 1)
  if (colon < 0 || (direction !== 'asc' && direction !== 'desc')) {
    throw new EngineFault(
      code,
      'Invalid syntax for the sort parameter: ' +
        `expected expression ending by \`:asc\` or \`:desc\`, found \`${expression}\`.`,
    )
  }
  const field = expression.slice(0, colon)
  if (field.startsWith('_geoPoint')) return { ...parsePoint(field, code), direction }
  const reserved = reservedProblem(field)
  if (reserved !== null) throw new EngineFault(code, reserved)
  return { kind: 'field', field, direction }
}

const POINT = /^_geoPoint\(([^,]*),([^,]*)\)$/

type Point = { readonly kind: 'geo'; readonly latitude: number; readonly longitude: number }

function parsePoint(text: string, code: SortFaultCode): Point {
  const parts = POINT.exec(text)
  const latitude = parseFloatText(parts?.[1]?.trim() ?? '')
  const longitude = parseFloatText(parts?.[2]?.trim() ?? '')
  if (latitude === null || longitude === null) {
    throw new EngineFault(
      code,
      'Invalid syntax for the geo parameter: expected expression formated like ' +
        '`_geoPoint(latitude, longitude)` and ending by `:asc` or `:desc`, ' +
        `found \`${text}\`.`,
    )
  }
  const problem = latitudeProblem(latitude) ?? longitudeProblem(longitude)
  if (problem !== null) throw new EngineFault(code, problem)
  return { kind: 'geo', latitude, longitude }
}

/** Geo filters used as a sort: the fault points to the sort by distance. */
const PLACE_FILTERS: ReadonlySet<string> = new Set(['_geoRadius', '_geoBoundingBox'])
const POLYGON = '_geoPolygon'
const RESERVED: ReadonlySet<string> = new Set(['_geo', '_geojson', '_geoDistance'])

function reservedProblem(field: string): string | null {
  const open = field.indexOf('(')
  const word = open < 0 ? field : field.slice(0, open)
  // With corners it is treated as an unsortable field name; clients rely on it.
  const isHinted = field === '_geo' || field === POLYGON || PLACE_FILTERS.has(word)
  if (!isHinted && !RESERVED.has(word)) return null
  const sentence =
    `\`${isHinted ? word : field}\` is a reserved keyword ` +
    "and thus can't be used as a sort expression."
  const hint =
    'Use the _geoPoint(latitude, longitude) built-in rule to sort on _geo field coordinates.'
  return isHinted ? `${sentence} ${hint}` : sentence
}

export type SortChecks = {
  readonly code: SortFaultCode
  readonly sortableAttributes: readonly string[]
  /** Other fields are not named in messages; null names all, as on document routes. */
  readonly displayedAttributes: readonly string[] | null
  /** Ranking rules of a search, which must include `sort`; null on document routes. */
  readonly rankingRules: readonly string[] | null
  readonly indexUid: IndexUid | null
}

/** Checks that the index can be sorted by these keys. @throws EngineFault of `checks.code` */
export function checkSortable(keys: SortTree, checks: SortChecks): void {
  if (keys.length === 0) return
  const { code, indexUid, rankingRules, sortableAttributes } = checks
  if (rankingRules !== null && !rankingRules.includes('sort')) {
    const sentence =
      'You must specify where `sort` is listed in the rankingRules setting ' +
      'to use the sort parameter at search time.'
    throw new EngineFault(code, named(indexUid, sentence))
  }
  // Both lists may have thousands of elements; most keys are found by their name.
  const names = new Set(sortableAttributes)
  for (const key of keys) {
    const field = key.kind === 'geo' ? '_geo' : key.field
    if (names.has(field) || names.has('*')) continue
    if (key.kind !== 'geo' && sortableAttributes.some((name) => covers(name, field))) continue
    const listed = [...names].sort(compareText)
    const available =
      listed.length === 0
        ? 'This index does not have configured sortable attributes.'
        : 'Available sortable attributes are: ' +
          `\`${listDisplayed(listed, checks.displayedAttributes)}\`.`
    const isPattern = listed.some((name) => matchesPattern(name, field))
    const hint = isPattern ? ' Of patterns only `*` is known there: list the names.' : ''
    throw new EngineFault(
      code,
      named(indexUid, `Attribute \`${field}\` is not sortable. ${available}${hint}`),
    )
  }
}
