// Small parts of requests: facets with their keys, and the moment that boosts share.
import { expect, it } from 'vitest'
import { wholeSecond } from './boosts.ts'
import { attributeOf, rangeKey, requestedFacets } from './facet-request.ts'

it('facets are those of both members', () => {
  const ranged = { attribute: 'b', ranges: [] }
  expect(requestedFacets(null, null)).toEqual([])
  expect(requestedFacets(['a', ranged], null)).toEqual(['a', ranged])
  const disjunctive = { attribute: 'c', disjunctive: true }
  expect(requestedFacets(null, ['c'])).toEqual([disjunctive])
  expect(requestedFacets(['a', ranged], ['c']).map(attributeOf)).toEqual(['a', 'b', 'c'])
})

it('a range has its own key, or that of its ends', () => {
  expect([
    rangeKey({ key: '', from: 1 }),
    rangeKey({ key: 'cheap', to: 1 }),
    rangeKey({ from: 0, to: 1.5 }),
    rangeKey({ from: -1 }),
    rangeKey({ to: 1e21 }),
    rangeKey({}),
  ]).toEqual(['', 'cheap', '0..1.5', '-1..', '..1000000000000000000000', '..'])
})

it('boosts share the moment of a second', () => {
  expect([1999, 2000, 2001].map(wholeSecond)).toEqual([1000, 2000, 2000])
})
