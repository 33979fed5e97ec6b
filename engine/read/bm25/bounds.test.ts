// The best documents found by bounds, compared with those of scoring all: over segments with dead
// copies, filters, pages, weights, fields.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { weightIn } from '../../settings/scoring/index.ts'
import { buildGraph, parseQuery, TermSpace } from '../query-graph/index.ts'
import { SmallText } from '../query-graph/test-support.ts'
import { EVERYWHERE, type Scope, TextIndex } from '../segment-text/index.ts'
import { Relevance, statisticsOf } from './index.ts'
import type { OracleDocument } from './test-oracle.ts'

const VOCABULARY =
  'river rivers ravine stone stones store lantern lanterns lampern light lights nightfall sun flower sunflower'
const words = VOCABULARY.split(' ')
const text = fc.array(fc.constantFrom(...words), { maxLength: 10 }).map((list) => list.join(' '))
const document = fc.record({ title: text, body: text }, { requiredKeys: [] })
const documents = fc.array(document, { minLength: 2, maxLength: 60 })
const term = fc.constantFrom(...words, 'rivver', 'lantarn', 'nightfell', 'li', '"sun flower"')
const query = fc.uniqueArray(term, { minLength: 1, maxLength: 8 })
const weight = fc.constantFrom(0, 0.5, 1, 3)
type Options = {
  readonly k1: number
  readonly b: number
  readonly weights: { readonly [field: string]: number }
  readonly isTitleAlone: boolean
  readonly segments: number
  readonly smallDocumentsMax: number
}

const options: fc.Arbitrary<Options> = fc.record({
  k1: fc.constantFrom(0, 0.5, 1.2, 3),
  b: fc.constantFrom(0, 0.4, 0.75, 1),
  weights: fc.record({ title: weight, '*': weight }, { requiredKeys: [] }),
  isTitleAlone: fc.boolean(),
  segments: fc.integer({ min: 1, max: 4 }),
  smallDocumentsMax: fc.constantFrom(0, 12),
})
const never = (): boolean => false

/** Scores documents of an index, by bounds from `boundedMin` documents on. */
function relevanceOf(
  small: Pick<SmallText, 'search' | 'ids'>,
  index: TextIndex,
  q: string,
  one: Options,
  boundedMin: number,
): Relevance {
  const { search } = small
  const scope: Scope = one.isTitleAlone ? { key: '0', fields: [0] } : EVERYWHERE
  const space = new TermSpace(index, search.rules, scope, () => search.searchableFields())
  const graph = buildGraph(parseQuery(search.analyzer.tokenize(q, null), true), space)!
  const { b, k1, weights } = one
  const weightOf = (field: number): number => weightIn(weights, search.fields[field]!)
  const statistics = statisticsOf(index, small.ids.size)
  return new Relevance(space, graph, { k1, b, weightOf }, statistics, boundedMin)
}

describe('bounds', () => {
  it('find the documents that scoring all finds', () => {
    const part = fc.nat(20)
    fc.assert(
      fc.property(documents, query, options, part, part, (all, terms, one, count, skipped) => {
        const small = new SmallText(all as OracleDocument[], {}, one.segments)
        const index = new TextIndex(small.index.segments, one)
        const universe = small.ids.andNot(IdSet.range(skipped, skipped + 5))
        const q = terms.join(' ')
        const wanted = relevanceOf(small, index, q, one, Infinity).best(universe, count, never)
        const least = Math.min(count, universe.size)
        const last = wanted.scores[least - 1] ?? 0
        // Documents without a score are equal, whichever of them follow.
        const end = wanted.scores.filter((score) => score >= last && score > 0).length
        for (let search = 0; search < 2; search++) {
          const found = relevanceOf(small, index, q, one, 0).best(universe, count, never)
          expect(found.ids.length).toBeGreaterThanOrEqual(least)
          expect(found.ids.slice(0, end)).toEqual(wanted.ids.slice(0, end))
          expect(found.scores.slice(0, least)).toEqual(wanted.scores.slice(0, least))
        }
      }),
      { numRuns: 100 },
    )
  })

  it('hold for searches of older views, in which more documents live', () => {
    const all = Array.from({ length: 60 }, (_, i) => ({ title: i % 3 === 0 ? 'river' : 'stone' }))
    // The average length stays the same, so that the bounds of one view are those of another.
    const plain = { k1: 1.2, b: 0.75, weights: {}, isTitleAlone: false, segments: 1 }
    const one = { ...plain, smallDocumentsMax: 0 }
    const small = new SmallText(all)
    const [segment] = small.index.segments
    const bestOf = (dead: IdSet, universe: IdSet): number[] => {
      const index = new TextIndex([{ ...segment!, dead }], one)
      const relevance = relevanceOf({ search: small.search, ids: universe }, index, 'river', one, 0)
      return [...relevance.best(universe, 3, never).ids.slice(0, 3)]
    }
    const dead = IdSet.of([0, 3])
    expect(bestOf(dead, small.ids.andNot(dead))).toEqual([6, 9, 12])
    expect(bestOf(IdSet.empty, small.ids)).toEqual([0, 3, 6])
    const more = IdSet.of([0, 3, 6])
    expect(bestOf(more, small.ids.andNot(more))).toEqual([9, 12, 15])
  })

  it('find the best of many documents whose bounds are nearly equal', () => {
    const all = Array.from({ length: 3000 }, (_, i) => ({
      title: i % 3 === 0 ? 'river' : 'river stone',
      body: `${'river '.repeat((i * 7) % 5)}${'stone '.repeat((i * 11) % 17)}light`,
    }))
    const small = new SmallText(all)
    const plain = { isTitleAlone: false, segments: 1, smallDocumentsMax: 0, weights: {} }
    for (const [q, count, k1, b] of [
      ['river stone', 20, 1.2, 0.75],
      ['river', 3, 0.5, 0.01],
      ['light stone river', 300, 1.2, 0],
    ] as const) {
      const one = { ...plain, k1, b }
      const wanted = relevanceOf(small, small.index, q, one, Infinity).best(small.ids, count, never)
      const end = wanted.scores.filter((score) => score >= wanted.scores[count - 1]!).length
      const found = relevanceOf(small, small.index, q, one, 0).best(small.ids, count, never)
      expect(found.ids.slice(0, end)).toEqual(wanted.ids.slice(0, end))
      expect(found.scores.slice(0, end)).toEqual(wanted.scores.slice(0, end))
    }
  })

  it('keep the last document that is wanted, however much better the others are', () => {
    const all = Array.from({ length: 3000 }, (_, i) => ({
      title: 'river',
      body: i === 2000 ? 'river river river' : 'stone',
    }))
    const small = new SmallText(all)
    const options = { isTitleAlone: false, segments: 1, smallDocumentsMax: 0, k1: 1.2, b: 0.75 }
    const best = (documentsMax: number) =>
      relevanceOf(small, small.index, 'river', { ...options, weights: {} }, documentsMax).best(
        small.ids,
        2,
        never,
      )
    const { ids, scores } = best(0)
    expect(Array.from(ids.slice(0, 3))).toEqual([2000, 0, 1])
    expect(scores).toEqual(best(Infinity).scores)
    expect(scores[0]).toBeGreaterThan(1.2 * scores[1]!)
  })

  it('follow parameters and averages', () => {
    const all = Array.from({ length: 40 }, (_, i) => ({
      title: i === 30 ? 'river river river' : 'river',
      body: i === 20 ? 'river' : 'stone '.repeat(1 + (i % 7)).trim(),
    }))
    const small = new SmallText(all)
    const plain = { isTitleAlone: false, segments: 1, smallDocumentsMax: 0 }
    const first = (k1: number, b: number, weights: Options['weights']): number => {
      const one = { ...plain, k1, b, weights }
      return relevanceOf(small, small.index, 'river', one, 0).best(small.ids, 1, never).ids[0]!
    }
    expect(first(1.2, 0.75, {})).toBe(20)
    expect(first(1.2, 0, {})).toBe(30)
    expect(first(1.2, 0, { title: 0.5, '*': 3 })).toBe(20)
    expect(first(1.2, 0, { title: 3, '*': 0 })).toBe(30)
  })
})
