// The vectors that the documents of one segment have of one embedder: which rows belong to which
// document, and the rows themselves, read in place.
import { assert, refuse } from '../errors.ts'
import type { Section } from '../frame/index.ts'
import type { DocId } from '../ids.ts'
import { gallop, IdSet } from '../idset/index.ts'
import type { CodeTable } from '../vector-codes/index.ts'
import { ENTRY_OWN, ENTRY_PRESENT, ENTRY_REGENERATES, type VectorEntry } from './entry.ts'
import { DOCUMENT_ROWS_MAX, NO_FRAGMENT } from './limits.ts'
import { type RowForm, readRow, readShownRow, rowBytes } from './rows.ts'

/** An embedder in the table of a segment. */
export type EmbedderPart = {
  readonly name: string
  readonly dimensions: number
  readonly form: RowForm
  readonly hasFragments: boolean
  /** True if codes are in lists. */
  readonly isListed: boolean
  readonly rows: number
}

type Sections = {
  readonly rows: Section
  readonly status: Section
  readonly fragments: Section | null
}
/** Offsets of the embedder's parts in the sections. */
type Offsets = {
  readonly rows: number
  readonly status: number
  readonly fragments: number
}

export class EmbedderRows {
  readonly name: string
  readonly dimensions: number
  readonly form: RowForm
  /** Number of rows. */
  readonly count: number
  /** Bytes of one row. */
  readonly rowBytes: number
  readonly hasFragments: boolean
  /** Null with few rows, which have no codes. */
  readonly codes: CodeTable | null
  readonly #ids: IdSet
  readonly #sections: Sections
  readonly #at: Offsets
  #places: Uint32Array | null = null
  #fragments: Uint8Array | null = null
  #tables: { readonly starts: Uint32Array; readonly status: Uint8Array } | null = null

  constructor(
    part: EmbedderPart,
    ids: IdSet,
    sections: Sections,
    at: Offsets,
    codes: CodeTable | null,
  ) {
    this.codes = codes
    this.name = part.name
    this.dimensions = part.dimensions
    this.form = part.form
    this.count = part.rows
    this.rowBytes = rowBytes(part.form, part.dimensions)
    this.hasFragments = part.hasFragments
    this.#ids = ids
    this.#sections = sections
    this.#at = at
  }

  /** The ids of the segment's documents, by place. */
  get places(): Uint32Array {
    this.#places ??= this.#ids.toArray()
    return this.#places
  }

  /** Returns the place of a document among those of the segment, or -1. */
  placeOf(id: DocId): number {
    if (!this.#ids.has(id)) return -1
    const { places } = this
    let low = 0
    let high = places.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (places[middle]! < id) low = middle + 1
      else high = middle
    }
    return low
  }

  /**
   * By place, the first row of a document; the last entry is the number of rows. @throws
   * CorruptionError
   */
  get starts(): Uint32Array {
    return this.#read().starts
  }

  /** By place, the flags of the document's entry; 0 means no entry. @throws CorruptionError */
  get status(): Uint8Array {
    return this.#read().status
  }

  /** Returns the documents for which `holds` returns true, dead ones included. */
  idsWhere(holds: (status: number, rows: number) => boolean): IdSet {
    const { places, starts, status } = this
    const found = new Uint32Array(places.length)
    let count = 0
    for (let p = 0; p < places.length; p++) {
      if (holds(status[p]!, starts[p + 1]! - starts[p]!)) found[count++] = places[p]!
    }
    return IdSet.ofSorted(found.slice(0, count))
  }

  /** Returns the documents with a row of this fragment. */
  idsOfFragment(fragment: number): IdSet {
    const { places, starts } = this
    const fragments = this.fragments()
    if (fragments === null) return IdSet.empty
    const found: number[] = []
    for (let p = 0; p < places.length; p++) {
      const own = fragments.subarray(starts[p]!, starts[p + 1]!)
      if (own.includes(fragment)) found.push(places[p]!)
    }
    return IdSet.ofSorted(Uint32Array.from(found))
  }

  /**
   * Returns the entry of the document at a place, or null. Rows are views. @throws CorruptionError
   */
  entryAt(place: number): VectorEntry | null {
    const { starts, status } = this
    const flags = status[place]!
    if ((flags & ENTRY_PRESENT) === 0) return null
    const from = starts[place]!
    const to = starts[place + 1]!
    return {
      embedder: this.name,
      dimensions: this.dimensions,
      form: this.form,
      isOwn: (flags & ENTRY_OWN) !== 0,
      regenerates: (flags & ENTRY_REGENERATES) !== 0,
      rows: to - from,
      fragments: this.fragments()?.subarray(from, to) ?? null,
      stored: this.stored(from, to),
    }
  }

  /** Returns the stored bytes of rows [from, to): a view. @throws CorruptionError */
  stored(from: number, to: number): Uint8Array {
    assert(from >= 0 && from <= to && to <= this.count, 'rows are read that exist')
    const each = this.rowBytes
    return this.#sections.rows.read(this.#at.rows + from * each, (to - from) * each)
  }

  /** Reads a row in the form used for comparisons. @throws CorruptionError */
  read(row: number, out: Float32Array): void {
    readRow(this.form, this.stored(row, row + 1), 0, out)
  }

  /** Reads a row in the form shown to clients. @throws CorruptionError */
  shown(row: number, out: Float32Array): void {
    readShownRow(this.form, this.stored(row, row + 1), 0, out)
  }

  /** Returns the ids of `ids` that are documents of the segment. */
  within(ids: IdSet): IdSet {
    return ids.and(this.#ids)
  }

  /** Returns true if `found`, a result of `within`, holds all documents of the segment. */
  isAll(found: IdSet): boolean {
    return found.size === this.#ids.size
  }

  /**
   * Returns the rows of `found`, a result of `within`, ascending, or null if there are more than
   * `most`.
   * @throws CorruptionError
   */
  rowsOf(found: IdSet, most: number): Uint32Array | null {
    if (found.size > most) return null
    const { places, starts } = this
    const rows: number[] = []
    let place = 0
    for (const id of found.toArray()) {
      place = gallop(places, place, id)
      for (let row = starts[place]!; row < starts[place + 1]!; row++) rows.push(row)
      if (rows.length > most) return null
    }
    return Uint32Array.from(rows)
  }

  /** Returns the place of the document to which a row belongs. @throws CorruptionError */
  placeOfRow(row: number): number {
    const { starts } = this
    if (starts[row] === row && starts[row + 1] === row + 1) return row
    let low = 0
    let high = starts.length - 1
    while (low < high) {
      const middle = (low + high) >>> 1
      if (starts[middle + 1]! <= row) low = middle + 1
      else high = middle
    }
    return low
  }

  /** Returns the fragment of each row, or null if no row has one. @throws CorruptionError */
  fragments(): Uint8Array | null {
    const section = this.#sections.fragments
    if (!this.hasFragments || section === null) return null
    this.#fragments ??= section.read(this.#at.fragments, this.count)
    return this.#fragments
  }

  /**
   * Returns the slot of a row. Comparing two documents compares rows of the same slot: the row's
   * fragment, or its index among the rows of its document. `first`: the first row of its document.
   * @throws CorruptionError
   */
  slotOf(row: number, first: number): number {
    const fragment = this.fragments()?.[row] ?? NO_FRAGMENT
    return fragment === NO_FRAGMENT ? row - first : fragment
  }

  #read(): { readonly starts: Uint32Array; readonly status: Uint8Array } {
    if (this.#tables !== null) return this.#tables
    const documents = this.#ids.size
    const section = this.#sections.status
    const length = (documents + 1) * 4 + documents
    const bytes = section.read(this.#at.status, length)
    const inPlace = bytes.byteOffset % 4 === 0 ? bytes : bytes.slice()
    const starts = new Uint32Array(inPlace.buffer, inPlace.byteOffset, documents + 1)
    const status = inPlace.subarray((documents + 1) * 4)
    this.#check(starts, status)
    this.#tables = { starts, status }
    return this.#tables
  }

  /** Checks that rows ascend and that only documents with an entry have rows. */
  #check(starts: Uint32Array, status: Uint8Array): void {
    const { tag } = this.#sections.status
    if (starts[0] !== 0) refuse(tag, this.#at.status, 'bad_value', 0, starts[0]!)
    for (let p = 0; p < status.length; p++) {
      const rows = starts[p + 1]! - starts[p]!
      if (rows < 0 || rows > DOCUMENT_ROWS_MAX) {
        refuse(tag, this.#at.status + p * 4, 'bad_order', `0 to ${DOCUMENT_ROWS_MAX} rows`, rows)
      }
      const flags = status[p]!
      const isPresent = (flags & ENTRY_PRESENT) !== 0
      if (flags > 7 || (!isPresent && (flags !== 0 || rows !== 0))) {
        refuse(tag, this.#at.status + p, 'bad_value', 'flags of an entry', flags)
      }
    }
    const last = starts[status.length]!
    if (last !== this.count) refuse(tag, this.#at.status, 'bad_value', this.count, last)
  }
}
