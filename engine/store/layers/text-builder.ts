// Collects the words of documents and writes them as one segment of the text layer. Memory is a few
// typed arrays, about 30 bytes per occurrence while the segment is written.

import { lengthened } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import type { ByteSink } from '../../../format/frame/index.ts'
import type { DocId, FieldId } from '../../../format/ids.ts'
import { LengthsBuilder, TextWriter } from '../../../format/postings/index.ts'
import {
  ANALYSIS_VERSION,
  type Analyzer,
  type Stemming,
  sortedTermIds,
  TermIndexer,
  WIDE_STEP,
} from '../../text/index.ts'

/** Every value with words: its document, its field, and the end of its words in the indexer. */
type Values = { docs: Uint32Array; fields: Uint16Array; ends: Uint32Array; count: number }

export class TextBuilder {
  readonly #words: TermIndexer
  readonly #lengths = new LengthsBuilder()
  readonly #values: Values = {
    docs: new Uint32Array(1024),
    fields: new Uint16Array(1024),
    ends: new Uint32Array(1024),
    count: 0,
  }
  #ids = new Uint32Array(1024)
  #documents = 0
  #doc = -1
  /**
   * Per field: the document in which it was last found, the position of its next word, its number
   * of words and of values.
   */
  #seenIn = new Int32Array(64).fill(-1)
  #next = new Uint32Array(64)
  #wordCounts = new Uint32Array(64)
  #valueCounts = new Uint32Array(64)
  /** Fields found in the current document. */
  #fields: number[] = []
  readonly #infixFields: number[] = []

  constructor(analyzer: Analyzer) {
    this.#words = new TermIndexer(analyzer)
  }

  /** True if a document had a value; otherwise there is no segment to write. */
  get hasDocuments(): boolean {
    return this.#documents > 0 || this.#fields.length > 0
  }

  /** Begins the next document; ids ascend. */
  begin(doc: DocId): void {
    assert(doc > this.#doc, 'documents are built in ascending order')
    this.#endDocument()
    this.#doc = doc
  }

  /** Makes the words of a field searchable by a text inside of them. Called once for a field. */
  coverInfixes(field: FieldId): void {
    this.#infixFields.push(field)
  }

  /** Adds a text value of the current document: UTF-8 bytes[from, to). */
  value(
    field: FieldId,
    bytes: Uint8Array,
    from: number,
    to: number,
    locales: readonly string[] | null,
    stemming: Stemming | null = null,
  ): void {
    const start = this.#startOf(field)
    if (this.#valueCounts[field]!++ > 0) this.#words.endElement(start - WIDE_STEP)
    const before = this.#words.count
    const last = this.#words.index(bytes, from, to, start, locales, stemming)
    this.#next[field] = last + WIDE_STEP
    this.#wordCounts[field]! += this.#words.wordsFrom(before)
    this.#endValue(field)
  }

  /** Assigns the pairs since the value before to a field of the current document. */
  #endValue(field: FieldId): void {
    const values = this.#values
    if (this.#words.count === (values.count === 0 ? 0 : values.ends[values.count - 1])) return
    if (values.count === values.docs.length) growValues(values)
    values.docs[values.count] = this.#doc
    values.fields[values.count] = field
    values.ends[values.count++] = this.#words.count
  }

  /**
   * Writes the segment; returns its length in bytes and its documents. At least one document must
   * have a value.
   */
  finish(sink: ByteSink): { readonly bytes: number; readonly ids: Uint32Array } {
    this.#endDocument()
    const ids = this.#ids.slice(0, this.#documents)
    const writer = new TextWriter(ids, sink, ANALYSIS_VERSION, this.#infixFields)
    const words = this.#words
    const order = sortedTermIds(words.terms)
    const { starts, docs, packed } = this.#scatter(order)
    for (let i = 0; i < order.length; i++) {
      const from = starts[i]!
      const to = starts[i + 1]!
      // A term can lack occurrences if its values were abandoned.
      if (from === to) continue
      const end = sortWithinDocuments(docs, packed, from, to)
      writer.term(words.terms.termBytes(order[i]!), docs, packed, from, end)
    }
    return { bytes: writer.finish(this.#lengths), ids }
  }

  #startOf(field: FieldId): number {
    if (field >= this.#seenIn.length) this.#growFields(field)
    if (this.#seenIn[field] !== this.#doc) {
      this.#seenIn[field] = this.#doc
      this.#next[field] = 0
      this.#wordCounts[field] = 0
      this.#valueCounts[field] = 0
      this.#fields.push(field)
    }
    return this.#next[field]!
  }

  #endDocument(): void {
    if (this.#fields.length === 0) return
    const room = this.#ids.length
    if (this.#documents === room) this.#ids = lengthened(this.#ids, room * 2)
    this.#ids[this.#documents++] = this.#doc
    for (const field of this.#fields) {
      const words = this.#wordCounts[field]!
      if (words > 0) this.#lengths.add(this.#doc, field, words)
      if (this.#valueCounts[field]! < 2) continue
      this.#words.endElement(this.#next[field]! - WIDE_STEP)
      this.#endValue(field)
    }
    this.#fields = []
  }

  /** Groups all occurrences by term in the given order: a counting sort, stable in documents. */
  #scatter(order: Uint32Array): { starts: Uint32Array; docs: Uint32Array; packed: Uint32Array } {
    const { termIds, positions, count } = this.#words
    const next = new Uint32Array(this.#words.terms.termCount)
    for (let i = 0; i < count; i++) next[termIds[i]!]! += 1
    const starts = new Uint32Array(order.length + 1)
    let at = 0
    for (let i = 0; i < order.length; i++) {
      const term = order[i]!
      starts[i] = at
      const here = next[term]!
      next[term] = at
      at += here
    }
    starts[order.length] = at
    const docs = new Uint32Array(count)
    const packed = new Uint32Array(count)
    const values = this.#values
    for (let v = 0, i = 0; v < values.count; v++) {
      const doc = values.docs[v]!
      const field = values.fields[v]! * 65536
      for (const end = values.ends[v]!; i < end; i++) {
        const to = next[termIds[i]!]!++
        docs[to] = doc
        packed[to] = field + positions[i]!
      }
    }
    return { starts, docs, packed }
  }

  #growFields(field: FieldId): void {
    const size = Math.max(field + 1, this.#seenIn.length * 2)
    const seenIn = new Int32Array(size).fill(-1)
    seenIn.set(this.#seenIn)
    this.#seenIn = seenIn
    this.#next = lengthened(this.#next, size)
    this.#wordCounts = lengthened(this.#wordCounts, size)
    this.#valueCounts = lengthened(this.#valueCounts, size)
  }
}

function growValues(values: Values): void {
  const size = values.count * 2
  values.docs = lengthened(values.docs, size)
  values.fields = lengthened(values.fields, size)
  values.ends = lengthened(values.ends, size)
}

/**
 * Sorts the occurrences of one term within each document, and drops repetitions at the last
 * position; returns their end. They are mostly sorted already: only a field that occurs again after
 * another one (arrays of objects) needs moves.
 */
function sortWithinDocuments(
  docs: Uint32Array,
  packed: Uint32Array,
  from: number,
  to: number,
): number {
  let isRepeated = false
  for (let i = from + 1; i < to; i++) {
    const value = packed[i]!
    let j = i - 1
    if (docs[j] !== docs[i] || packed[j]! < value) continue
    if ((value & 0xffff) === 0xffff) isRepeated = true
    for (; j >= from && docs[j] === docs[i] && packed[j]! > value; j--) packed[j + 1] = packed[j]!
    packed[j + 1] = value
  }
  return isRepeated ? withoutRepetitions(docs, packed, from, to) : to
}

function withoutRepetitions(
  docs: Uint32Array,
  packed: Uint32Array,
  from: number,
  to: number,
): number {
  let end = from + 1
  for (let i = from + 1; i < to; i++) {
    if (docs[i] === docs[end - 1] && packed[i] === packed[end - 1]) continue
    docs[end] = docs[i]!
    packed[end++] = packed[i]!
  }
  return end
}
