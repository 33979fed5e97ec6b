// Checks the fields that a request names for facets, for facet search and as its distinct field,
// with the messages for refused ones.
import { compareText } from '../../../format/bytes/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import { EngineFault } from '../../model/index.ts'
import { covers, matchesPattern } from '../../settings/schema/index.ts'
import type { FilterableAttribute } from '../../settings/values/index.ts'
import {
  allowsFilter,
  type FilterRules,
  isFilterable,
  named,
  patternsOf,
} from '../filter-syntax/index.ts'

/**
 * Returns the fields whose values a search with `facets: requested` reports, in byte order.
 * `fields` are all names of the index. A pattern selects the fields it matches, and a selected
 * field includes fields nested in it; each has to be filterable itself. @throws EngineFault
 * invalid_search_facets
 */
export function selectFacets(
  requested: readonly string[],
  rules: FilterRules,
  fields: Iterable<string>,
): readonly string[] {
  for (const pattern of requested) checkFacetPattern(pattern, rules)
  const exact = new Set(requested)
  const wild = requested.filter((pattern) => pattern.startsWith('*') || pattern.endsWith('*'))
  const open = [...fields].filter((field) => isFilterable(rules, field))
  const selected = new Set(
    open.filter((field) => exact.has(field) || wild.some((w) => matchesPattern(w, field))),
  )
  return open.filter((field) => isIn(selected, field)).sort(compareText)
}

/** Returns true if the field or one of its parents belongs to the set. */
function isIn(names: ReadonlySet<string>, field: string): boolean {
  if (names.has(field)) return true
  for (let dot = field.indexOf('.'); dot >= 0; dot = field.indexOf('.', dot + 1)) {
    if (names.has(field.slice(0, dot))) return true
  }
  return false
}

/** @throws EngineFault invalid_search_facets for a pattern that no rule concerns */
function checkFacetPattern(pattern: string, rules: FilterRules): void {
  const isName = !pattern.startsWith('*') && !pattern.endsWith('*')
  let forbidding = isName ? forbiddingRule(rules, pattern) : null
  if (forbidding === null) {
    for (let index = 0; index < rules.attributes.length; index++) {
      const attribute = rules.attributes[index]!
      if (!touches(attribute, pattern)) continue
      if (typeof attribute === 'string' || allowsFilter(attribute.features)) return
      forbidding ??= index
    }
  }
  const sentence =
    forbidding === null
      ? `Pattern \`${pattern}\` is not filterable. ${availablePatterns(rules)}`
      : `Attribute \`${pattern}\` matched rule #${forbidding} in filterableAttributes, ` +
        `but this rule does not enable filtering.\n` +
        `Hint: enable filtering in rule #${forbidding} by modifying the features.filter object\n` +
        `Hint: prepend another rule matching \`${pattern}\` with appropriate filter features ` +
        `before rule #${forbidding}`
  throw new EngineFault('invalid_search_facets', `Invalid facet distribution: ${sentence}`)
}

/** Returns the position of the field's rule if that rule disables filtering. */
function forbiddingRule(rules: FilterRules, field: string): number | null {
  const rule = rules.ruleOf(field)
  return rule !== null && !allowsFilter(rule.features) ? rule.index : null
}

/**
 * Returns true if an entry and a requested pattern may match the same field, or one nested in the
 * other.
 */
function touches(attribute: FilterableAttribute, requested: string): boolean {
  return patternsOf(attribute).some(
    (own) =>
      matchesPattern(requested, own) ||
      covers(requested, own) ||
      (typeof attribute === 'string' ? covers(own, requested) : matchesPattern(own, requested)),
  )
}

const NO_FILTERABLE = 'This index does not have configured filterable attributes.'

const availablePatterns = (rules: FilterRules): string =>
  rules.filterable.length === 0
    ? NO_FILTERABLE
    : `Available filterable attributes patterns are: \`${rules.filterable.join(', ')}\`.`

/** @throws EngineFault invalid_search_distinct */
export function checkDistinct(
  field: string,
  rules: FilterRules,
  displayed: readonly string[] | null,
  indexUid: IndexUid | null,
): void {
  const rule = rules.ruleOf(field)
  if (rule !== null && allowsFilter(rule.features)) return
  const listed = listDisplayed(rules.filterable, displayed)
  let reason = `Available filterable attributes patterns are: \`${listed}\`.`
  if (rule !== null) {
    reason =
      `Note: this attribute matches rule #${rule.index} in filterableAttributes, ` +
      'but this rule does not enable filtering.\n' +
      `Hint: enable filtering in rule #${rule.index} by adding appropriate filter features.\n` +
      `Hint: prepend another rule matching ${field} with filter features before rule #${rule.index}`
  } else if (rules.filterable.length === 0) reason = NO_FILTERABLE
  const sentence =
    `Attribute \`${field}\` is not filterable and thus, cannot be used as distinct attribute. ` +
    reason
  throw new EngineFault('invalid_search_distinct', named(indexUid, sentence))
}

/** @throws EngineFault invalid_facet_search_facet_name */
export function checkFacetSearchable(
  field: string,
  rules: FilterRules,
  displayed: readonly string[] | null,
): void {
  const rule = rules.ruleOf(field)
  if (rule?.features.facetSearch) return
  const remedy = 'To make it facet-searchable add it to the `filterableAttributes` index settings.'
  const listed = listDisplayed(rules.facetSearchable, displayed)
  let reason = `Available facet-searchable attributes patterns are: \`${listed}\`. ${remedy}`
  if (rule !== null) {
    reason =
      `Note: this attribute matches rule #${rule.index} in filterableAttributes, ` +
      'but this rule does not enable facetSearch.\n' +
      `Hint: enable facetSearch in rule #${rule.index} ` +
      'by adding `"facetSearch": true` to the rule.\n' +
      `Hint: prepend another rule matching ${field} with facetSearch: true ` +
      `before rule #${rule.index}`
  } else if (rules.facetSearchable.length === 0) {
    reason = `This index does not have configured facet-searchable attributes. ${remedy}`
  }
  throw new EngineFault(
    'invalid_facet_search_facet_name',
    `Attribute \`${field}\` is not facet-searchable. ${reason}`,
  )
}

/**
 * Names for a message: those that hits do not show are only reported as hidden. `displayed` is null
 * if all are shown.
 */
export function listDisplayed(
  names: readonly string[],
  displayed: readonly string[] | null,
): string {
  if (displayed === null) return names.join(', ')
  const shown = names.filter((name) => displayed.some((field) => covers(field, name)))
  const hidden = shown.length < names.length ? ['<..hidden-attributes>'] : []
  return [...shown, ...hidden].join(', ')
}
