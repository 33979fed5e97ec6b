// Merges segments of the text layer into one by walking all dictionaries together, term by term.
// The result has the same bytes as a segment built from the live documents.
import { withRoom } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import type { ByteSink } from '../frame/index.ts'
import { FstCursor } from '../fst/index.ts'
import type { FieldId } from '../ids.ts'
import { IdSet } from '../idset/index.ts'
import { LengthsBuilder } from './lengths-v1.ts'
import { Occurrences } from './occurrences.ts'
import type { Scratch } from './stored-prefixes.ts'
import type { TextReader } from './text-reader-v1.ts'
import { TextWriter } from './text-writer-v1.ts'

/** A segment to merge, and the ids of its dead documents. */
export type TextMergeInput = { readonly reader: TextReader; readonly dead: IdSet }

/** Called every 4,096 terms with the number of terms done. May throw to stop the merge. */
export type MergeProgress = (terms: number) => void
const PROGRESS_TERMS = 4096

/**
 * Writes the merged segment. Returns its length in bytes and its documents, or null if no document
 * is alive. Live documents of different inputs must be distinct. `openScratch`: see
 * `StoredPrefixes`.
 */
export function mergeText(
  inputs: readonly TextMergeInput[],
  sink: ByteSink,
  progress: MergeProgress = () => undefined,
  openScratch: (() => Scratch) | null = null,
): { readonly bytes: number; readonly ids: IdSet } | null {
  const live = inputs.map(({ reader, dead }) => reader.ids().andNot(dead))
  const ids = live.reduce((all, set) => all.or(set), IdSet.empty)
  if (ids.isEmpty) return null
  assert(
    ids.size === live.reduce((n, set) => n + set.size, 0),
    'a document is alive in one segment of a layer',
  )
  // A merged segment counts as written by the oldest analysis of its inputs.
  const analysis = Math.min(...inputs.map(({ reader }) => reader.analysis))
  const writer = new TextWriter(ids.toArray(), sink, analysis, infixFieldsOf(inputs), openScratch)
  const merger = new TermMerger(inputs, live, writer)
  for (let terms = 1; merger.step(); terms++) if (terms % PROGRESS_TERMS === 0) progress(terms)
  const bytes = writer.finish(mergeLengths(inputs, live))
  return { bytes, ids }
}

/** Inputs have the same settings, but each names only the fields that it has. */
const infixFieldsOf = (inputs: readonly TextMergeInput[]): FieldId[] => [
  ...new Set(inputs.flatMap(({ reader }) => reader.infix()?.fields ?? [])),
]

class TermMerger {
  readonly #inputs: readonly TextMergeInput[]
  /** By input: the live documents, or null if none is dead. */
  readonly #live: readonly (IdSet | null)[]
  readonly #writer: TextWriter
  readonly #cursors: readonly FstCursor[]
  readonly #open: boolean[]
  readonly #lists: readonly Occurrences[]
  #docs = new Uint32Array(1024)
  #packed = new Uint32Array(1024)
  #count = 0

  constructor(inputs: readonly TextMergeInput[], live: readonly IdSet[], writer: TextWriter) {
    this.#inputs = inputs
    this.#live = live.map((ids, i) => (inputs[i]!.dead.isEmpty ? null : ids))
    this.#writer = writer
    this.#cursors = inputs.map(({ reader }) => new FstCursor(reader.fst))
    this.#open = this.#cursors.map((cursor) => cursor.next())
    this.#lists = inputs.map(() => new Occurrences())
  }

  /** Merges the next term; returns false after the last. */
  step(): boolean {
    const least = this.#least()
    if (least < 0) return false
    const cursor = this.#cursors[least]!
    const term = cursor.bytes.slice(0, cursor.length)
    const holders: number[] = []
    for (let i = least; i < this.#cursors.length; i++) {
      if (i === least || (this.#open[i] && compareTerms(this.#cursors[i]!, cursor) === 0)) {
        holders.push(i)
      }
    }
    this.#count = 0
    if (holders.length === 1) this.#copyOne(holders[0]!)
    else this.#mergeMany(holders)
    for (const i of holders) this.#open[i] = this.#cursors[i]!.next()
    if (this.#count > 0) this.#writer.term(term, this.#docs, this.#packed, 0, this.#count)
    return true
  }

  #least(): number {
    let least = -1
    for (let i = 0; i < this.#cursors.length; i++) {
      if (!this.#open[i]) continue
      if (least < 0 || compareTerms(this.#cursors[i]!, this.#cursors[least]!) < 0) least = i
    }
    return least
  }

  #read(i: number): Occurrences {
    const list = this.#lists[i]!
    list.clear()
    this.#inputs[i]!.reader.allOccurrences(this.#cursors[i]!.ordinal, list)
    return list
  }

  #copyOne(i: number): void {
    const list = this.#read(i)
    this.#append(i, list, 0, list.count)
  }

  /**
   * Appends the live documents of several lists in ascending order. A scan of the lists finds the
   * one with the least document, and how many of its documents precede those of the others:
   * segments of an import hold ranges of ids, so that is often the whole list.
   */
  #mergeMany(holders: readonly number[]): void {
    const lists = holders.map((i) => this.#read(i))
    const at = holders.map(() => 0)
    for (;;) {
      let least = -1
      let leastDoc = Number.POSITIVE_INFINITY
      let nextDoc = Number.POSITIVE_INFINITY
      for (let h = 0; h < lists.length; h++) {
        const { docs, count } = lists[h]!
        if (at[h]! >= count) continue
        const doc = docs[at[h]!]!
        if (doc < leastDoc) {
          nextDoc = leastDoc
          leastDoc = doc
          least = h
        } else if (doc < nextDoc) nextDoc = doc
      }
      if (least < 0) return
      const { docs, count } = lists[least]!
      const from = at[least]!
      let to = from + 1
      while (to < count && docs[to]! < nextDoc) to++
      this.#append(holders[least]!, lists[least]!, from, to)
      at[least] = to
    }
  }

  /** Appends the live documents [from, to) of an input's list. */
  #append(input: number, list: Occurrences, from: number, to: number): void {
    const { docs, starts, packed } = list
    const live = this.#live[input]!
    const end = this.#count + starts[to]! - starts[from]!
    this.#docs = withRoom(this.#docs, end)
    this.#packed = withRoom(this.#packed, end)
    let count = this.#count
    for (let d = from; d < to; d++) {
      const doc = docs[d]!
      if (live?.has(doc) === false) continue
      for (let i = starts[d]!; i < starts[d + 1]!; i++) {
        this.#docs[count] = doc
        this.#packed[count++] = packed[i]!
      }
    }
    this.#count = count
  }
}

/** Compares the terms of two cursors like `compareBytes`, without views of them. */
function compareTerms(a: FstCursor, b: FstCursor): number {
  const end = Math.min(a.length, b.length)
  for (let i = 0; i < end; i++) {
    const difference = a.bytes[i]! - b.bytes[i]!
    if (difference !== 0) return difference
  }
  return a.length - b.length
}

function mergeLengths(inputs: readonly TextMergeInput[], live: readonly IdSet[]): LengthsBuilder {
  const builder = new LengthsBuilder()
  const fields = new Set(inputs.flatMap(({ reader }) => [...reader.lengths.fields]))
  for (const field of [...fields].sort((a, b) => a - b)) {
    const parts = inputs.map(({ reader }) => {
      const { docs, lengths } = reader.lengths.all(field)
      return { docs: docs.toArray(), lengths }
    })
    mergeField(builder, field, parts, live)
  }
  return builder
}

function mergeField(
  builder: LengthsBuilder,
  field: FieldId,
  parts: readonly { readonly docs: Uint32Array; readonly lengths: Uint16Array }[],
  live: readonly IdSet[],
): void {
  const at = parts.map(() => 0)
  for (;;) {
    let least = -1
    for (let p = 0; p < parts.length; p++) {
      const { docs } = parts[p]!
      if (at[p]! >= docs.length) continue
      if (least < 0 || docs[at[p]!]! < parts[least]!.docs[at[least]!]!) least = p
    }
    if (least < 0) return
    const i = at[least]!++
    const doc = parts[least]!.docs[i]!
    if (live[least]!.has(doc)) builder.add(doc, field, parts[least]!.lengths[i]!)
  }
}
