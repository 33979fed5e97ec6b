// The vectors of one embedder in all segments of a view: finds the documents nearest to a vector.
import type { DocId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import {
  Candidates,
  type EmbedderRows,
  RowSearch,
  type VectorsReader,
} from '../../../format/vectors/index.ts'
import type { SlottedVector } from '../../model/index.ts'
import { CANDIDATES_MIN, candidatesOf } from './candidate-count.ts'
import type { LayerSegment } from './open-view.ts'

/** Rows whose codes are scanned in the time of one exact comparison. */
const SCANNED_PER_COMPARED = 32

export type Neighbour = {
  readonly id: DocId
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

  /** Rows in all segments. */
  get #rows(): number {
    return this.#parts.reduce((sum, { rows }) => sum + rows.count, 0)
  }

  /** Dimensions of its vectors; null without vectors. */
  get dimensions(): number | null {
    return this.#parts.find(({ rows }) => rows.count > 0)?.rows.dimensions ?? null
  }

  /**
   * Returns the `count` documents of `among` nearest to `query`, best first, ties by id; fewer if
   * fewer have vectors. The similarity of a document is that of its nearest vector, or of its
   * vector in `slot`.
   */
  nearest(
    query: Float32Array,
    among: IdSet,
    count: number,
    slot: number | null = null,
  ): readonly Neighbour[] {
    const best = new NearestList(count)
    const search = new RowSearch(query)
    // No more than all rows, however many a client asks for: candidates have room for each.
    const most = Math.max(1, Math.min(count, this.#rows))
    const candidates = new Candidates(candidatesOf(most, this.#rows))
    this.#parts.forEach(({ rows, dead }, part) => {
      if (rows.count === 0 || rows.dimensions !== query.length) return
      const live = rows.within(dead.isEmpty ? among : among.andNot(dead))
      const isScanned = search.hasDirection && rows.codes !== null
      const few = isScanned
        ? CANDIDATES_MIN + rows.count / SCANNED_PER_COMPARED
        : Number.POSITIVE_INFINITY
      const accepts = accepting(rows, live, slot)
      const passing = rows.rowsOf(live, few)
      if (passing === null) search.scan(rows, part, candidates, accepts)
      else this.#compare(search, rows, slot === null ? passing : passing.filter(accepts!), best)
    })
    for (const [part, rows] of candidates.take()) {
      this.#compare(search, this.#parts[part]!.rows, rows, best)
    }
    return best.take()
  }

  /** Compares rows exactly; the nearest one of a document counts. */
  #compare(search: RowSearch, rows: EmbedderRows, wanted: Uint32Array, best: NearestList): void {
    const similarities = search.similarities(rows, wanted)
    const { places, starts } = rows
    for (let i = 0; i < wanted.length; ) {
      const place = rows.placeOfRow(wanted[i]!)
      const end = starts[place + 1]!
      let nearest = similarities[i++]!
      for (; i < wanted.length && wanted[i]! < end; i++) {
        if (similarities[i]! > nearest) nearest = similarities[i]!
      }
      best.offer(places[place]!, nearest)
    }
  }

  /** Live documents for which `holds` returns true. @throws CorruptionError */
  idsWhere(holds: (status: number, rows: number) => boolean): IdSet {
    return this.#union((rows) => rows.idsWhere(holds))
  }

  /** Live documents with a vector of this fragment. @throws CorruptionError */
  idsOfFragment(fragment: number): IdSet {
    return this.#union((rows) => rows.idsOfFragment(fragment))
  }

  /**
   * The vectors of a live document in the form in which they are compared. @throws CorruptionError
   */
  vectorsOf(id: DocId): readonly SlottedVector[] {
    for (const { rows, dead } of this.#parts) {
      const place = rows.placeOf(id)
      if (place < 0 || dead.has(id)) continue
      const vectors: SlottedVector[] = []
      const first = rows.starts[place]!
      for (let row = first; row < rows.starts[place + 1]!; row++) {
        const vector = new Float32Array(rows.dimensions)
        rows.read(row, vector)
        vectors.push({ slot: rows.slotOf(row, first), vector })
      }
      return vectors
    }
    return []
  }

  #union(of: (rows: EmbedderRows) => IdSet): IdSet {
    return this.#parts.reduce((all, { rows, dead }) => all.or(of(rows).andNot(dead)), IdSet.empty)
  }
}

/**
 * Returns the test whether a row counts, or null if all rows count. `live`: live documents of the
 * segment; `slot`: as in `nearest`.
 */
function accepting(
  rows: EmbedderRows,
  live: IdSet,
  slot: number | null,
): ((row: number) => boolean) | null {
  if (slot === null && rows.isAll(live)) return null
  const { places, starts } = rows
  return (row) => {
    const at = rows.placeOfRow(row)
    return live.has(places[at]!) && (slot === null || rows.slotOf(row, starts[at]!) === slot)
  }
}

/** Collects the best of the offered documents: a heap whose root is the worst one held. */
class NearestList {
  readonly #count: number
  readonly #heap: Neighbour[] = []

  constructor(count: number) {
    this.#count = count
  }

  offer(id: DocId, similarity: number): void {
    const heap = this.#heap
    if (heap.length < this.#count) {
      heap.push({ id, similarity })
      this.#up(heap.length - 1)
      return
    }
    const worst = heap[0]
    if (worst === undefined || similarity < worst.similarity) return
    if (similarity === worst.similarity && id > worst.id) return
    heap[0] = { id, similarity }
    this.#down()
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
