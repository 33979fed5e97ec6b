// Samples of sets of documents, and the choice whether distances are read later. The order of the
// buckets is compared with a model in `ranking.test.ts`.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { sample } from '../../../format/idset/test-support.ts'
import { SmallText } from '../query-graph/test-support.ts'
import type { Pair } from '../segment-text/index.ts'
import { SampledPairs } from './delayed-proximity.ts'
import { spreadIds } from './pair-buckets.ts'

describe('ids spread over a set', () => {
  it('are members in ascending order, as many as wanted or fewer', () => {
    fc.assert(
      fc.property(sample, fc.integer({ min: 1, max: 300 }), ({ model, set }, count) => {
        const found = [...spreadIds(set, count)]
        expect(found.length).toBeLessThanOrEqual(count)
        expect(found.length > 0).toBe(model.size > 0)
        expect(found.every((id, i) => model.has(id) && (i === 0 || found[i - 1]! < id))).toBe(true)
      }),
    )
  })

  it('come from all parts of it', () => {
    for (const step of [1, 100]) {
      const all = IdSet.of(Array.from({ length: 3200 }, (_, i) => i * step))
      const found = spreadIds(all, 10)
      expect(found).toHaveLength(10)
      found.forEach((id, i) => {
        expect(Math.abs(id - i * 320 * step)).toBeLessThanOrEqual(32 * step)
      })
    }
  })
})

describe('pairs of many documents', () => {
  const DOCUMENTS = 600
  /** Pairs of `a b` and `b c` where one document in `step` has `a b c`, others `a c b`. */
  const pairs = (step: number): { readonly sampled: SampledPairs; readonly best: IdSet } => {
    const texts = Array.from({ length: DOCUMENTS }, (_, i) => (i % step === 0 ? 'a b c' : 'a c b'))
    const small = new SmallText(texts.map((t) => ({ t })))
    const { index } = small.space()
    const word = (text: string) => [index.word(text)!]
    const pair = (left: string, right: string): Pair => ({
      left: word(left),
      right: word(right),
      rightPrefix: null,
      byWord: true,
    })
    const graph = small.graph('a b c', small.space())!
    const scoreOf = (rank: number, max: number) => ({ kind: 'proximity', rank, max }) as const
    const path = { index, graph, pairs: [pair('a', 'b'), pair('b', 'c')], base: 0, scoreOf }
    return {
      sampled: new SampledPairs(path, small.ids),
      best: small.ids.and(IdSet.of(texts.flatMap((text, id) => (text === 'a b c' ? [id] : [])))),
    }
  }

  it('are read later if a page is soon full', () => {
    expect(pairs(2).sampled.paysDelay(20, 4)).toBe(true)
    expect(pairs(2).sampled.paysDelay(200, 4)).toBe(false)
    expect(pairs(DOCUMENTS).sampled.paysDelay(20, 4)).toBe(false)
  })

  it('have their best bucket, and the others by cost', () => {
    const { best, sampled } = pairs(3)
    expect([...sampled.best(sampled.universe.toArray())]).toEqual([...best.toArray()])
    const source = sampled.buckets(sampled.universe)
    const buckets: { readonly size: number; readonly cost: number }[] = []
    let left = sampled.universe
    for (let next = source.next(left); next !== null; next = source.next(left)) {
      const cost = next.score.kind === 'proximity' ? next.score.rank : -1
      buckets.push({ size: next.ids.size, cost })
      left = left.andNot(next.ids)
    }
    // `a c b`: one word between a and b, and b behind c.
    expect(buckets).toEqual([
      { size: 200, cost: 0 },
      { size: 400, cost: 2 },
    ])
    expect(left.isEmpty).toBe(true)
  })
})
