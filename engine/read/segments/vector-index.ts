// The vectors of one embedder in all segments of a view: which documents are nearest to a vector.
import { IdSet } from '../../../format/idset/index.ts'
import {
  type EmbedderRows,
  SimilarityTo,
  type VectorsReader,
} from '../../../format/vectors/index.ts'
import type { LayerSegment } from './open-view.ts'

export type Neighbour = {
  readonly id: number
  /** From 0 to 1, a 32-bit float. */
  readonly similarity: number
}

export class VectorIndex {
  readonly #parts: readonly { readonly rows: EmbedderRows; readonly dead: IdSet }[]

  constructor(segments: readonly LayerSegment<VectorsReader>[], embedder: string) {
    this.#parts = segments.flatMap(({ reader, dead }) => {
      const rows = reader.embedder(embedder)
      return rows === null ? [] : { rows, dead }
    })
  }

  /** Of its vectors; null: it has no vectors. */
  get dimensions(): number | null {
    return this.#parts.find(({ rows }) => rows.count > 0)?.rows.dimensions ?? null
  }

  /**
   * The `count` documents of `among` that are nearest to `query`, best first, equally near ones by
   * id; fewer where fewer have vectors. A document is as near as its nearest vector, or as the one
   * of this place among its own.
   */
  nearest(
    query: Float32Array,
    among: IdSet,
    count: number,
    place: number | null = null,
  ): readonly Neighbour[] {
    const best = new NearestList(count)
    const similarity = new SimilarityTo(query)
    for (const { rows, dead } of this.#parts) {
      if (rows.count === 0 || rows.dimensions !== query.length) continue
      const { places, starts } = rows
      for (let p = 0; p < places.length; p++) {
        const id = places[p]!
        if (starts[p] === starts[p + 1] || dead.has(id) || !among.has(id)) continue
        const first = starts[p]! + (place ?? 0)
        const end = place === null ? starts[p + 1]! : Math.min(first + 1, starts[p + 1]!)
        let nearest = -1
        for (let row = first; row < end; row++) {
          nearest = Math.max(nearest, similarity.of(rows, row))
        }
        if (nearest >= 0) best.offer(id, nearest)
      }
    }
    return best.take()
  }

  /** Live documents for which this holds. @throws CorruptionError */
  idsWhere(holds: (status: number, rows: number) => boolean): IdSet {
    return this.#union((rows) => rows.idsWhere(holds))
  }

  /** Live documents with a vector of this fragment. @throws CorruptionError */
  idsOfFragment(fragment: number): IdSet {
    return this.#union((rows) => rows.idsOfFragment(fragment))
  }

  /** The vectors of a live document, as they are compared. @throws CorruptionError */
  vectorsOf(id: number): readonly Float32Array[] {
    for (const { rows, dead } of this.#parts) {
      const place = rows.placeOf(id)
      if (place < 0 || dead.has(id)) continue
      const vectors: Float32Array[] = []
      for (let row = rows.starts[place]!; row < rows.starts[place + 1]!; row++) {
        const vector = new Float32Array(rows.dimensions)
        rows.read(row, vector)
        vectors.push(vector)
      }
      return vectors
    }
    return []
  }

  #union(of: (rows: EmbedderRows) => IdSet): IdSet {
    return this.#parts.reduce((all, { rows, dead }) => all.or(of(rows).andNot(dead)), IdSet.empty)
  }
}

/** Keeps the best of what it is offered: a heap whose root is the worst that is kept. */
class NearestList {
  readonly #count: number
  readonly #heap: Neighbour[] = []

  constructor(count: number) {
    this.#count = count
  }

  offer(id: number, similarity: number): void {
    const heap = this.#heap
    if (heap.length < this.#count) {
      heap.push({ id, similarity })
      this.#up(heap.length - 1)
    } else if (heap.length > 0 && isWorse(heap[0]!, { id, similarity })) {
      heap[0] = { id, similarity }
      this.#down()
    }
  }

  /** Best first. */
  take(): readonly Neighbour[] {
    return this.#heap.sort((a, b) => (isWorse(a, b) ? 1 : -1))
  }

  #up(at: number): void {
    const heap = this.#heap
    for (let i = at; i > 0; ) {
      const above = (i - 1) >>> 1
      if (!isWorse(heap[i]!, heap[above]!)) return
      swap(heap, i, above)
      i = above
    }
  }

  #down(): void {
    const heap = this.#heap
    for (let i = 0; ; ) {
      const left = i * 2 + 1
      if (left >= heap.length) return
      const right = left + 1
      const worse = right < heap.length && isWorse(heap[right]!, heap[left]!) ? right : left
      if (!isWorse(heap[worse]!, heap[i]!)) return
      swap(heap, i, worse)
      i = worse
    }
  }
}

const isWorse = (a: Neighbour, b: Neighbour): boolean =>
  a.similarity < b.similarity || (a.similarity === b.similarity && a.id > b.id)

function swap(heap: Neighbour[], a: number, b: number): void {
  const held = heap[a]!
  heap[a] = heap[b]!
  heap[b] = held
}
