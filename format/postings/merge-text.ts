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

/** A segment to merge, and the ids of its dead documents, or null. */
export type TextMergeInput = { readonly reader: TextReader; readonly dead: IdSet | null }

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
  const live = inputs.map(({ reader, dead }) =>
    dead === null ? reader.ids() : reader.ids().andNot(dead),
  )
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
  readonly #live: readonly IdSet[]
  readonly #writer: TextWriter
  readonly #cursors: readonly FstCursor[]
  readonly #open: boolean[]
  readonly #lists: readonly Occurrences[]
  #docs = new Uint32Array(1024)
  #packed = new Uint32Array(1024)
  #count = 0

  constructor(inputs: readonly TextMergeInput[], live: readonly IdSet[], writer: TextWriter) {
    this.#inputs = inputs
    this.#live = live
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
    const dead = this.#inputs[i]!.dead
    for (let d = 0; d < list.count; d++) {
      if (dead !== null && !this.#live[i]!.has(list.docs[d]!)) continue
      this.#append(list, d)
    }
  }

  /**
   * Appends the live documents of several lists in ascending order. There are few lists, so a scan
   * finds the least document.
   */
  #mergeMany(holders: readonly number[]): void {
    const lists = holders.map((i) => this.#read(i))
    const at = holders.map(() => 0)
    for (;;) {
      let least = -1
      for (let h = 0; h < holders.length; h++) {
        const list = lists[h]!
        if (at[h]! >= list.count) continue
        if (least < 0 || list.docs[at[h]!]! < lists[least]!.docs[at[least]!]!) least = h
      }
      if (least < 0) return
      const list = lists[least]!
      const d = at[least]!++
      const input = holders[least]!
      const isAlive = this.#inputs[input]!.dead === null || this.#live[input]!.has(list.docs[d]!)
      if (isAlive) this.#append(list, d)
    }
  }

  #append(list: Occurrences, d: number): void {
    const from = list.starts[d]!
    const to = list.starts[d + 1]!
    const end = this.#count + to - from
    this.#docs = withRoom(this.#docs, end)
    this.#packed = withRoom(this.#packed, end)
    const doc = list.docs[d]!
    for (let i = from; i < to; i++) {
      this.#docs[this.#count] = doc
      this.#packed[this.#count++] = list.packed[i]!
    }
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
