// Settings of older dumps, in the shape of the newest one.
import { type Members, membersOf } from './dump-error.ts'

/**
 * `attributesForFaceting` was an earlier name of `filterableAttributes`; a rule was written
 * `asc(price)` then, and one rule of that time is gone.
 */
export function newerSettings(value: unknown, place: string): Members {
  const { attributesForFaceting, rankingRules, ...rest } = membersOf(value ?? {}, place)
  const filterable = rest['filterableAttributes'] ?? attributesForFaceting
  return {
    ...rest,
    ...(filterable === undefined ? {} : { filterableAttributes: filterable }),
    ...(Array.isArray(rankingRules)
      ? { rankingRules: rankingRules.map(newerRule).filter((rule) => rule !== 'wordsPosition') }
      : {}),
  }
}

const OLD_RULE = /^(asc|desc)\(([^()]+)\)$/

const newerRule = (rule: unknown): unknown => {
  const [, order, field] = OLD_RULE.exec(String(rule)) ?? []
  return order === undefined ? rule : `${field}:${order}`
}
