// The text layer of one view: several segments and their tombstones answered as one. Terms are
// asked for by their words; a word exists when a live document holds it. Results are kept per view,
// which never changes, so a kept result is never wrong.
//
// One search worker owns one TextIndex; nothing here is shared between threads. It is one file,
// because all of it works on the same words, sets and buffers.

import { FstCursor } from '../../../format/fst/index.ts'
import type { TermOrdinal } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { Occurrences, type TextReader } from '../../../format/postings/index.ts'
import { type DictionaryCursor, leastCursor, standsOn } from './dictionary-cursors.ts'
import { KeptSets } from './kept-sets.ts'
import { gather, type LocalOccurrences } from './local-occurrences.ts'
import { clearMembers, dropMembers, withoutMembers } from './without-members.ts'
import { type Scope, scopeOf, Word } from './word.ts'

export type TextSegment = {
  readonly reader: TextReader
  /** Documents of the segment whose copy here is dead, or null. */
  readonly dead: IdSet | null
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()
/**
 * Words kept per view before the oldest half is forgotten: about 200 bytes each without their sets.
 */
const WORDS_KEPT_MAX = 20_000
/** Sets of documents kept per view, in bytes; a frequent word of a million documents has 125 kB. */
const SETS_KEPT_BYTES_MAX = 24 * 1024 * 1024
/** Of what may be passed on, buffers that one huge request made larger than this are let go of. */
const OCCURRENCES_KEPT_MAX = 1 << 21

export type TextIndexOptions = {
  /** What sets of documents may take, in bytes. */
  readonly setBytesMax?: number
  /** A buffer that is shared with other indexes of the same thread. */
  readonly occurrences?: Occurrences
}

export class TextIndex {
  readonly segments: readonly TextSegment[]
  /** One above the largest document id of any segment. */
  readonly idEnd: number
  readonly #anyDead: boolean
  readonly #words = new Map<string, Word | null>()
  readonly #sum: Uint32Array
  readonly #part: Uint32Array
  readonly #occurrences: Occurrences
  readonly #kept: KeptSets

  constructor(segments: readonly TextSegment[], options: TextIndexOptions = {}) {
    this.segments = segments
    this.#occurrences = options.occurrences ?? new Occurrences()
    this.#kept = new KeptSets(options.setBytesMax ?? SETS_KEPT_BYTES_MAX)
    this.idEnd = segments.reduce((end, { reader }) => Math.max(end, reader.idMax + 1), 0)
    this.#anyDead = segments.some(({ dead }) => dead !== null && !dead.isEmpty)
    this.#sum = new Uint32Array((this.idEnd >>> 5) + 1)
    this.#part = new Uint32Array((this.idEnd >>> 5) + 1)
  }

  /** The word when a live document holds it, anywhere; else null. */
  word(text: string): Word | null {
    const known = this.#words.get(text)
    if (known !== undefined) return known
    const bytes = encoder.encode(text)
    const word = bytes.length === 0 ? null : this.#find(text, bytes)
    this.#remember(text, word)
    return word
  }

  #find(text: string, bytes: Uint8Array): Word | null {
    const ordinals = new Int32Array(this.segments.length)
    let found = 0
    for (let s = 0; s < ordinals.length; s++) {
      ordinals[s] = this.segments[s]!.reader.fst.ordinalOf(bytes, 0, bytes.length)
      if (ordinals[s]! >= 0) found++
    }
    return found === 0 ? null : this.#live(text, bytes, ordinals)
  }

  /** The word of known ordinals, or null when only dead documents hold it. */
  #live(text: string, bytes: Uint8Array, ordinals: Int32Array): Word | null {
    let frequencyMax = 0
    for (let s = 0; s < ordinals.length; s++) {
      const ordinal = ordinals[s]!
      if (ordinal >= 0) frequencyMax += this.segments[s]!.reader.documentFrequency(ordinal)
    }
    const word = new Word(text, bytes, ordinals, frequencyMax)
    if (this.#anyDead && !this.#isAlive(ordinals)) return null
    return word
  }

  /**
   * Whether a live document holds the term. A word near another one is looked at for nothing else:
   * what it takes to know is read, not its whole set.
   */
  #isAlive(ordinals: Int32Array): boolean {
    for (let s = 0; s < ordinals.length; s++) {
      const ordinal = ordinals[s]!
      if (ordinal < 0) continue
      const { reader, dead } = this.segments[s]!
      const frequency = reader.documentFrequency(ordinal)
      if (dead === null || frequency > dead.size) return true
      const ids = new Uint32Array(frequency)
      const n = reader.readDocuments(ordinal, ids, 0)
      for (let i = 0; i < n; i++) if (!dead.has(ids[i]!)) return true
    }
    return false
  }

  #remember(text: string, word: Word | null): void {
    if (this.#words.size >= WORDS_KEPT_MAX) {
      let drop = WORDS_KEPT_MAX / 2
      for (const key of this.#words.keys()) {
        if (drop-- === 0) break
        this.#words.delete(key)
      }
    }
    this.#words.set(text, word)
  }

  /** Live documents that hold the word within `scope`. Kept. */
  docs(word: Word, scope: Scope): IdSet {
    let docs = word.docsByScope.get(scope.key)
    if (docs === undefined) {
      docs = this.union([word], scope)
      word.docsByScope.set(scope.key, docs)
      this.#kept.add(word, scope.key, docs.byteLength)
    }
    return docs
  }

  /** Live documents that hold any of the words within `scope`. */
  union(words: readonly Word[], scope: Scope): IdSet {
    if (words.length === 0) return IdSet.empty
    let frequency = 0
    for (const word of words) frequency += word.frequencyMax
    if (scope.fields === null && frequency <= this.idEnd / 32)
      return this.#unionSparse(words, frequency)
    return this.#unionDense((segment, s, bits) => {
      for (const word of words) {
        const ordinal = word.ordinals[s]!
        if (ordinal < 0) continue
        if (scope.fields === null) segment.reader.orDocuments(ordinal, bits)
        else segment.reader.orDocumentsInFields(ordinal, scope.fields, bits)
      }
    })
  }

  #unionSparse(words: readonly Word[], frequency: number): IdSet {
    const ids = new Uint32Array(frequency)
    let n = 0
    for (let s = 0; s < this.segments.length; s++) {
      const { reader, dead } = this.segments[s]!
      const from = n
      for (const word of words) {
        const ordinal = word.ordinals[s]!
        if (ordinal >= 0) n = reader.readDocuments(ordinal, ids, n)
      }
      if (dead !== null && !dead.isEmpty) n = dropMembers(ids, from, n, dead)
    }
    const found = ids.subarray(0, n)
    if (words.length === 1 && this.segments.length === 1) return IdSet.ofSorted(found)
    return IdSet.ofSorted(sortDistinct(found))
  }

  /** Live documents with any of the words at a position of one of `buckets`, in any field. */
  unionInBuckets(words: readonly Word[], buckets: readonly number[]): IdSet {
    return this.#unionDense((segment, s, bits) => {
      for (const word of words) {
        const ordinal = word.ordinals[s]!
        if (ordinal < 0) continue
        for (const bucket of buckets) segment.reader.orDocumentsInBucket(ordinal, bucket, bits)
      }
    })
  }

  /** Unites what `fill` sets in the bits of each segment, without the segment's dead documents. */
  #unionDense(fill: (segment: TextSegment, index: number, bits: Uint32Array) => void): IdSet {
    const sum = this.#sum
    sum.fill(0)
    for (let s = 0; s < this.segments.length; s++) {
      const segment = this.segments[s]!
      const { dead } = segment
      if (dead === null || dead.isEmpty) {
        fill(segment, s, sum)
        continue
      }
      const part = this.#part
      part.fill(0)
      fill(segment, s, part)
      clearMembers(part, dead)
      for (let w = 0; w < sum.length; w++) sum[w]! |= part[w]!
    }
    return IdSet.ofWords(sum.slice())
  }

  /** Every field a word occurs in, in any segment (dead documents included). */
  fieldsOf(words: readonly Word[]): Set<number> {
    const fields = new Set<number>()
    for (let s = 0; s < this.segments.length; s++) {
      for (const word of words) {
        const ordinal = word.ordinals[s]!
        if (ordinal >= 0) this.segments[s]!.reader.collectFields(ordinal, fields)
      }
    }
    return fields
  }

  /** Whether a live document holds the word outside of `fields` (ascending). */
  occursOutside(word: Word, fields: readonly number[]): boolean {
    let maybe = false
    for (let s = 0; s < this.segments.length && !maybe; s++) {
      const ordinal = word.ordinals[s]!
      maybe = ordinal >= 0 && this.segments[s]!.reader.occursOutside(ordinal, fields)
    }
    if (!maybe || !this.#anyDead) return maybe
    const others = [...this.fieldsOf([word])].filter((field) => !fields.includes(field))
    return !this.docs(word, scopeOf(others)).isEmpty
  }

  /**
   * The words that begin with `prefix`, in byte order, live ones only, itself left out; `visit`
   * returns false to stop.
   */
  eachWithPrefix(prefix: string, visit: (word: Word) => boolean): void {
    const bytes = encoder.encode(prefix)
    const cursors = this.segments.map(({ reader }) => {
      const cursor = new FstCursor(reader.fst)
      cursor.seekPrefix(bytes)
      return cursor
    })
    this.mergeCursors(cursors, (word) => word.text === prefix || visit(word))
  }

  /**
   * Walks dictionary cursors of all segments (index for index) as one, in byte order, live words
   * only. `visit` gets the word and the index of a cursor that stands on it; it returns false to
   * stop.
   */
  mergeCursors(
    cursors: readonly DictionaryCursor[],
    visit: (word: Word, cursor: number) => boolean,
  ): void {
    const open = cursors.map((cursor) => cursor.next())
    for (;;) {
      const least = leastCursor(cursors, open)
      if (least < 0) return
      const bytes = cursors[least]!.bytes.slice(0, cursors[least]!.length)
      const ordinals = new Int32Array(cursors.length).fill(-1)
      for (let s = least; s < cursors.length; s++) {
        const cursor = cursors[s]!
        if (!open[s] || !standsOn(cursor, bytes)) continue
        ordinals[s] = cursor.ordinal
      }
      const word = this.#wordAt(bytes, ordinals)
      const go = word === null || visit(word, least)
      for (let s = least; s < cursors.length; s++) {
        if (ordinals[s]! >= 0) open[s] = cursors[s]!.next()
      }
      if (!go) return
    }
  }

  /** A word met while walking; its other ordinals are complete only if all segments were walked. */
  #wordAt(bytes: Uint8Array, ordinals: Int32Array): Word | null {
    const text = decoder.decode(bytes)
    const known = this.#words.get(text)
    if (known !== undefined) return known
    const word = this.#live(text, bytes, ordinals)
    this.#remember(text, word)
    return word
  }

  /** Whether at least `count` live words begin with `prefix` (itself included). */
  hasPrefixWords(prefix: string, count: number): boolean {
    const bytes = encoder.encode(prefix)
    let most = 0
    let longest = 0
    for (const { reader } of this.segments) {
      const { from, to } = reader.fst.range(bytes)
      most += to - from
      longest = Math.max(longest, to - from)
    }
    if (most < count) return false
    if (longest >= count && !this.#anyDead) return true
    let found = this.word(prefix) === null ? 0 : 1
    if (found < count) this.eachWithPrefix(prefix, () => ++found < count)
    return found >= count
  }

  /** Live documents with a word that begins with `prefix`, itself included, within `scope`. */
  prefixDocs(prefix: string, scope: Scope): IdSet {
    return this.#unionPrefix(
      prefix,
      (reader, index, bits) => {
        if (scope.fields === null) reader.orPrefixDocuments(index, bits)
        else reader.orPrefixDocumentsInFields(index, scope.fields, bits)
      },
      (reader, ordinal, bits) => {
        if (scope.fields === null) reader.orDocuments(ordinal, bits)
        else reader.orDocumentsInFields(ordinal, scope.fields, bits)
      },
    )
  }

  /** Like `prefixDocs`, at a position of one of `buckets`, in any field. */
  prefixDocsInBuckets(prefix: string, buckets: readonly number[]): IdSet {
    return this.#unionPrefix(
      prefix,
      (reader, index, bits) => {
        for (const bucket of buckets) reader.orPrefixDocumentsInBucket(index, bucket, bits)
      },
      (reader, ordinal, bits) => {
        for (const bucket of buckets) reader.orDocumentsInBucket(ordinal, bucket, bits)
      },
      buckets,
    )
  }

  #unionPrefix(
    prefix: string,
    stored: (reader: TextReader, index: number, bits: Uint32Array) => void,
    computed: (reader: TextReader, ordinal: TermOrdinal, bits: Uint32Array) => void,
    buckets: readonly number[] = [],
  ): IdSet {
    const bytes = encoder.encode(prefix)
    return this.#unionDense(({ reader }, _, bits) => {
      const index = reader.storedPrefix(bytes)
      if (index >= 0 && reader.prefixHasBucketSets(index, buckets)) {
        stored(reader, index, bits)
        return
      }
      const { from, to } = reader.fst.range(bytes)
      for (let ordinal = from; ordinal < to; ordinal++) computed(reader, ordinal, bits)
    })
  }

  /** Every field a word with the prefix occurs in. */
  prefixFields(prefix: string): Set<number> {
    const bytes = encoder.encode(prefix)
    const fields = new Set<number>()
    for (const { reader } of this.segments) {
      const index = reader.storedPrefix(bytes)
      if (index >= 0) for (const field of reader.prefixFields(index)) fields.add(field)
      else {
        const { from, to } = reader.fst.range(bytes)
        for (let ordinal = from; ordinal < to; ordinal++) reader.collectFields(ordinal, fields)
      }
    }
    return fields
  }

  /**
   * All occurrences of any of the words in ascending `ids`, per document ascending by field and
   * position. With a `prefix`, those of every word that begins with it as well; no word is counted
   * twice.
   */
  occurrences(words: readonly Word[], prefix: string | null, ids: Uint32Array): LocalOccurrences {
    const found = this.#occurrences
    found.clear(OCCURRENCES_KEPT_MAX)
    const prefixBytes = prefix === null ? null : encoder.encode(prefix)
    for (let s = 0; s < this.segments.length; s++) {
      const { reader, dead } = this.segments[s]!
      const candidates = dead === null || dead.isEmpty ? ids : withoutMembers(ids, dead)
      if (candidates.length === 0) continue
      let from = 0
      let to = 0
      if (prefixBytes !== null) ({ from, to } = reader.fst.range(prefixBytes))
      for (const word of words) {
        const ordinal = word.ordinals[s]!
        if (ordinal < 0 || (ordinal >= from && ordinal < to)) continue
        reader.occurrencesFor(ordinal, candidates, candidates.length, found)
      }
      if (to > from) this.#rangeOccurrences(reader, from, to, candidates, found)
    }
    return gather(found, ids)
  }

  #rangeOccurrences(
    reader: TextReader,
    from: number,
    to: number,
    candidates: Uint32Array,
    found: Occurrences,
  ): void {
    const bits = this.#part
    bits.fill(0)
    for (let i = 0; i < candidates.length; i++) {
      bits[candidates[i]! >>> 5]! |= 1 << (candidates[i]! & 31)
    }
    reader.occurrencesOfRange(from, to, candidates, bits, found)
  }

  /** Writes the number of words of `field` in each of ascending `ids` into `out`. */
  fieldLengths(field: number, ids: Uint32Array, out: Uint16Array): void {
    out.fill(0, 0, ids.length)
    const part = new Uint16Array(ids.length)
    for (const { reader, dead } of this.segments) {
      reader.lengths.lengthsOf(field, ids, ids.length, part)
      for (let i = 0; i < ids.length; i++) {
        if (part[i] !== 0 && (dead === null || !dead.has(ids[i]!))) out[i] = part[i]!
      }
    }
  }
}

function sortDistinct(ids: Uint32Array): Uint32Array {
  ids.sort()
  let n = 0
  for (let i = 0; i < ids.length; i++) if (i === 0 || ids[i] !== ids[n - 1]) ids[n++] = ids[i]!
  return ids.subarray(0, n)
}
