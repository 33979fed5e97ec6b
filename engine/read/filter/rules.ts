// `filterableAttributes` at work: which rule a field falls under and what that rule allows. Rules
// are looked at in their order and the first that matches wins, also where it forbids.
import { compareText } from '../../../format/bytes/index.ts'
import {
  type FilterableAttribute,
  type FilterFeatures,
  filterableRuleOf,
} from '../../settings/index.ts'

type RuleMatch = { readonly index: number; readonly features: FilterFeatures }

export type FilterRules = {
  readonly attributes: readonly FilterableAttribute[]
  /** The rule in force for a field, filterable or not; null where none matches. */
  readonly ruleOf: (field: string) => RuleMatch | null
  /**
   * Names and patterns that allow filtering, and those that allow facet search: distinct, in byte
   * order.
   */
  readonly filterable: readonly string[]
  readonly facetSearchable: readonly string[]
  /** Whether geo filters work, on points and on shapes: only the plain names open them. */
  readonly hasGeo: boolean
  readonly hasGeojson: boolean
}

/** Fields whose rule is remembered. Names come from requests, so that there is no end to them. */
const REMEMBERED_MAX = 4096

export function compileRules(attributes: readonly FilterableAttribute[]): FilterRules {
  const remembered = new Map<string, RuleMatch | null>()
  const ruleOf = (field: string): RuleMatch | null => {
    const known = remembered.get(field)
    if (known !== undefined) return known
    const found = filterableRuleOf(attributes, field)
    if (remembered.size === REMEMBERED_MAX) remembered.clear()
    remembered.set(field, found)
    return found
  }
  return {
    attributes,
    ruleOf,
    filterable: patternsWhere(attributes, allowsFilter),
    facetSearchable: patternsWhere(attributes, (features) => features.facetSearch),
    hasGeo: attributes.includes('_geo'),
    hasGeojson: attributes.includes('_geojson'),
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
