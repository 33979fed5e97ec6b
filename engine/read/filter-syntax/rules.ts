// `filterableAttributes` in compiled form: the rule of a field, and what the rule enables. The
// first matching rule applies, even if it disables filtering.
import { compareText } from '../../../format/bytes/index.ts'
import {
  type FilterableAttribute,
  type FilterFeatures,
  filterableRuleOf,
} from '../../settings/values/index.ts'

type RuleMatch = { readonly index: number; readonly features: FilterFeatures }

export type FilterRules = {
  readonly attributes: readonly FilterableAttribute[]
  /** Returns the rule of a field, filterable or not, or null if no rule matches. */
  readonly ruleOf: (field: string) => RuleMatch | null
  /**
   * Names and patterns that enable filtering, and those that enable facet search: distinct, in byte
   * order.
   */
  readonly filterable: readonly string[]
  readonly facetSearchable: readonly string[]
  /** True if geo filters work, on points and on shapes: only plain names and `*` enable them. */
  readonly hasGeo: boolean
  readonly hasGeojson: boolean
}

/** Fields with a cached rule. Names come from requests, so their number is unlimited. */
const CACHED_FIELDS_MAX = 4096

export function compileRules(attributes: readonly FilterableAttribute[]): FilterRules {
  const cached = new Map<string, RuleMatch | null>()
  const ruleOf = (field: string): RuleMatch | null => {
    const cachedRule = cached.get(field)
    if (cachedRule !== undefined) return cachedRule
    const found = filterableRuleOf(attributes, field)
    if (cached.size === CACHED_FIELDS_MAX) cached.clear()
    cached.set(field, found)
    return found
  }
  return {
    attributes,
    ruleOf,
    filterable: patternsWhere(attributes, allowsFilter),
    facetSearchable: patternsWhere(attributes, (features) => features.facetSearch),
    hasGeo: attributes.includes('_geo') || attributes.includes('*'),
    hasGeojson: attributes.includes('_geojson') || attributes.includes('*'),
  }
}

export const allowsFilter = (features: FilterFeatures): boolean =>
  features.filter.equality || features.filter.comparison

export function isFilterable(rules: FilterRules, field: string): boolean {
  const rule = rules.ruleOf(field)
  return rule !== null && allowsFilter(rule.features)
}

/** The names or patterns of one entry. */
export const patternsOf = (attribute: FilterableAttribute): readonly string[] =>
  typeof attribute === 'string' ? [attribute] : attribute.attributePatterns

function patternsWhere(
  attributes: readonly FilterableAttribute[],
  allows: (features: FilterFeatures) => boolean,
): readonly string[] {
  const patterns = attributes
    .filter((attribute) => typeof attribute === 'string' || allows(attribute.features))
    .flatMap(patternsOf)
  return [...new Set(patterns)].sort(compareText)
}
