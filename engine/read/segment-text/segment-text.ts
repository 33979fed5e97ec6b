// The text of one segment without regard to tombstones: document sets of words and prefixes, cached
// within limits. A segment never changes and stays open across views, so its cached results serve
// all views that contain it.
import { encoder } from '../../../format/bytes/index.ts'
import { FstCursor, FuzzyCursor, type FuzzyOptions, KeyWalk } from '../../../format/fst/index.ts'
import type { FieldId, TermOrdinal } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { TextReader } from '../../../format/postings/index.ts'
import { FoundWords } from './found-words.ts'
import { clearedBits, type SegmentSet, setOfBits, sortDistinct } from './range-bits.ts'
import { keyOfNumbers, nextSegmentKey, THREAD_SETS } from './set-cache.ts'
import { SmallPostings } from './small-postings.ts'
import { SplitParts } from './split-parts.ts'
import { type TermStream, THREAD_STREAMS } from './term-streams.ts'
import type { Where } from './where.ts'

/**
 * The kernel makes a bit for each id between the bounds of a segment; over a larger range, a few
 * documents are collected faster without.
 */
const KERNEL_SPAN_MAX = 1 << 17
const NO_ORDINALS = new Uint32Array(0)

/** Texts with cached ordinals of the terms that contain them, before all are dropped. */
const WITHIN_TEXTS_MAX = 8192
/** Ordinals of terms that contain a text, before all are dropped: a megabyte. */
const WITHIN_MAX = 1 << 18
/**
 * Terms united in one step: as many as the kernel takes. All postings of a segment are united in
 * 256 steps for a million terms.
 */
const UNION_STEP = 4096
/** Longer lists of fields are not cached: a document may have thousands. */
const CACHED_FIELDS_MAX = 64

export class SegmentText {
  readonly reader: TextReader
  readonly #key: string
  readonly #words = new FoundWords()
  readonly #within = new Map<string, Uint32Array>()
  #withinCount = 0
  readonly #withinFields = new Map<string, readonly number[]>()
  readonly splitParts = new SplitParts((text) => this.#frequencyOf(text))
  /** By ordinal: one more than a document with the term that was alive at the last check. */
  #witnesses: Uint32Array | null = null
  #small: SmallPostings | null = null
  /** One number for each field of the segment that scores have needed. */
  readonly #fieldWords = new Map<FieldId, number>()

  private constructor(reader: TextReader) {
    this.reader = reader
    this.#key = nextSegmentKey(reader)
  }

  static readonly #byReader = new WeakMap<TextReader, SegmentText>()

  /** Returns the instance of an open segment; there is one while it is open. */
  static of(reader: TextReader): SegmentText {
    let text = SegmentText.#byReader.get(reader)
    if (text === undefined) SegmentText.#byReader.set(reader, (text = new SegmentText(reader)))
    return text
  }

  /** Returns the ordinal of a term, or -1. */
  ordinalOf(text: string): number {
    return this.#words.ordinal(text) ?? this.#words.addOrdinal(text, this.#findOrdinal(text))
  }

  #findOrdinal(text: string): number {
    const shared = this.reader.shared?.fst() ?? null
    if (shared !== null) return shared.ordinalOf(text)
    const bytes = encoder.encode(text)
    return this.reader.fst.ordinalOf(bytes, 0, bytes.length)
  }

  #frequencyOf(text: string): number {
    const ordinal = this.ordinalOf(text)
    return ordinal < 0 ? 0 : this.reader.documentFrequency(ordinal)
  }

  /**
   * Returns true if a document with the term is not in `dead`. Checks the last live document found
   * first; the posting is read only if that one is dead.
   */
  isAlive(ordinal: TermOrdinal, dead: IdSet | null): boolean {
    if (dead === null || dead.isEmpty) return true
    const { reader } = this
    const witness = this.#witnesses === null ? 0 : this.#witnesses[ordinal]!
    if (witness > 0 && !dead.has(witness - 1)) return true
    const frequency = reader.documentFrequency(ordinal)
    if (frequency > dead.size) return true
    const ids = new Uint32Array(frequency)
    const n = reader.readDocuments(ordinal, ids, 0)
    for (let i = 0; i < n; i++) {
      if (dead.has(ids[i]!)) continue
      this.#witnesses ??= new Uint32Array(reader.termCount)
      this.#witnesses[ordinal] = ids[i]! + 1
      return true
    }
    return false
  }

  /**
   * Returns true if at least `count` of the terms [from, to) have a document that is not in `dead`.
   */
  hasLive(from: number, to: number, count: number, dead: IdSet | null): boolean {
    if (dead === null) return to - from >= count
    let found = 0
    for (let ordinal = from; ordinal < to && found < count; ordinal++) {
      if (this.isAlive(ordinal, dead)) found++
    }
    return found >= count
  }

  /**
   * Returns the documents with any of the terms ordinals[0, count) within `where`. `isOnly`: the
   * same of a segment whose sets are not united with those of others.
   */
  union(ordinals: Uint32Array, count: number, where: Where, isOnly: boolean): SegmentSet {
    const key = `${this.#key}${isOnly ? 'u' : 'U'}${where.key};${keyOfNumbers(ordinals, count)}`
    return THREAD_SETS.one(key, () => this.#unite(ordinals, count, where, isOnly))
  }

  #unite(ordinals: Uint32Array, count: number, where: Where, isOnly: true): IdSet
  #unite(ordinals: Uint32Array, count: number, where: Where, isOnly: boolean): SegmentSet
  #unite(ordinals: Uint32Array, count: number, where: Where, isOnly: boolean): SegmentSet {
    const { reader } = this
    const { buckets, fields } = where
    const isEverywhere = fields === null && buckets === null
    const isNarrow = reader.idMax - reader.idMin <= KERNEL_SPAN_MAX
    if (isNarrow || !isEverywhere) {
      const found = reader.shared?.postings()?.unite(ordinals, count, fields, buckets) ?? null
      if (found !== null) return found
    }
    if (isEverywhere) {
      let frequency = 0
      for (let i = 0; i < count; i++) frequency += reader.documentFrequency(ordinals[i]!)
      // One list is sorted already; several have to be sorted.
      const most = count === 1 ? reader.idMax / 32 : (reader.idMax - reader.idMin) / 64
      if (frequency <= most) return this.#uniteSparse(ordinals, count, frequency)
    }
    const bits = clearedBits(reader)
    for (let i = 0; i < count; i++) orTerm(reader, ordinals[i]!, where, bits)
    return setOfBits(bits, reader, !isOnly)
  }

  #uniteSparse(ordinals: Uint32Array, count: number, frequency: number): IdSet {
    const ids = new Uint32Array(frequency)
    let n = 0
    for (let i = 0; i < count; i++) n = this.reader.readDocuments(ordinals[i]!, ids, n)
    const found = ids.subarray(0, n)
    return IdSet.ofSorted(count === 1 ? found : sortDistinct(found))
  }

  /**
   * Returns the documents with a word that begins with `prefix`, or equals it, within `where`.
   * `isOnly`: as of `union`.
   */
  prefixUnion(prefix: string, where: Where, isOnly: boolean): SegmentSet {
    const key = `${this.#key}${isOnly ? 'p' : 'P'}${where.key};${prefix}`
    return THREAD_SETS.one(key, () => this.#unitePrefix(encoder.encode(prefix), where, isOnly))
  }

  #unitePrefix(prefix: Uint8Array, where: Where, isOnly: boolean): SegmentSet {
    const { reader } = this
    const bits = clearedBits(reader)
    const index = reader.storedPrefix(prefix)
    if (index >= 0 && reader.prefixHasBucketSets(index, where.buckets ?? [])) {
      orPrefix(reader, index, where, bits)
    } else {
      const { from, to } = reader.fst.range(prefix)
      for (let ordinal = from; ordinal < to; ordinal++) orTerm(reader, ordinal, where, bits)
    }
    return setOfBits(bits, reader, !isOnly)
  }

  /** Returns the ordinals of the terms that contain a text, ascending; the caller keeps them. */
  termsWith(text: string): Uint32Array {
    const cached = this.#within.get(text)
    if (cached !== undefined) return cached
    // A copy, because the array found may be a part of a longer one.
    const found = this.reader.infix()?.termsWith(encoder.encode(text)).slice() ?? NO_ORDINALS
    if (this.#withinCount + found.length > WITHIN_MAX || this.#within.size >= WITHIN_TEXTS_MAX) {
      this.#within.clear()
      this.#withinFields.clear()
      this.#withinCount = 0
    }
    this.#withinCount += found.length
    this.#within.set(text, found)
    return found
  }

  /** Returns the documents with a word that contains `text`, within `where`. */
  withinUnion(text: string, where: Where): IdSet {
    const key = `${this.#key}i${where.key};${text}`
    return THREAD_SETS.one(key, () => {
      const ordinals = this.termsWith(text)
      let found: IdSet = IdSet.empty
      for (let at = 0; at < ordinals.length; at += UNION_STEP) {
        const step = ordinals.subarray(at, at + UNION_STEP)
        const docs = this.#unite(step, step.length, where, true)
        found = found.isEmpty ? docs : found.or(docs)
      }
      return found
    })
  }

  /** Returns all fields that a word which contains `text` occurs in. */
  withinFields(text: string): readonly number[] {
    const cached = this.#withinFields.get(text)
    if (cached !== undefined) return cached
    const { lengths } = this.reader
    const found = new Set<number>()
    for (const ordinal of this.termsWith(text)) {
      this.reader.collectFields(ordinal, found)
      if (found.size >= lengths.fields.length) break
    }
    const fields = [...found]
    if (fields.length <= CACHED_FIELDS_MAX) this.#withinFields.set(text, fields)
    return fields
  }

  /** Returns the sum of the lengths of a field, dead documents included. */
  wordsOf(field: FieldId): number {
    let words = this.#fieldWords.get(field)
    if (words === undefined) {
      words = this.reader.lengths.wordsOf(field)
      this.#fieldWords.set(field, words)
    }
    return words
  }

  /** Returns the documents whose field has this many words. */
  docsOfLength(field: FieldId, words: number): IdSet {
    return THREAD_SETS.one(`${this.#key}l${field},${words}`, () =>
      this.reader.lengths.docsOfLength(field, words),
    )
  }

  /**
   * Writes the ids of a term's documents to `ids` from `n` on; returns the new end. For small
   * segments, for which caching a set costs more.
   */
  readDocuments(ordinal: TermOrdinal, where: Where, ids: Uint32Array, n: number): number {
    if (where.fields === null && where.buckets === null) {
      return this.reader.readDocuments(ordinal, ids, n)
    }
    this.#small ??= new SmallPostings(this.reader)
    return this.#small.read(ordinal, where, ids, n)
  }

  /** Returns all fields that a term occurs in. */
  fieldsOf(ordinal: TermOrdinal): readonly number[] {
    const cached = this.#words.fields(ordinal)
    if (cached !== undefined) return cached
    const found = new Set<number>()
    this.reader.collectFields(ordinal, found)
    return this.#words.addFields(ordinal, [...found])
  }

  /** Returns all fields that a word with the prefix occurs in. */
  prefixFields(prefix: string): readonly number[] {
    const cached = this.#words.prefixFields(prefix)
    if (cached !== undefined) return cached
    const { reader } = this
    const bytes = encoder.encode(prefix)
    const index = reader.storedPrefix(bytes)
    const found = new Set<number>(index >= 0 ? reader.prefixFields(index) : [])
    if (index < 0) {
      const { from, to } = reader.fst.range(bytes)
      for (let ordinal = from; ordinal < to; ordinal++) reader.collectFields(ordinal, found)
    }
    return this.#words.addPrefixFields(prefix, [...found])
  }

  /** Streams the terms that begin with `prefix` or equal it. */
  prefixStream(prefix: string): TermStream {
    return THREAD_STREAMS.stream(`${this.#key}p${prefix}`, () => prefixWalk(this.reader, prefix))
  }

  /** Streams the terms near a word. */
  nearStream(text: string, options: FuzzyOptions): TermStream {
    const { maxDistance, otherFirstDistanceMax, prefix } = options
    const key = `${this.#key}n${maxDistance}${otherFirstDistanceMax}${prefix ? '*' : '.'}${text}`
    return THREAD_STREAMS.stream(key, () => {
      const { fst } = this.reader
      const walk = this.reader.shared?.fst()?.near(text, options)
      return walk ?? new KeyWalk(new FuzzyCursor(fst, text, options))
    })
  }
}

function prefixWalk(reader: TextReader, prefix: string): KeyWalk {
  const shared = reader.shared?.fst() ?? null
  if (shared !== null) return shared.prefixed(prefix)
  const cursor = new FstCursor(reader.fst)
  cursor.seekPrefix(encoder.encode(prefix))
  return new KeyWalk(cursor)
}

function orTerm(reader: TextReader, ordinal: TermOrdinal, where: Where, bits: Uint32Array): void {
  const { buckets, fields } = where
  if (buckets !== null) {
    for (const bucket of buckets) reader.orDocumentsInBucket(ordinal, bucket, bits)
  } else if (fields !== null) reader.orDocumentsInFields(ordinal, fields, bits)
  else reader.orDocuments(ordinal, bits)
}

function orPrefix(reader: TextReader, index: number, where: Where, bits: Uint32Array): void {
  const { buckets, fields } = where
  if (buckets !== null) {
    for (const bucket of buckets) reader.orPrefixDocumentsInBucket(index, bucket, bits)
  } else if (fields !== null) reader.orPrefixDocumentsInFields(index, fields, bits)
  else reader.orPrefixDocuments(index, bits)
}
