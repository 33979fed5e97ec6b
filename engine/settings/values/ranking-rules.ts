// The rules by which results are ranked, most important first: known rules, and messages about
// others.
import { texts } from '../../../format/schema/index.ts'
import { EngineFault } from '../../model/index.ts'
import { namesInside, setting } from '../schema/index.ts'

export const rankingRules = setting<readonly string[]>()({
  code: 'invalid_settings_ranking_rules',
  advice:
    'send an array of known rules, `attribute:asc` and `attribute:desc`, without repetitions.',
  change: 'whole',
  default: ['words', 'typo', 'proximity', 'attributeRank', 'sort', 'wordPosition', 'exactness'],
  stored: texts,
  merge(_, rules) {
    refuseMixed(rules)
    return rules
  },
  check: refuseMixed,
  fromOlderDump: (given) =>
    Array.isArray(given)
      ? given.map(newerRule).filter((rule) => rule !== 'wordsPosition')
      : undefined,
  dumpProblem: (rules) => rules.map(rankingRuleProblem).find((problem) => problem !== null) ?? null,
  fieldNames: fieldsOf,
  keeps: {
    layer: 'columns',
    fields(rules) {
      const fields = fieldsOf(rules)
      return {
        holds: (field) => fields.includes(field),
        holdsBelow: (field) => fields.some((name) => namesInside(field, name)),
      }
    },
  },
})

/** Returns the fields whose values rank. */
function fieldsOf(rules: readonly string[]): readonly string[] {
  return rules.flatMap((rule) => {
    const parsed = rankingRuleOf(rule)
    return parsed?.kind === 'field' ? [parsed.field] : []
  })
}

function refuseMixed(rules: readonly string[]): void {
  const problem = rankingRulesProblem(rules)
  if (problem !== null) throw new EngineFault('invalid_settings_ranking_rules', problem)
}

const OLD_RULE = /^(asc|desc)\(([^()]+)\)$/

/** Converts the old form `asc(price)` of a rule; one old rule no longer exists and is dropped. */
function newerRule(rule: unknown): unknown {
  const [, order, field] = OLD_RULE.exec(String(rule)) ?? []
  return order === undefined ? rule : `${field}:${order}`
}

const BUILT_IN_RULES = [
  'words',
  'typo',
  'proximity',
  'attribute',
  'attributeRank',
  'wordPosition',
  'sort',
  'exactness',
  'bm25',
] as const
type BuiltInRule = (typeof BUILT_IN_RULES)[number]

/** A parsed rule: a built-in one, or the values of a field in one direction. */
export type RankingRule =
  | { readonly kind: 'built-in'; readonly name: BuiltInRule }
  | { readonly kind: 'field'; readonly field: string; readonly order: 'asc' | 'desc' }

const builtIn: ReadonlySet<string> = new Set(BUILT_IN_RULES)

/** Parses one rule; returns null if it is invalid. Does not check reserved names. */
export function rankingRuleOf(rule: string): RankingRule | null {
  if (builtIn.has(rule)) return { kind: 'built-in', name: rule as BuiltInRule }
  if (rule.endsWith(':asc')) return { kind: 'field', field: rule.slice(0, -4), order: 'asc' }
  if (rule.endsWith(':desc')) return { kind: 'field', field: rule.slice(0, -5), order: 'desc' }
  return null
}

/** Returns the problem of one rule, or null. */
export function rankingRuleProblem(rule: string): string | null {
  const parsed = rankingRuleOf(rule)
  if (parsed === null) {
    return (
      `\`${rule}\` ranking rule is invalid. Valid ranking rules are words, typo, sort, ` +
      'proximity, attribute, exactness and custom ranking rules.'
    )
  }
  return parsed.kind === 'built-in' ? null : reservedProblem(parsed.field)
}

const FOR_SORTING = ['_geoPoint']
const FOR_FILTERING = ['_geoRadius', '_geoBoundingBox', '_geoPolygon']
const RESERVED = ['_geo', '_geojson', '_geoDistance']

const reservedProblem = (field: string): string | null => {
  const sentence = (name: string): string =>
    `\`${name}\` is a reserved keyword and thus can't be used as a ranking rule`
  if (RESERVED.includes(field)) return sentence(field)
  for (const name of FOR_SORTING) {
    if (isCallOf(name, field))
      return `${sentence(name)}. \`${name}\` can only be used for sorting at search time`
  }
  for (const name of FOR_FILTERING) {
    if (isCallOf(name, field)) {
      return `${sentence(name)}. \`${name}\` can only be used for filtering at search time`
    }
  }
  return null
}

const isCallOf = (name: string, field: string): boolean =>
  field === name || field.startsWith(`${name}(`)

/** Returns the problem of a list of rules that are valid individually, or null. */
function rankingRulesProblem(rules: readonly string[]): string | null {
  const mixed =
    rules.includes('attribute') &&
    (rules.includes('attributeRank') || rules.includes('wordPosition'))
  if (!mixed) return null
  return (
    'Mixed usage of the attribute, attributeRank, and wordPosition ranking rules. ' +
    'You must either use the attribute ranking rule alone or the attributeRank and ' +
    'wordPosition ranking rules.'
  )
}
