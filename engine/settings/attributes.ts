// Which fields a setting speaks of: names that cover what is nested in them, patterns with `*`.
import type { FilterableAttribute, FilterFeatures, IndexSettings } from './types.ts'

/** Whether `name` is the field itself or an object that `field` is nested in. */
export const covers = (name: string, field: string): boolean =>
  field.startsWith(name) && (field.length === name.length || field[name.length] === '.')

/**
 * Whether a pattern stands for a field. `*` counts first, last, or both; anywhere else it is
 * itself. A pattern without a star is the very name: what is nested in it is another field.
 */
export function matchesPattern(pattern: string, field: string): boolean {
  const first = pattern.startsWith('*')
  const last = pattern.endsWith('*')
  if (pattern === '*') return true
  if (first && last) return field.includes(pattern.slice(1, -1))
  if (first) return field.endsWith(pattern.slice(1))
  if (last) return field.startsWith(pattern.slice(0, -1))
  return pattern === field
}

/** What a plain name in `filterableAttributes` allows: everything. */
export const FEATURES_OF_A_NAME: FilterFeatures = {
  facetSearch: true,
  filter: { equality: true, comparison: true },
}

/** The rule in force for a field and its place in the list; the first that matches wins. */
export function filterableRuleOf(
  rules: readonly FilterableAttribute[],
  field: string,
): { readonly index: number; readonly features: FilterFeatures } | null {
  for (let index = 0; index < rules.length; index++) {
    const rule = rules[index]!
    if (typeof rule === 'string') {
      if (covers(rule, field)) return { index, features: FEATURES_OF_A_NAME }
    } else if (rule.attributePatterns.some((pattern) => matchesPattern(pattern, field))) {
      return { index, features: rule.features }
    }
  }
  return null
}

/**
 * The languages allowed for a field, as three-letter codes; null: any. The first matching rule
 * wins.
 */
export function localesOf(settings: IndexSettings, field: string): readonly string[] | null {
  for (const rule of settings.localizedAttributes ?? []) {
    if (rule.attributePatterns.some((pattern) => matchesPattern(pattern, field)))
      return rule.locales
  }
  return null
}

/**
 * The place of a field in `searchableAttributes`, which is its weight (the first name that covers
 * it counts); 0 when every field is searchable, null when this one is not.
 */
export function searchableRankOf(settings: IndexSettings, field: string): number | null {
  const names = settings.searchableAttributes
  if (names === null) return 0
  const rank = names.findIndex((name) => covers(name, field))
  return rank < 0 ? null : rank
}

/** Whether hits show a field, itself or as part of a displayed object. */
export const isDisplayed = (settings: IndexSettings, field: string): boolean =>
  settings.displayedAttributes === null ||
  settings.displayedAttributes.some((name) => covers(name, field))

/** Whether results may be sorted by a field. */
export const isSortable = (settings: IndexSettings, field: string): boolean =>
  settings.sortableAttributes.some((name) => covers(name, field))
