// The rules of a tenant token: which indexes may be searched, and under which filter.
import { patternsOf } from '../../engine/index.ts'
import { anyObject, isValid, mapOf, nullable, texts } from '../../format/schema/index.ts'

export type SearchRules = {
  /** As they were written. */
  readonly patterns: readonly string[]
  readonly match: (indexUid: string) => boolean
  /** The filter of the rule that applies: any JSON; null: none. */
  readonly filterOf: (indexUid: string) => unknown
}

const RULES = mapOf(nullable(anyObject))

/** The rules in the JSON of the claim; null: it has none of the two shapes. */
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
  // The longest beginning first: the star alone is the last of them.
  const beginnings = patterns
    .filter((pattern) => pattern.endsWith('*'))
    .sort((a, b) => b.length - a.length)
  const { match } = patternsOf(patterns)
  const filterOf = (indexUid: string): unknown => {
    const isName = filters.has(indexUid) && !indexUid.endsWith('*')
    const rule = isName
      ? indexUid
      : beginnings.find((pattern) => indexUid.startsWith(pattern.slice(0, -1)))
    return rule === undefined ? null : filters.get(rule)
  }
  return { patterns, match, filterOf }
}
