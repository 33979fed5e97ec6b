// The documents nearest to a vector, compared with a model that compares all of them; and the
// vectors of a document.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  clustered,
  encodeVectors,
  openVectors,
  type PlainDocument,
} from '../../../fixtures/format/vectors/model.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { CODED_ROWS_MIN } from '../../../format/vector-codes/limits.ts'
import { NO_FRAGMENT } from '../../../format/vectors/limits.ts'
import { SimilarityTo } from '../../../format/vectors/similarity.ts'
import { VectorIndex } from './vector-index.ts'

/** `slots`: of the vectors; a vector without a fragment has its position. */
type Model = {
  readonly id: number
  readonly vectors: readonly (readonly number[])[]
  readonly fragments: readonly number[] | null
}
type Part = { readonly documents: readonly Model[]; readonly dead: IdSet }

function segmentOf({ documents, dead }: Part) {
  const plain = documents.map(({ id, vectors, fragments }): PlainDocument => {
    const own = fragments === null ? {} : { fragments: Uint8Array.from(fragments) }
    const entry = { embedder: 'e', vectors, dimensions: 2, ...own }
    return { id, entries: [entry, { embedder: 'z', vectors: [[1]] }] }
  })
  return { ref: null as never, reader: openVectors(encodeVectors(plain)), dead }
}

const indexOf = (parts: readonly Part[], embedder = 'e'): VectorIndex =>
  new VectorIndex(parts.map(segmentOf), embedder)

const slotsOf = ({ vectors, fragments }: Model): readonly number[] =>
  vectors.map((_, i) => {
    const fragment = fragments?.[i] ?? NO_FRAGMENT
    return fragment === NO_FRAGMENT ? i : fragment
  })

/** The nearest documents by the definition. */
function nearest(
  parts: readonly Part[],
  query: Float32Array,
  among: IdSet,
  count: number,
  slot: number | null,
) {
  const comparison = new SimilarityTo(query)
  const found: { id: number; similarity: number }[] = []
  for (const part of parts) {
    const rows = segmentOf(part).reader.embedder('e')!
    let row = 0
    for (const model of part.documents) {
      const similarities = slotsOf(model).flatMap((own) => {
        const similarity = comparison.of(rows, row++)
        return slot === null || own === slot ? [similarity] : []
      })
      const isWanted = among.has(model.id) && !part.dead.has(model.id)
      if (!isWanted || similarities.length === 0) continue
      found.push({ id: model.id, similarity: Math.max(...similarities) })
    }
  }
  return found.sort((a, b) => b.similarity - a.similarity || a.id - b.id).slice(0, count)
}

/** Few values, so that many documents are as similar as others. */
const vector = fc.array(fc.constantFrom(-2, -1, 0, 1, 3), { minLength: 2, maxLength: 2 })
const fragment = fc.constantFrom(0, 1, NO_FRAGMENT)
const document = fc.array(fc.tuple(vector, fragment), { maxLength: 3 }).chain((rows) =>
  fc.boolean().map((hasFragments) => ({
    vectors: rows.map(([one]) => one),
    fragments: hasFragments ? rows.map(([, one]) => one) : null,
  })),
)
/** Segments, each with its own live documents and dead copies of others. */
const parts: fc.Arbitrary<readonly Part[]> = fc
  .array(fc.array(document, { minLength: 1, maxLength: 8 }), { minLength: 1, maxLength: 3 })
  .map((all) =>
    all.map((documents, part) => {
      const models = documents.map((one, i) => ({ ...one, id: i * all.length + part }))
      const copy = { id: 100 + part, vectors: [[1, 1]], fragments: null }
      return { documents: [...models, copy], dead: IdSet.of([copy.id]) }
    }),
  )
const EVERY = IdSet.range(0, 1000)

describe('the nearest documents', () => {
  it('are those of the definition', () => {
    const among = fc.option(fc.uniqueArray(fc.nat(24), { maxLength: 12 }))
    const slot = fc.option(fc.constantFrom(0, 1, 2))
    fc.assert(
      fc.property(parts, vector, among, fc.nat(9), slot, (all, wanted, ids, count, own) => {
        const query = Float32Array.from(wanted)
        const set = ids === null ? EVERY : IdSet.of(ids.sort((a, b) => a - b))
        expect(indexOf(all).nearest(query, set, count, own)).toEqual(
          nearest(all, query, set, count, own),
        )
      }),
    )
  })

  it('are found by their codes if there are many', () => {
    const vectors = clustered(CODED_ROWS_MIN * 3, 40, 0.3, { dimensions: 2 })
    const models = vectors.map((one, i) => ({
      id: i * 2,
      vectors: [one, [-one[1]!, one[0]!]],
      fragments: null,
    }))
    const dead = IdSet.of(models.filter((_, i) => i % 5 === 0).map(({ id }) => id))
    const all = [
      { documents: models, dead },
      { documents: [{ id: 1, vectors: [[1, 2]], fragments: null }], dead: IdSet.empty },
    ]
    const index = indexOf(all)
    const half = IdSet.of(models.filter((_, i) => i % 2 === 0).map(({ id }) => id))
    for (const query of [Float32Array.of(1, 2), Float32Array.of(-1, 0.3), Float32Array.of(0, 0)]) {
      for (const among of [EVERY.or(half), half, IdSet.of([0, 1, 2, 6, 8])]) {
        for (const slot of [null, 0, 1, 2]) {
          expect(index.nearest(query, among, 7, slot)).toEqual(nearest(all, query, among, 7, slot))
        }
      }
    }
  })

  it('are as many as there are, and none for a vector of other dimensions', () => {
    const all = [
      { documents: [{ id: 3, vectors: [[1, 2]], fragments: null }], dead: IdSet.empty },
      { documents: [{ id: 4, vectors: [], fragments: null }], dead: IdSet.empty },
    ]
    const index = indexOf(all)
    expect(index.nearest(Float32Array.of(1, 2), EVERY, 1e9)).toEqual([{ id: 3, similarity: 1 }])
    expect(index.nearest(Float32Array.of(1, 2, 3), EVERY, 5)).toEqual([])
    expect(index.nearest(Float32Array.of(1, 2), EVERY, 0)).toEqual([])
    expect([index.dimensions, indexOf(all, 'z').dimensions]).toEqual([2, 1])
    expect([indexOf(all, 'other').dimensions, indexOf(all.slice(1)).dimensions]).toEqual([
      null,
      null,
    ])
    expect(indexOf(all, 'other').nearest(Float32Array.of(1), EVERY, 5)).toEqual([])
  })
})

describe('the vectors of a document', () => {
  const first = {
    id: 3,
    vectors: [
      [1, 2],
      [3, 4],
    ],
    fragments: [1, NO_FRAGMENT],
  }
  const all = [
    { documents: [first, { id: 5, vectors: [[9, 9]], fragments: null }], dead: IdSet.of([5]) },
    { documents: [{ id: 5, vectors: [[5, 6]], fragments: [0] }], dead: IdSet.empty },
    { documents: [{ id: 7, vectors: [[7, 7]], fragments: [1] }], dead: IdSet.of([7]) },
  ]
  const index = indexOf(all)

  it('are those of its live copy, with their slots', () => {
    expect(index.vectorsOf(3 as never)).toEqual([
      { slot: 1, vector: Float32Array.of(1, 2) },
      { slot: 1, vector: Float32Array.of(3, 4) },
    ])
    expect(index.vectorsOf(5 as never)).toEqual([{ slot: 0, vector: Float32Array.of(5, 6) }])
    expect([index.vectorsOf(7 as never), index.vectorsOf(4 as never)]).toEqual([[], []])
  })

  it('decide in which sets the live document is', () => {
    const idsIn = (set: IdSet): readonly number[] => [...set.toArray()]
    expect([0, 1, 2].map((fragment) => idsIn(index.idsOfFragment(fragment)))).toEqual([
      [5],
      [3],
      [],
    ])
    expect(idsIn(index.idsWhere((_, rows) => rows > 1))).toEqual([3])
    expect(idsIn(index.idsWhere(() => true))).toEqual([3, 5])
  })
})
