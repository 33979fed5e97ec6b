// Which searches can be merged, and the messages for those that cannot.
import { describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { defaultSettings } from '../../settings/index.ts'
import { PLAIN_SEARCH } from '../../testing/test-engine.ts'
import { parseSort } from '../filter/index.ts'
import { type RuleSlots, requireComparable, ruleSlots } from './federated-rules.ts'

const DEFAULTS = defaultSettings().rankingRules

const slotsOf = (
  at: number,
  {
    q = 'x',
    sort = [],
    rules = DEFAULTS,
  }: {
    readonly q?: string | null
    readonly sort?: readonly string[]
    readonly rules?: readonly string[]
  } = {},
): RuleSlots => {
  const settings = { ...defaultSettings(), rankingRules: rules }
  const request = { ...PLAIN_SEARCH, q, sort }
  return ruleSlots(
    at,
    asIndexUid(`i${at}`),
    settings,
    request,
    parseSort(sort, 'invalid_search_sort'),
  )
}

const kinds = (slots: RuleSlots): string[] => slots.slots.map(({ kind }) => kind)

const refusal = (a: RuleSlots, b: RuleSlots): string => {
  try {
    requireComparable(a, b)
  } catch (error) {
    return (error as Error).message
  }
  throw new Error('they can be compared')
}

describe('slots', () => {
  it('are one for consecutive relevancy rules, and one for each sort', () => {
    expect(kinds(slotsOf(0))).toEqual(['relevancy'])
    expect(kinds(slotsOf(0, { sort: ['a:asc', 'b:desc'] }))).toEqual(
      'relevancy,asc,desc,relevancy'.split(','),
    )
    expect(kinds(slotsOf(0, { q: ' ' }))).toEqual([])
    expect(kinds(slotsOf(0, { q: null, sort: ['_geoPoint(1,2):desc'] }))).toEqual(['geo desc'])
    expect(kinds(slotsOf(0, { rules: ['a:desc', 'words', 'b:asc'] }))).toEqual(
      'desc,relevancy,asc'.split(','),
    )
  })

  it('leave out repeated rules and put `words` first', () => {
    const { slots, notes } = slotsOf(3, {
      rules: ['typo', 'a:asc', 'typo', 'words', 'a:desc', 'sort'],
      sort: ['a:asc', 'c:desc'],
    })
    expect(slots.map(({ text }) => text)).toEqual([
      '`queries[3]`, `i3.rankingRules[0..=1]`: relevancy rule(s) words, typo',
      '`queries[3]`, `i3.rankingRules[2]`: ascending sort rule(s) a:asc',
      '`queries[3].sort[1]`, `i3.rankingRules[3]`: descending sort rule(s) on field `c`',
    ])
    expect(notes).toEqual([
      '   1. Added rule `words` in front of the first relevancy rule',
      '   2. Removed repeated rule `typo` at position #2 in ranking rules',
      '   3. Removed repeated rule `words` at position #3 in ranking rules',
      '   4. Removed repeated rule `a:desc` at position #4 in ranking rules',
    ])
  })
})

describe('two searches', () => {
  it('are compared up to the shorter list; the longer one is compared with further searches', () => {
    const short = slotsOf(0)
    const long = slotsOf(1, { sort: ['a:asc'] })
    expect(requireComparable(short, long)).toBe(long)
    expect(requireComparable(long, short)).toBe(long)
    const empty = slotsOf(2, { q: null })
    expect(requireComparable(empty, slotsOf(3, { q: null, sort: ['a:desc'] })).at).toBe(3)
  })

  it('are refused with both rules, the reason and the changes made to the rules', () => {
    expect(refusal(slotsOf(0), slotsOf(1, { rules: ['a:asc', 'words'] }))).toBe(
      'The results of queries #0 and #1 are incompatible: \n' +
        '  1. `queries[0]`, `i0.rankingRules[0..=5]`: relevancy rule(s) words, typo, proximity, ' +
        'attributeRank, wordPosition, exactness\n' +
        '  2. `queries[1]`, `i1.rankingRules[0]`: ascending sort rule(s) a:asc\n' +
        '  - cannot compare a relevancy rule with a sort rule\n' +
        '  - note: The ranking rules of query #0 were modified during canonicalization:\n' +
        '   1. Removed rule `sort` at position #4 in ranking rules because `query.sort` is empty\n',
    )
  })

  it.each([
    ['a:asc', 'b:desc', 'two sort rules in opposite directions'],
    ['_geoPoint(1,2):asc', 'b:asc', 'a sort rule with a geosort rule'],
    ['b:asc', '_geoPoint(1,2):asc', 'a sort rule with a geosort rule'],
    ['_geoPoint(1,2):asc', '_geoPoint(1,2):desc', 'two geosort rules in opposite directions'],
  ])('sorted by %s and by %s', (a, b, reason) => {
    const message = refusal(slotsOf(0, { q: '', sort: [a] }), slotsOf(1, { q: '', sort: [b] }))
    expect(message).toContain(`\n  - cannot compare ${reason}\n`)
    expect(message).toContain(
      '\n    1. Removed relevancy rule `words` at position #0 in ranking rules because the ' +
        'query is a placeholder search (`q`: "")\n',
    )
  })
})
