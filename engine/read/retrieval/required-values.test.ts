// Conditions of search rules: values that a filter demands, words, times, and rules that are sent.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import type { Features, RuleConditions, SearchRequest } from '../../model/index.ts'
import { parseFilter } from '../filter/input.ts'
import { type FilterTree, filterWording } from '../filter-syntax/index.ts'
import type { SearchRule } from '../search-rules/index.ts'
import { appliedRules, inlineRuleOutcomes } from './applied-rules.ts'
import { missingValue } from './required-values.ts'

const treeOf = (filter: unknown): FilterTree | null =>
  parseFilter(filter, {
    wording: filterWording('search', 'parsing', asIndexUid('x')),
    features: { containsFilter: true, foreignKeys: true, multimodal: true, network: true },
    takesForeign: true,
  })

describe('values that a filter demands', () => {
  const A1 = { a: '1' }
  const BOTH = { a: '1', b: 'x' }
  it.each<[unknown, { readonly [attribute: string]: unknown }, string | null]>([
    [null, {}, null],
    [null, A1, 'a'],
    ['a = 1', A1, null],
    ['a = 1', { a: 1 }, null],
    ['a = É', { a: 'é' }, null],
    ['a = É', { a: 'e' }, 'a'],
    ['a = 2', A1, 'a'],
    ['b = 1', A1, 'a'],
    ['a != 1', A1, 'a'],
    ['a >= 1', A1, 'a'],
    ['NOT a = 1', A1, 'a'],
    ['a EXISTS', A1, 'a'],
    ['a IN [2, 1]', A1, null],
    ['a IN [2, 3]', A1, 'a'],
    ['b IN [1]', A1, 'a'],
    ['a = 1', { a: ['2', '1'] }, null],
    ['a = 3', { a: ['2', '1'] }, 'a'],
    ['a = 1 AND b = x', BOTH, null],
    ['a = 1 AND c = 2', BOTH, 'b'],
    ['b = x', BOTH, 'a'],
    ['a = 1 OR b = x', BOTH, 'b'],
    ['(a = 1 OR c = 2) AND b = x', BOTH, null],
    ['(a = 1 AND b = x) OR c = 2', BOTH, null],
    ['c = 2 OR (b = x AND a = 1)', BOTH, null],
    ['c = 2 OR d = 3', BOTH, 'a'],
    ['c[a = 1]', { 'c.a': '1' }, null],
    ['c[a = 1]', A1, 'a'],
    [['a = 1', ['b = x', 'c = 2']], BOTH, null],
    // With the most values that are demanded.
    ['b = x OR (a = 1 AND c = 2)', { a: '1', b: 'x', c: '2' }, 'b'],
  ])('%j, of %j: %s is missing', (filter, required, missing) => {
    expect(missingValue(treeOf(filter), required)).toBe(missing)
  })

  it('are found among very many alternatives', () => {
    const values = Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${i}`, '1']))
    const filter = Object.keys(values).map((name) => [`${name} = 1`, 'z = 1', `${name} = 2`])
    expect(missingValue(treeOf(filter), values)).toBeNull()
    expect(missingValue(treeOf(filter.slice(1)), values)).toBe('f0')
  })
})

describe('a rule', () => {
  const NOW = Date.parse('2024-05-05T12:00:00Z')
  beforeEach(() => void vi.spyOn(Date, 'now').mockReturnValue(NOW))
  afterEach(() => void vi.restoreAllMocks())

  const ON = { dynamicSearchRules: true } as Features
  const actions = { pin: [{ id: '1', position: 0 }] }
  const rule = (uid: string, conditions: RuleConditions = {}, precedence?: number): SearchRule => ({
    uid,
    lastUpdatedAt: 0,
    active: true,
    conditions,
    actions,
    ...(precedence === undefined ? {} : { precedence }),
  })
  type Sent = Pick<SearchRequest, 'q' | 'inlineRule'>
  const request = (q: string | null, inlineRule: unknown = null) => ({ q, inlineRule }) as Sent
  const time = (start?: string, end?: string): RuleConditions => ({
    time: { ...(start === undefined ? {} : { start }), ...(end === undefined ? {} : { end }) },
  })

  it.each<[RuleConditions, string | null, unknown, object]>([
    [{}, 'a', null, {}],
    [time('2024-05-05T12:00:00Z'), '', null, { satisfiesTimeCondition: 'satisfied' }],
    [time('2024-05-05T12:00:01Z'), '', null, { satisfiesTimeCondition: 'tooEarly' }],
    [time(undefined, '2024-05-05T12:00:00Z'), '', null, { satisfiesTimeCondition: 'satisfied' }],
    [
      time('2024-05-01T00:00:00Z', '2024-05-05T11:59:59Z'),
      '',
      null,
      { satisfiesTimeCondition: 'tooLate' },
    ],
    [{ query: { isEmpty: true } }, ' ', null, { satisfiesQueryEmptyCondition: 'satisfied' }],
    [{ query: { isEmpty: true } }, null, null, { satisfiesQueryEmptyCondition: 'satisfied' }],
    [{ query: { isEmpty: true } }, 'a', null, { satisfiesQueryEmptyCondition: 'queryNotEmpty' }],
    [{ query: { isEmpty: false } }, 'a', null, { satisfiesQueryEmptyCondition: 'satisfied' }],
    [{ query: { isEmpty: false } }, '', null, { satisfiesQueryEmptyCondition: 'queryEmpty' }],
    [
      { query: { words: 'Red, shoe' } },
      'a RED shoe',
      null,
      { satisfiesQueryWordsCondition: 'satisfied' },
    ],
    [
      { query: { words: 'red shoe' } },
      'red shoes',
      null,
      { satisfiesQueryWordsCondition: { missingWord: { word: 'shoe' } } },
    ],
    [
      { query: { words: '!' } },
      '!',
      null,
      { satisfiesQueryWordsCondition: { missingWord: { word: '!' } } },
    ],
    [
      { query: { words: 'k' } },
      'a b c d e f g h i j k',
      null,
      { satisfiesQueryWordsCondition: { missingWord: { word: 'k' } } },
    ],
    [
      { query: { words: 'j' } },
      'a b c d e f g h i j k',
      null,
      { satisfiesQueryWordsCondition: 'satisfied' },
    ],
    [{ filter: { values: { a: 1 } } }, '', 'a = 1', { satisfiesFilterCondition: 'satisfied' }],
    [
      { filter: { values: { a: 1 } } },
      '',
      'a = 2',
      { satisfiesFilterCondition: { missingFacet: { facet: 'a' } } },
    ],
  ])(
    'with the conditions %j, the query %j and the filter %j',
    (conditions, q, filter, outcomes) => {
      const tree = treeOf(filter)
      const holds = Object.values(outcomes).every((outcome) => outcome === 'satisfied')
      const applied = appliedRules([rule('r', conditions)], { request: request(q), tree }, ON)
      expect(applied.map(({ uid }) => uid)).toEqual(holds ? ['r'] : [])
      const sent = { uid: 's', active: false, conditions, actions: {} }
      expect(inlineRuleOutcomes({ request: request(q, sent), tree })).toEqual({
        satisfiesActiveCondition: false,
        ...outcomes,
      })
    },
  )

  it('has to satisfy all of its conditions', () => {
    const all = { ...time('2024-01-01T00:00:00Z'), query: { isEmpty: false, words: 'a' } }
    const of = (q: string) =>
      appliedRules([rule('r', all)], { request: request(q), tree: null }, ON)
    expect([of('a').length, of('b').length, of('').length]).toEqual([1, 0, 0])
  })

  it('that is sent stands among the others, in place of the one with its uid', () => {
    const stored = [rule('a', {}, 1), rule('b', {}, 3)]
    const uids = (inline: object | null, features = ON, given = stored) =>
      appliedRules(given, { request: request('', inline), tree: null }, features).map(
        ({ uid, precedence }) => `${uid}${precedence ?? ''}`,
      )
    const sent = { uid: 'c', active: true, precedence: 2, conditions: {}, actions }
    expect(uids(null)).toEqual(['a1', 'b3'])
    expect(uids(sent)).toEqual(['a1', 'c2', 'b3'])
    expect(uids({ ...sent, uid: 'a' })).toEqual(['a2', 'b3'])
    expect(uids({ ...sent, uid: 'a', active: false })).toEqual(['b3'])
    expect(uids({ ...sent, actions: {} })).toEqual(['a1', 'b3'])
    expect(uids(sent, ON, [])).toEqual(['c2'])
    expect(uids(sent, { dynamicSearchRules: false } as Features)).toEqual([])
    expect(inlineRuleOutcomes({ request: request(''), tree: null })).toBeNull()
  })
})
