// The rules of a tenant token: which indexes may be searched, and under which filter.
import { patternsOf } from '../../engine/index.ts'

export type SearchRules = {
  /** As they were written. */
  readonly patterns: readonly string[]
  readonly match: (indexUid: string) => boolean
  /** The filter of the rule that applies: any JSON; null: none. */
  readonly filterOf: (indexUid: string) => unknown
}

/** The rules in the JSON of the claim; null: it has none of the two shapes. */
export function readSearchRules(json: unknown): SearchRules | null {
  if (Array.isArray(json)) {
    const isTexts = json.every((pattern): pattern is string => typeof pattern === 'string')
    return isTexts ? rulesOf(new Map(json.map((pattern) => [pattern, null]))) : null
  }
  if (!isObject(json)) return null
  const filters = new Map<string, unknown>()
  for (const [pattern, rule] of Object.entries(json)) {
    if (rule !== null && !isObject(rule)) return null
    filters.set(pattern, rule?.['filter'] ?? null)
  }
  return rulesOf(filters)
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

const isObject = (json: unknown): json is { readonly [name: string]: unknown } =>
  typeof json === 'object' && json !== null && !Array.isArray(json)
