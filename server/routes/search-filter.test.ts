// Filters of callers are combined with those of searches.
import { expect, it } from 'vitest'
import { openFilter } from '../../engine/read/filter/index.ts'
import type { Caller } from '../http/index.ts'
import { EVERYTHING } from '../http/index.ts'
import { withCallersFilter } from './search-filter.ts'

const filterOf = (asked: unknown, added: unknown): unknown => {
  const caller: Caller = { ...EVERYTHING, filterOf: () => added }
  return withCallersFilter({ filter: asked }, caller, 'shop').filter
}

it('a search of a caller without rules is unchanged', () => {
  const asked = { filter: 'a = 1', q: 'x' }
  expect(withCallersFilter(asked, EVERYTHING, 'shop')).toBe(asked)
  expect(withCallersFilter(asked, { ...EVERYTHING, filterOf: () => null }, 'shop')).toBe(asked)
})

it('both filters apply', () => {
  expect(filterOf('a = 1', 'b = 2')).toEqual(['a = 1', 'b = 2'])
  expect(filterOf(['a = 1', ['c', 'd']], [['e', 'f']])).toEqual(['a = 1', ['c', 'd'], ['e', 'f']])
  expect(filterOf(3, 'b = 2')).toEqual([3, 'b = 2'])
})

it('a single filter becomes a list as well, unless it has an invalid type', () => {
  expect(filterOf(null, 'b = 2')).toEqual(['b = 2'])
  expect(filterOf(null, ['b', ['c']])).toEqual(['b', ['c']])
  expect(filterOf(null, 3)).toBe(3)
  expect(filterOf(null, {})).toEqual({})
})

it('a large filter stays text', () => {
  const large = (filter: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(filter))
  const shown = (asked: unknown, added: unknown): unknown => {
    const both = filterOf(large(asked), added)
    expect(both).toBeInstanceOf(Uint8Array)
    return openFilter(both)
  }
  expect(shown(['a = 1', ['c', 'd']], [['e', 'f']])).toEqual(['a = 1', ['c', 'd'], ['e', 'f']])
  expect(shown({ a: [1, 2] }, 'b = "é"')).toEqual([{ a: [1, 2] }, 'b = "é"'])
  expect(shown([], 'b = 2')).toEqual(['b = 2'])
  expect(shown(['a'], [])).toEqual(['a'])
})
