// Filters of callers are combined with those of searches.
import { expect, it } from 'vitest'
import { DEFAULT_SEARCH } from '../../../engine/index.ts'
import { openFilter } from '../../../engine/read/filter-syntax/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { EVERYTHING } from '../../http/index.ts'
import type { Caller } from '../../http/messages/index.ts'
import { narrowedSearch, withCallersFilter } from './search-filter.ts'

const filterOf = (filter: unknown, added: unknown): unknown => {
  const caller: Caller = { ...EVERYTHING, filterOf: () => added }
  return withCallersFilter({ filter: filter }, caller, asIndexUid('shop')).filter
}

it('returns the search of a caller without rules unchanged', () => {
  const search = { filter: 'a = 1', q: 'x' }
  expect(withCallersFilter(search, EVERYTHING, asIndexUid('shop'))).toBe(search)
  expect(
    withCallersFilter(search, { ...EVERYTHING, filterOf: () => null }, asIndexUid('shop')),
  ).toBe(search)
})

it('applies both filters', () => {
  expect(filterOf('a = 1', 'b = 2')).toEqual(['a = 1', 'b = 2'])
  expect(filterOf(['a = 1', ['c', 'd']], [['e', 'f']])).toEqual(['a = 1', ['c', 'd'], ['e', 'f']])
  expect(filterOf(3, 'b = 2')).toEqual([3, 'b = 2'])
})

it('returns a single filter as a list, unless it has an invalid type', () => {
  expect(filterOf(null, 'b = 2')).toEqual(['b = 2'])
  expect(filterOf(null, ['b', ['c']])).toEqual(['b', ['c']])
  expect(filterOf(null, 3)).toBe(3)
  expect(filterOf(null, {})).toEqual({})
})

it('keeps a large filter as text', () => {
  const large = (filter: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(filter))
  const shown = (filter: unknown, added: unknown): unknown => {
    const both = filterOf(large(filter), added)
    expect(both).toBeInstanceOf(Uint8Array)
    return openFilter(both)
  }
  expect(shown(['a = 1', ['c', 'd']], [['e', 'f']])).toEqual(['a = 1', ['c', 'd'], ['e', 'f']])
  expect(shown({ a: [1, 2] }, 'b = "é"')).toEqual([{ a: [1, 2] }, 'b = "é"'])
  expect(shown([], 'b = 2')).toEqual(['b = 2'])
  expect(shown(['a'], [])).toEqual(['a'])
})

it('counts the filters that facets never leave out', () => {
  const narrowed = (filter: unknown, added: unknown, joined = 0) => {
    const caller: Caller = { ...EVERYTHING, filterOf: () => added }
    const search = narrowedSearch({ ...DEFAULT_SEARCH, filter }, caller, asIndexUid('shop'), joined)
    return [search.filter, search.callerFilters]
  }
  expect(narrowed('a = 1', 'b = 2')).toEqual([['a = 1', 'b = 2'], 1])
  expect(narrowed(null, ['b', ['c', 'd']])).toEqual([['b', ['c', 'd']], 2])
  expect(narrowed(['a', 'b'], 'c', 1)).toEqual([['a', 'b', 'c'], 2])
  expect(narrowed(['a', 'b'], null, 1)).toEqual([['a', 'b'], 1])
  expect(narrowed(['a', 'b'], null)).toEqual([['a', 'b'], undefined])
})
