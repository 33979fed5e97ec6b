// How the facets of a request, names, patterns and objects, say together how one field is counted.
import { expect, it } from 'vitest'
import type { FacetRequest } from '../../model/index.ts'
import { countedFacet, selects } from './counted-facet.ts'

it('counts plainly, and adds what any of the requests asks for', () => {
  const plain = { field: 'a.b', isDisjunctive: false, hasSums: false, order: null, buckets: null }
  expect(countedFacet(['*'], 'a.b')).toEqual(plain)
  const requested: readonly FacetRequest[] = [
    { attribute: 'a', stats: true },
    { attribute: '*b', disjunctive: true },
    { attribute: 'c', order: 'count' },
  ]
  expect(countedFacet(requested, 'a.b')).toEqual({ ...plain, isDisjunctive: true, hasSums: true })
})

it('takes order and buckets from the request with the name of the field, or else from the first', () => {
  const first = { attribute: 'a*', order: 'count' } as const
  const own = { attribute: 'ab', order: 'alpha' } as const
  const orderOf = (...requested: readonly FacetRequest[]) => countedFacet(requested, 'ab').order
  expect(orderOf(first, own)).toBe('alpha')
  expect(orderOf(own, first)).toBe('alpha')
  expect(orderOf(first, { attribute: '*', order: 'alpha' })).toBe('count')
  expect(orderOf('ab', first)).toBe('count')
  const day = { attribute: '*', calendar: 'day' } as const
  const ranges = { attribute: 'ab', ranges: [{ from: 1 }] }
  expect(countedFacet([day, first, ranges], 'ab')).toMatchObject({
    order: 'count',
    buckets: { name: countedFacet([ranges], 'ab').buckets!.name },
  })
})

it('selects a field by its name, by a parent, by a pattern', () => {
  expect(['a', 'a.b', 'a*', '*.c', '*'].map((facet) => selects(facet, 'a.b.c'))).toEqual(
    Array(5).fill(true),
  )
  expect(['b', 'a.b.c.d', 'ab*'].some((facet) => selects(facet, 'a.b.c'))).toBe(false)
})
