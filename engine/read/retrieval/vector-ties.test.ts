// Documents that are equally near, and the vectors of queries.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { IdSet } from '../../../format/idset/index.ts'
import { DEFAULT_SEARCH } from '../../model/index.ts'
import { type SearchKind, VectorNeeded } from '../jobs/index.ts'
import { embedderOf, queryVector, requireDimensions } from './query-vector.ts'
import { tiesInOrder, withTies } from './vector-ties.ts'
import { scoreBy } from './vectors.ts'

const neighbours = fc
  .array(fc.integer({ min: 0, max: 4 }), { minLength: 1, maxLength: 60 })
  .map((all) =>
    all
      .map((similarity, id) => ({ id: id as never, similarity }))
      .sort((a, b) => b.similarity - a.similarity),
  )

describe('ties', () => {
  it('with the last of the nearest are all read', () => {
    fc.assert(
      fc.property(neighbours, fc.integer({ min: 1, max: 70 }), (all, count) => {
        const found = withTies((wanted) => all.slice(0, wanted), count)
        const last = all[Math.min(count, all.length) - 1]!.similarity
        const needed = all.filter(({ similarity }) => similarity >= last)
        expect(found.slice(0, needed.length)).toEqual(needed)
      }),
    )
  })

  it('are read up to a number', () => {
    let most = 0
    const same = (wanted: number) => {
      most = Math.max(most, wanted)
      return Array.from({ length: wanted }, (_, id) => ({ id: id as never, similarity: 1 }))
    }
    expect(withTies(same, 10).length).toBe(most)
    expect(most).toBeGreaterThanOrEqual(65_536)
    expect(most).toBeLessThan(2 * 65_536 + 1)
    expect(withTies(same, 1)).toHaveLength(65_536)
    const apart = (wanted: number) =>
      Array.from({ length: wanted }, (_, id) => ({ id: id as never, similarity: -id }))
    expect(withTies(apart, 10)).toHaveLength(11)
  })

  it('come in their order, within equal similarities alone', () => {
    const ties = { first: (set: IdSet, n: number) => set.toArray().reverse().slice(0, n) }
    fc.assert(
      fc.property(neighbours, (all) => {
        const ordered = tiesInOrder(all, ties as never)
        const expected = all.toSorted((a, b) => b.similarity - a.similarity || b.id - a.id)
        expect(ordered).toEqual(expected)
      }),
    )
  })
})

describe('the vector of a query', () => {
  const viewOf = (embedder: object, dimensions: number | null = null) =>
    ({
      settings: { embedders: { e: embedder }, searchCutoffMs: null },
      vectors: () => ({ dimensions }),
    }) as never
  const own = { source: 'userProvided', dimensions: 2 }
  const made = { source: 'ollama', model: 'm' }
  const ask = (view: never, kind: SearchKind, more: object = {}) =>
    queryVector(
      view,
      { ...DEFAULT_SEARCH, q: 'a', hybrid: { embedder: 'e', semanticRatio: 0.5 }, ...more },
      kind,
    )

  it('is the one that was sent, or that was computed', () => {
    expect(ask(viewOf(own), 'semantic', { vector: Float64Array.of(1, 2) })).toEqual(
      Float32Array.of(1, 2),
    )
    const computed = { queryVector: Float32Array.of(3, 4) }
    expect(ask(viewOf(made), 'hybrid', computed)).toBe(computed.queryVector)
    const both = { ...computed, vector: Float64Array.of(1, 2) }
    expect(ask(viewOf(made), 'hybrid', both)).toEqual(Float32Array.of(1, 2))
  })

  it('is needed if it can be computed', () => {
    const needed = ask(viewOf(made), 'hybrid', { queryNumber: 4 })
    expect(needed).toBeInstanceOf(VectorNeeded)
    expect((needed as VectorNeeded).needed).toMatchObject({
      query: 4,
      cutoffMs: 1500,
      isOptional: true,
      embedder: { source: 'ollama' },
    })
    expect(() => ask(viewOf(made), 'semantic')).toThrow(
      expect.objectContaining({ needed: expect.objectContaining({ query: 0, isOptional: false }) }),
    )
  })

  it('is null for a hybrid search whose words decide alone', () => {
    expect(ask(viewOf(own), 'hybrid')).toBeNull()
    expect(ask(viewOf(made), 'hybrid', { queryVector: null })).toBeNull()
  })

  it.each([
    [own, { q: 'red' }, 'user provided:\n  - `red`'],
    [own, { q: null }, '- ``'],
    [made, { queryVector: null, media: {} }, "doesn't have source `rest`"],
  ])('is refused: %j, %j', (embedder, more, words) => {
    expect(() => ask(viewOf(embedder), 'semantic', more)).toThrow(
      expect.objectContaining({
        code: 'vector_embedding_error',
        message: expect.stringContaining(words),
      }),
    )
  })

  it.each([
    [own, null, 2, null],
    [own, 3, 3, '2'],
    [made, 3, 3, null],
    [made, 3, 2, '3'],
    [made, null, 7, null],
  ])(
    'of %j, with stored ones of %j, may have %i dimensions: %j',
    (embedder, stored, found, wanted) => {
      const view = viewOf(embedder, stored)
      const spec = embedderOf(view, 'e', 'invalid_search_embedder')
      const check = () => requireDimensions(view, spec, found)
      if (wanted === null) expect(check).not.toThrow()
      else expect(check).toThrow(`expected: \`${wanted}\`, found: \`${found}\``)
    },
  )

  it('needs an embedder of the index', () => {
    for (const code of ['invalid_search_embedder', 'invalid_similar_embedder'] as const) {
      expect(() => embedderOf(viewOf(own), 'f', code)).toThrow(
        expect.objectContaining({ code, message: 'Cannot find embedder with name `f`.' }),
      )
    }
  })

  it('gives scores that are shifted by the distribution', () => {
    const scored = (distribution: object, similarity: number) =>
      scoreBy(viewOf({ ...own, distribution }), 'e')(similarity)
    const usual = { mean: 0.5, sigma: 0.25 }
    expect(scoreBy(viewOf(own), 'e')(0.3)).toBe(0.3)
    expect(scoreBy(viewOf({ ...own, distribution: usual }), 'f')(0.3)).toBe(0.3)
    expect(scored(usual, 0.5)).toBe(0.5)
    expect(scored(usual, 0.75)).toBeCloseTo(0.9, 6)
    expect(scored(usual, 0.25)).toBeCloseTo(0.1, 6)
    expect([scored(usual, 1), scored(usual, 0)]).toEqual([1, 2 ** -23])
    // Not shifted, so that the score is zero itself.
    expect([0, 0.25].map((one) => scored({ mean: 0.5, sigma: 0.4 }, one))).toEqual([2 ** -23, 0.25])
  })
})
