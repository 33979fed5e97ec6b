// The facets, values and highlights of answers, without a browser.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { mark, question } from '../test-question.ts'
import { facetsOf, MARK_BEGINS, MARK_ENDS, markedPieces, partedFacets, valuesOf } from './query.ts'

describe('answers', () => {
  it('have refined facets, also those without a value', () => {
    const ticked = new Map([
      ['brand', new Set(['a'])],
      ['gone', new Set(['b'])],
    ])
    const facets = facetsOf(question({ ticked }), {
      hits: [],
      processingTimeMs: 1,
      facetDistribution: { brand: { a: 1, c: 9 }, stars: { 1: 2 } },
      facetStats: { stars: { min: 1, max: 1 } },
    })
    expect(facets.map(({ name }) => name)).toEqual(['brand', 'stars', 'gone'])
    expect(facets[0]?.counts).toEqual({ a: 1, c: 9 })
    expect(facets[1]?.stats).toEqual({ min: 1, max: 1 })
    expect(valuesOf(facets[0]!, new Set(['a']))).toEqual([
      { value: 'a', count: 1 },
      { value: 'c', count: 9 },
    ])
    expect(facets[2]).toEqual({ name: 'gone', counts: {}, stats: null })
    expect(valuesOf(facets[2]!, new Set(['b']))).toEqual([{ value: 'b', count: 0 }])
  })

  it('have ticked values first, then those of most documents, then by name', () => {
    const counts = { d: 2, b: 2, a: 1, c: 3, f: 0 }
    const values = valuesOf({ name: 'n', counts, stats: null }, new Set(['a', 'e', 'f']))
    expect(values.map(({ value, count }) => `${value} ${count}`).join()).toBe(
      'a 1,e 0,f 0,c 3,b 2,d 2',
    )
  })

  it('have no facets of coordinates; facets without values are listed separately', () => {
    const counts = {
      _geo: {},
      '_geo.lat': { 1: 1 },
      _geojson: {},
      _geology: {},
      gone: {},
      a: { b: 1 },
    }
    const refined = question({ ticked: new Map([['gone', new Set(['x'])]]) })
    const facets = facetsOf(refined, { hits: [], processingTimeMs: 1, facetDistribution: counts })
    const { filled, empty } = partedFacets(refined, facets)
    expect(filled.map(({ name }) => name)).toEqual(['gone', 'a'])
    expect(empty).toEqual(['_geology'])
    const measured = { name: 'm', counts: {}, stats: { min: 1, max: 2 } }
    expect(partedFacets(question(), [measured])).toEqual({ filled: [measured], empty: [] })
  })

  it('are split at highlights; the pieces together are the text', () => {
    expect(markedPieces(`a ${mark('b')} c ${mark('d')}`)).toEqual(['a ', 'b', ' c ', 'd', ''])
    expect(markedPieces('plain')).toEqual(['plain'])
    expect(markedPieces(`${MARK_BEGINS}open`)).toEqual([`${MARK_BEGINS}open`])
    const texts = fc.array(fc.constantFrom('a', 'b c', MARK_BEGINS, MARK_ENDS, '<i>'))
    fc.assert(
      fc.property(texts, (parts) => {
        const text = parts.join('')
        const pieces = markedPieces(text)
        expect(pieces.length % 2).toBe(1)
        const again = pieces.map((piece, i) => (i % 2 === 1 ? mark(piece) : piece)).join('')
        expect(again).toBe(text)
      }),
    )
  })
})
