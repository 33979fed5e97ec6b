// Collects the vectors of documents and writes them as one segment.
import { lengthened } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import type { ByteSink } from '../frame/index.ts'
import type { DocId } from '../ids.ts'
import type { ListRule } from '../vector-codes/index.ts'
import { ENTRY_OWN, ENTRY_PRESENT, ENTRY_REGENERATES, type VectorEntry } from './entry.ts'
import { DOCUMENT_ROWS_MAX, NO_FRAGMENT } from './limits.ts'
import type { RowForm } from './rows.ts'
import { type EmbedderData, writeVectors } from './vectors-v1.ts'

/** Number and range of the documents of a written segment. */
export type VectorsSummary = {
  readonly documents: number
  readonly idMin: DocId
  readonly idMax: DocId
}

/** Collects the entries of one embedder for the documents of a segment, in order of ids. */
class EmbedderTable {
  /** Unknown (the first entry's value) until an entry with rows was added. */
  #dimensions: number
  readonly form: RowForm
  #status = new Uint8Array(256)
  #starts = new Uint32Array(257)
  #fragments: Uint8Array | null = null
  rows = 0
  documents = 0

  constructor({ dimensions, form }: VectorEntry) {
    this.#dimensions = dimensions
    this.form = form
  }

  /** `place`: index of the document among those of the segment. */
  add(place: number, entry: VectorEntry): void {
    if (this.rows === 0) this.#dimensions = entry.dimensions
    const isAlike = entry.rows === 0 || entry.dimensions === this.#dimensions
    assert(isAlike, 'vectors of an embedder are equally long')
    assert(entry.form === this.form, 'vectors of an embedder are stored alike')
    assert(entry.rows <= DOCUMENT_ROWS_MAX, 'a document has at most DOCUMENT_ROWS_MAX vectors')
    this.#reach(place + 1)
    this.#status[place] =
      ENTRY_PRESENT | (entry.isOwn ? ENTRY_OWN : 0) | (entry.regenerates ? ENTRY_REGENERATES : 0)
    this.#addFragments(entry)
    this.rows += entry.rows
    this.#starts[place + 1] = this.rows
  }

  data(name: string, documents: number): EmbedderData {
    this.#reach(documents)
    return {
      name,
      dimensions: this.#dimensions,
      form: this.form,
      status: this.#status.subarray(0, documents),
      starts: this.#starts.subarray(0, documents + 1),
      fragments: this.#fragments === null ? null : this.#fragments.subarray(0, this.rows),
    }
  }

  /** Fills `#starts` for documents up to `places`. */
  #reach(places: number): void {
    if (places > this.#status.length) {
      const size = Math.max(places, this.#status.length * 2)
      this.#status = lengthened(this.#status, size)
      this.#starts = lengthened(this.#starts, size + 1)
    }
    for (; this.documents < places; this.documents++) this.#starts[this.documents + 1] = this.rows
  }

  #addFragments({ rows, fragments }: VectorEntry): void {
    if (fragments === null && this.#fragments === null) return
    const needed = this.rows + rows
    // A row that a document brought belongs to no fragment, also before the first row with one.
    const all = this.#fragments ?? new Uint8Array(Math.max(256, needed)).fill(NO_FRAGMENT)
    this.#fragments = needed > all.length ? lengthened(all, Math.max(needed, all.length * 2)) : all
    if (fragments === null) this.#fragments.fill(NO_FRAGMENT, this.rows, needed)
    else this.#fragments.set(fragments, this.rows)
  }
}

/** The tables of a segment, filled document by document. */
export class VectorTables {
  readonly #embedders = new Map<string, EmbedderTable>()
  #ids = new Uint32Array(256)
  #count = 0

  /** Adds the next document, whose id must be above the one before. */
  add(id: DocId, entries: readonly VectorEntry[]): void {
    assert(this.#count === 0 || this.#ids[this.#count - 1]! < id, 'documents come in order')
    if (this.#count === this.#ids.length) this.#ids = lengthened(this.#ids, this.#count * 2)
    const place = this.#count++
    this.#ids[place] = id
    for (const entry of entries) {
      const existing = this.#embedders.get(entry.embedder)
      const table = existing ?? new EmbedderTable(entry)
      if (existing === undefined) this.#embedders.set(entry.embedder, table)
      table.add(place, entry)
    }
  }

  /** Writes the segment, see `writeVectors`. Returns null and writes nothing if no document has vectors. */
  write(
    rowsOf: (embedder: string) => Iterable<Uint8Array>,
    sink: ByteSink,
    rule?: ListRule,
  ): VectorsSummary | null {
    if (this.#embedders.size === 0) return null
    const ids = this.#ids.subarray(0, this.#count)
    const embedders = [...this.#embedders]
      .map(([name, table]) => table.data(name, this.#count))
      .sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
    writeVectors(ids, embedders, (e) => rowsOf(embedders[e]!.name), sink, rule)
    return { documents: ids.length, idMin: ids[0]!, idMax: ids.at(-1)! }
  }
}

/** Builds a segment from documents in order of ids. */
export class VectorsBuilder {
  readonly #tables = new VectorTables()
  readonly #rows = new Map<string, Uint8Array[]>()

  /** Adds a document. The entries are copied. */
  add(id: DocId, entries: readonly VectorEntry[]): void {
    if (entries.length === 0) return
    this.#tables.add(id, entries)
    for (const { embedder, stored } of entries) {
      const rows = this.#rows.get(embedder)
      if (rows === undefined) this.#rows.set(embedder, [stored.slice()])
      else rows.push(stored.slice())
    }
  }

  /** `rule`: see `writeVectors`. */
  finish(sink: ByteSink, rule?: ListRule): VectorsSummary | null {
    return this.#tables.write((embedder) => this.#rows.get(embedder)!, sink, rule)
  }
}
