// Lists the fields of an index with the effect of its settings on each: displayed, searchable,
// sortable, filterable, languages. A field is listed once any document has contained it, and stays
// listed.
import { BRACKET, BRACKET_END, COMMA, compareText, KiB } from '../../../format/bytes/index.ts'
import { JsonBuffer } from '../../../format/json/index.ts'
import type { FieldsFilter, FieldsRequest } from '../../model/index.ts'
import { covers, matchesPattern } from '../../settings/schema/index.ts'
import {
  isDisplayed,
  isSortable,
  localesOf,
  rankingRuleOf,
  searchableRankOf,
} from '../../settings/values/index.ts'
import { facetOrderOf, MemberWriter, writeValue } from '../answers/index.ts'
import { isFilterable } from '../filter-syntax/index.ts'
import type { SearchableView } from '../jobs/index.ts'

/** Objects with coordinates and vectors contain no searchable text. */
const NOT_TEXT = ['_geo', '_geojson', '_vectors'] as const

/** Returns `{results, offset, limit, total}` as JSON, ordered by name in byte order. */
export function runFields(view: SearchableView, request: FieldsRequest): Uint8Array {
  const { offset, limit, filter } = request
  const names = fieldNames(view).filter((name) => filter === null || passes(view, name, filter))
  names.sort(compareText)
  const out = new JsonBuffer(8 * KiB)
  const members = new MemberWriter(out)
  members.begin('results').byte(BRACKET)
  names.slice(offset, offset + limit).forEach((name, i) => {
    if (i > 0) out.byte(COMMA)
    writeValue(out, fieldOf(view, name))
  })
  out.byte(BRACKET_END)
  members.value('offset', offset)
  members.value('limit', limit)
  members.value('total', names.length)
  members.end()
  return out.finish()
}

/** Adds both halves of `_geo`, whose columns exist only once a setting needs them. */
function fieldNames({ ref }: SearchableView): readonly string[] {
  if (!ref.fields.includes('_geo')) return ref.fields
  return [...new Set([...ref.fields, '_geo.lat', '_geo.lng'])]
}

function passes(view: SearchableView, name: string, filter: FieldsFilter): boolean {
  const patterns = filter.attributePatterns
  if (patterns !== null && !patterns.some((pattern) => matchesPattern(pattern, name))) return false
  const { settings, filterRules } = view
  const agrees = (required: boolean | null, is: () => boolean): boolean =>
    required === null || required === is()
  return (
    agrees(filter.displayed, () => isDisplayed(settings, name)) &&
    agrees(filter.searchable, () => isSearchable(view, name)) &&
    agrees(filter.sortable, () => isSortable(settings, name)) &&
    agrees(filter.distinct, () => settings.distinctAttribute === name) &&
    agrees(filter.rankingRule, () => orderOf(view, name) !== null) &&
    agrees(filter.filterable, () => isFilterable(filterRules, name))
  )
}

function fieldOf(view: SearchableView, name: string): object {
  const { settings, filterRules } = view
  const order = orderOf(view, name)
  const features = filterRules.ruleOf(name)?.features
  return {
    name,
    displayed: { enabled: isDisplayed(settings, name) },
    searchable: { enabled: isSearchable(view, name) },
    sortable: { enabled: isSortable(settings, name) },
    distinct: { enabled: settings.distinctAttribute === name },
    rankingRule: order === null ? { enabled: false } : { enabled: true, order },
    filterable: {
      enabled: isFilterable(filterRules, name),
      sortBy: facetOrderOf(view, name, null),
      facetSearch: features?.facetSearch ?? false,
      equality: features?.filter.equality ?? false,
      comparison: features?.filter.comparison ?? false,
    },
    localized: { locales: isText(name) ? languagesOf(view, name) : [] },
  }
}

const isText = (name: string): boolean => !NOT_TEXT.some((object) => covers(object, name))

const isSearchable = ({ settings }: SearchableView, name: string): boolean =>
  isText(name) && searchableRankOf(settings, name) !== null

/** Returns the direction of a ranking rule for the field, or null without such a rule. */
function orderOf({ settings }: SearchableView, name: string): 'asc' | 'desc' | null {
  for (const rule of settings.rankingRules) {
    const parsed = rankingRuleOf(rule)
    if (parsed?.kind === 'field' && parsed.field === name) return parsed.order
  }
  return null
}

/** Language codes in the form of this list: `Eng`. */
const languagesOf = ({ settings }: SearchableView, name: string): readonly string[] =>
  (localesOf(settings, name) ?? []).map((code) => code.charAt(0).toUpperCase() + code.slice(1))
