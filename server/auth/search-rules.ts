// The rules of a tenant token: the indexes that it may search, and the filter for each.
import { patternsOf } from '../../engine/index.ts'
import type { IndexUid } from '../../format/ids.ts'
import { anyObject, isValid, mapOf, nullable, texts } from '../../format/schema/index.ts'

export type SearchRules = {
  /** As they were written. */
  readonly patterns: readonly string[]
  readonly match: (indexUid: string) => boolean
  /** Returns the filter of the rule that applies, as a JSON value, or null. */
  readonly filterOf: (indexUid: IndexUid) => unknown
}

const RULES = mapOf(nullable(anyObject))

/**
 * Reads the rules from the JSON of the claim, or returns null if it has neither of the two forms.
 */
export function readSearchRules(json: unknown): SearchRules | null {
  if (isValid(texts, json)) return rulesOf(new Map(json.map((pattern) => [pattern, null])))
  if (!isValid(RULES, json)) return null
  const filters = Object.entries(json).map(([pattern, rule]): [string, unknown] => [
    pattern,
    rule?.['filter'] ?? null,
  ])
  return rulesOf(new Map(filters))
}

function rulesOf(filters: ReadonlyMap<string, unknown>): SearchRules {
  const patterns = [...filters.keys()]
  // The longest prefix first, so the star alone comes last.
  const prefixes = patterns
    .filter((pattern) => pattern.endsWith('*'))
    .sort((a, b) => b.length - a.length)
  const { match } = patternsOf(patterns)
  const filterOf = (indexUid: IndexUid): unknown => {
    const isName = filters.has(indexUid) && !indexUid.endsWith('*')
    const rule = isName
      ? indexUid
      : prefixes.find((pattern) => indexUid.startsWith(pattern.slice(0, -1)))
    return rule === undefined ? null : filters.get(rule)
  }
  return { patterns, match, filterOf }
}
