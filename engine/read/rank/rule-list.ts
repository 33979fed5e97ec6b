// Creates the rules of one search from the `rankingRules` setting
// (docs/search-semantics.md#ranking).
import type { MatchingStrategy } from '../../model/index.ts'
import { rankingRuleOf } from '../../settings/values/index.ts'
import { AnyWordsRule } from './any-words-rule.ts'
import { AttributeRankRule } from './attribute-rank-rule.ts'
import { Bm25Rule } from './bm25-rule.ts'
import { ExactAttributeRule, ExactWordsRule } from './exactness-rule.ts'
import { ProximityRule } from './proximity-rule.ts'
import type { RankingRule, RuleContext } from './rule.ts'
import { TypoRule } from './typo-rule.ts'
import { WordPositionRule } from './word-position-rule.ts'
import { WordsRule } from './words-rule.ts'

/**
 * Creates the rules that order by values: those of the request's `sort`, and those of single
 * fields.
 */
export interface ValueRules {
  /**
   * Returns the rules of the request's `sort`, in order, without fields that have a rule already.
   */
  requested(): readonly RankingRule[]
  /**
   * Returns the rule of a `field:asc` or `field:desc` setting, or null if the field has a rule
   * already.
   */
  custom(field: string, ascending: boolean): RankingRule | null
}

/** The rules of a search with words. */
export function keywordRules(
  names: readonly string[],
  strategy: MatchingStrategy,
  context: RuleContext,
  values: ValueRules,
): RankingRule[] {
  const rules: RankingRule[] = []
  const seen = new Set<string>()
  const once = (name: string, make: () => RankingRule[]): void => {
    if (seen.has(name)) return
    seen.add(name)
    rules.push(...make())
  }
  const words = (): void => {
    if (strategy === 'any') once('words', () => [new AnyWordsRule()])
    else if (strategy !== 'all') once('words', () => [new WordsRule(strategy)])
  }
  for (const name of names) {
    const parsed = rankingRuleOf(name)
    if (parsed === null) continue
    if (parsed.kind === 'field') {
      const rule = values.custom(parsed.field, parsed.order === 'asc')
      if (rule !== null) rules.push(rule)
      continue
    }
    if (parsed.name === 'sort') {
      once('sort', () => [...values.requested()])
      continue
    }
    if (parsed.name === 'bm25') {
      once('bm25', () => [new Bm25Rule(context)])
      continue
    }
    words()
    switch (parsed.name) {
      case 'typo':
        once('typo', () => [new TypoRule()])
        break
      case 'proximity':
        once('proximity', () => [new ProximityRule(context)])
        break
      case 'attribute':
        once('attributeRank', () => [new AttributeRankRule(context)])
        once('wordPosition', () => [new WordPositionRule(context)])
        break
      case 'attributeRank':
        once('attributeRank', () => [new AttributeRankRule(context)])
        break
      case 'wordPosition':
        once('wordPosition', () => [new WordPositionRule(context)])
        break
      case 'exactness':
        once('exactness', () => [new ExactAttributeRule(context), new ExactWordsRule()])
        break
    }
  }
  return rules
}

/** The rules of a search without words: only values order. */
export function placeholderRules(names: readonly string[], values: ValueRules): RankingRule[] {
  const rules: RankingRule[] = []
  let sorted = false
  for (const name of names) {
    const parsed = rankingRuleOf(name)
    if (parsed?.kind === 'field') {
      const rule = values.custom(parsed.field, parsed.order === 'asc')
      if (rule !== null) rules.push(rule)
    } else if (parsed?.name === 'sort' && !sorted) {
      sorted = true
      rules.push(...values.requested())
    }
  }
  return rules
}
