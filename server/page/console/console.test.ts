// Places of hits, and the requests of the console, without a browser.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { columnsOf } from '../search/hit-table.ts'
import { changeText, placeChanges } from './places.ts'
import { exampleOf, KINDS, type Kind, pathOf } from './requests.ts'

describe('two lists of hits', () => {
  it('differ by the places of their hits', () => {
    const changes = placeChanges(['c', 'a', 'x', 'd'], ['a', 'b', 'c', 'd'])
    expect(changes.map(changeText)).toEqual(['↑ 2', '↓ 1', 'only here', '='])
  })

  it('have each hit at the place that its change tells', () => {
    const keys = fc.uniqueArray(fc.string({ maxLength: 2 }), { maxLength: 12 })
    fc.assert(
      fc.property(keys, keys, (now, before) => {
        placeChanges(now, before).forEach(({ change, by }, place) => {
          const old = change === 'up' ? place + by : change === 'down' ? place - by : place
          expect(before[old] === now[place]).toBe(change !== 'new')
          expect(change === 'new').toBe(!before.includes(now[place]!))
        })
      }),
    )
  })
})

describe('the console', () => {
  it('has a path and a body for each kind of request', () => {
    expect(Object.keys(KINDS).map((kind) => pathOf(kind as Kind, 'a'))).toEqual([
      '/indexes/a/search',
      '/indexes/a/facet-search',
      '/indexes/a/similar',
      '/multi-search',
    ])
    expect(exampleOf('multi-search', 'a', 'b')).toEqual({
      queries: [{ indexUid: 'a', q: 'b', limit: 10 }],
    })
  })

  it('shows the primary key first, then the fields of most hits, without those of the search', () => {
    const hits = [
      { b: 1, id: 1, _formatted: {} },
      { c: 1, b: 2, id: 2 },
    ]
    expect(columnsOf(hits, 'id')).toEqual(['id', 'b', 'c'])
    expect(columnsOf(hits, null)).toEqual(['b', 'id', 'c'])
    expect(columnsOf([], 'id')).toEqual([])
  })
})
