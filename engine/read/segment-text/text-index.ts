// The text layer of one view: presents several segments and their tombstones as one. Terms are
// addressed by their words; a word exists if a live document contains it.
//
// Large segments stay across views: their results are cached with them (`segment-text.ts`), and
// dead documents are removed when results are combined. Small segments are short-lived: each search
// reads them, after a table has confirmed that they have the term (`small-terms.ts`). So the first
// search of a view costs only as much as its new documents. A view never changes, so its caches
// stay valid too.
//
// One search worker owns one TextIndex; nothing here is shared between threads. It is one file,
// because all of it works on the same words, segments and buffers.
import { lengthened } from '../../../format/bytes/index.ts'
import {
  buildFst,
  Fst,
  FstCursor,
  FuzzyCursor,
  type FuzzyOptions,
  KeyWalk,
} from '../../../format/fst/index.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { Occurrences, type TextReader } from '../../../format/postings/index.ts'
import { mapped } from '../../model/index.ts'
import { CachedWordSets } from './cached-word-sets.ts'
import { type Found, uniteLive } from './live-sets.ts'
import { gather, kernelOccurrences, type LocalOccurrences } from './local-occurrences.ts'
import { rangeBits } from './range-bits.ts'
import { SegmentText } from './segment-text.ts'
import { THREAD_PAIRS, THREAD_SETS } from './set-cache.ts'
import { hashOfText, SmallTerms } from './small-terms.ts'
import { sortDistinct } from './sorted-ids.ts'
import type { SplitPart } from './split-parts.ts'
import { mergeStreams, type SegmentStream, type StreamTerm, TermStream } from './term-streams.ts'
import {
  EVERYWHERE,
  type Scope,
  scopeOf,
  type Where,
  whereOfBuckets,
  whereOfScope,
} from './where.ts'
import { withoutMembers } from './without-members.ts'
import { Word } from './word.ts'

export type TextSegment = {
  readonly reader: TextReader
  /** Documents of the segment whose copy here is dead, or null. */
  readonly dead: IdSet | null
}

const encoder = new TextEncoder()
/**
 * Words cached for each view before the oldest half is dropped: about 200 bytes each without their
 * sets.
 */
const CACHED_WORDS_MAX = 20_000
/** The shared buffer is freed if one huge request has made it larger than this. */
const REUSED_OCCURRENCES_MAX = 1 << 21
/**
 * Segments with up to this many documents are small, unless they are the largest. When 100
 * documents change at a time, the sets of a segment of 600 are used a few times before it is
 * merged: with 512, searches took 4 % more.
 */
const SMALL_DOCUMENTS_MAX = 1024
/**
 * Segments with up to this many times as many documents also have a table of their terms: at 4,096
 * documents, 20,000 terms take two milliseconds a thread, once, and 256 KiB.
 */
const TABLE_FACTOR = 4
/** Field lengths of fewer documents are read one by one. */
const LENGTHS_READ_MAX = 4096
/** Registry size for building the dictionary of novel terms, which is small. */
const NOVEL_REGISTRY_NODES = 256

/**
 * A segment with a table and at most this part of SMALL_DOCUMENTS_MAX as novel terms is not walked:
 * a merged segment would have to be walked again for every misspelled word. With more terms it is
 * walked, because their dictionary is built for each view: 1,000 terms take a millisecond.
 */
const NOVEL_PART = 1 / 2

/** How the terms of all segments are visited in byte order. */
type Walks = {
  /** Segments whose dictionaries are walked. */
  readonly walked: readonly number[]
  /** Terms of the other segments that the largest ones lack. */
  readonly novel: Fst | null
}

/** A position where a word can be split. */
export type Split = {
  /** The split in the largest segment. */
  readonly part: SplitPart
  /** True if another segment may have both parts. */
  readonly isElsewhere: boolean
}

export type TextIndexOptions = {
  /** Bytes for sets of documents; absent means as many as `THREAD_SETS` has. */
  readonly setBytesMax?: number
  /** A buffer shared with other indexes of the same thread. */
  readonly occurrences?: Occurrences
  /** Maximum number of documents of a small segment. */
  readonly smallDocumentsMax?: number
}

export class TextIndex {
  readonly segments: readonly TextSegment[]
  /** One more than the largest document id of any segment. */
  readonly idEnd: number
  /** The index of the largest segment, which stays longest; -1 without segments. */
  readonly largest: number
  readonly #anyDead: boolean
  readonly #texts: readonly SegmentText[]
  /** By segment: its terms if it is small, null if it is large. */
  readonly #small: readonly (SmallTerms | null)[]
  readonly anySmall: boolean
  /** The index of the only large segment; -1 if there are several. */
  readonly onlyLarge: number
  /** By segment: a table of its terms; null if it is the largest, or too large for one. */
  readonly #tables: readonly (SmallTerms | null)[]
  readonly #words = new Map<string, Word | null>()
  readonly #occurrences: Occurrences
  readonly #cachedSets: CachedWordSets
  #walks: Walks | null = null
  /** A segment with a table and at most this many novel terms is not walked. */
  readonly #novelFew: number
  /** Live documents of small segments. */
  #smallDocs: IdSet | null = null
  #ordinals = new Uint32Array(64)

  constructor(segments: readonly TextSegment[], options: TextIndexOptions = {}) {
    this.segments = segments
    this.#occurrences = options.occurrences ?? new Occurrences()
    this.idEnd = segments.reduce((end, { reader }) => Math.max(end, reader.idMax + 1), 0)
    this.#cachedSets = new CachedWordSets(options.setBytesMax ?? THREAD_SETS.bytesMaxOf(this.idEnd))
    THREAD_SETS.makeRoomFor(this.idEnd)
    THREAD_PAIRS.makeRoomFor(this.idEnd)
    this.#anyDead = segments.some(({ dead }) => dead !== null && !dead.isEmpty)
    this.#texts = mapped(segments, ({ reader }) => SegmentText.of(reader))
    const smallMax = options.smallDocumentsMax ?? SMALL_DOCUMENTS_MAX
    this.#novelFew = smallMax * NOVEL_PART
    const largest = largestOf(segments)
    this.largest = largest === null ? -1 : segments.indexOf(largest)
    this.#tables = mapped(segments, ({ reader }, s) =>
      s === this.largest || reader.documentCount > smallMax * TABLE_FACTOR
        ? null
        : SmallTerms.of(reader),
    )
    this.#small = mapped(this.#tables, (table, s) =>
      segments[s]!.reader.documentCount > smallMax ? null : table,
    )
    this.anySmall = this.#small.some((terms) => terms !== null)
    const first = this.#small.indexOf(null)
    this.onlyLarge = this.#small.lastIndexOf(null) === first ? first : -1
  }

  /** Prepares tables of new segments and the dictionary of novel terms for the first search. */
  prepare(): void {
    this.#walks ??= this.#findWalks()
    this.#smallDocs ??= this.#findSmallDocs()
  }

  /** Returns true if results for a segment are cached with it. */
  isLarge(segment: number): boolean {
    return this.#small[segment] === null
  }

  /** Returns the word if a live document contains it in any field, else null. */
  word(text: string): Word | null {
    const cached = this.#words.get(text)
    if (cached !== undefined) return cached
    const hash = this.segments.length > 1 ? hashOfText(text) : 0
    const word = text === '' ? null : this.#find(text, hash, -1, -1)
    this.#remember(text, word)
    return word
  }

  /** Returns the word of a term found by a walk in a segment; -1 stands for the novel terms. */
  #wordOf({ text, hash, ordinal }: StreamTerm, segment: number): Word | null {
    const cached = this.#words.get(text)
    if (cached !== undefined) return cached
    const word = this.#find(text, hash, segment, ordinal)
    this.#remember(text, word)
    return word
  }

  /** `ordinal`: the ordinal already known in segment `home`. */
  #find(text: string, hash: number, home: number, ordinal: number): Word | null {
    const { segments } = this
    const ordinals = new Int32Array(segments.length)
    let utf8: Uint8Array | null = null
    let frequencyMax = 0
    let isAlive = false
    for (let s = 0; s < ordinals.length; s++) {
      const mayHave = this.#tables[s]?.mayHave(hash) ?? true
      let found = -1
      if (s === home) found = ordinal
      else if (mayHave && this.#small[s] === null) found = this.#texts[s]!.ordinalOf(text)
      else if (mayHave) {
        utf8 ??= encoder.encode(text)
        found = segments[s]!.reader.fst.ordinalOf(utf8, 0, utf8.length)
      }
      ordinals[s] = found
      if (found < 0) continue
      frequencyMax += segments[s]!.reader.documentFrequency(found)
      isAlive ||= this.#texts[s]!.isAlive(found, segments[s]!.dead)
    }
    return isAlive ? new Word(text, ordinals, frequencyMax) : null
  }

  /**
   * Returns the positions where a word can be split, from the left, if one segment may have both
   * parts; no document contains any other split.
   */
  splitsOf(text: string): readonly Split[] {
    const splits: Split[] = []
    if (this.largest < 0) return splits
    for (const part of this.#texts[this.largest]!.splitParts.of(text)) {
      const isElsewhere = this.#othersMayHaveBoth(text, part)
      if (part.bothMax > 0 || isElsewhere) splits.push({ part, isElsewhere })
    }
    return splits
  }

  #othersMayHaveBoth(text: string, { at, leftHash, rightHash }: SplitPart): boolean {
    for (let s = 0; s < this.segments.length; s++) {
      if (s === this.largest) continue
      const table = this.#tables[s]!
      if (table !== null) {
        if (table.mayHave(leftHash) && table.mayHave(rightHash)) return true
        continue
      }
      const segment = this.#texts[s]!
      if (segment.ordinalOf(text.slice(0, at)) < 0) continue
      if (segment.ordinalOf(text.slice(at)) >= 0) return true
    }
    return false
  }

  #remember(text: string, word: Word | null): void {
    if (this.#words.size >= CACHED_WORDS_MAX) {
      let drop = CACHED_WORDS_MAX / 2
      for (const key of this.#words.keys()) {
        if (drop-- === 0) break
        this.#words.delete(key)
      }
    }
    this.#words.set(text, word)
  }

  /** Live documents that contain the word within `scope`. Cached. */
  docs(word: Word, scope: Scope): IdSet {
    word.docsByScope ??= new Map()
    let docs = word.docsByScope.get(scope.key)
    if (docs === undefined) {
      docs = this.union([word], scope)
      word.docsByScope.set(scope.key, docs)
      this.#cachedSets.add(word, scope.key, docs.byteLength)
    }
    return docs
  }

  /** Live documents that contain any of the words within `scope`. */
  union(words: readonly Word[], scope: Scope): IdSet {
    return this.#union(words, whereOfScope(scope))
  }

  /** Live documents with any of the words in one of the position `buckets`. */
  unionInBuckets(words: readonly Word[], buckets: readonly number[]): IdSet {
    return this.#union(words, whereOfBuckets(buckets))
  }

  #union(words: readonly Word[], where: Where): IdSet {
    if (words.length === 0) return IdSet.empty
    if (words.length > this.#ordinals.length) this.#ordinals = new Uint32Array(words.length * 2)
    const ordinals = this.#ordinals
    const found: Found[] = []
    let small = 0
    for (let s = 0; s < this.segments.length; s++) {
      let count = 0
      for (let i = 0; i < words.length; i++) {
        const ordinal = words[i]!.ordinals[s]!
        if (ordinal >= 0) ordinals[count++] = ordinal
      }
      if (count === 0) continue
      const { dead } = this.segments[s]!
      const text = this.#texts[s]!
      if (this.#small[s] === null) found.push({ set: text.union(ordinals, count, where), dead })
      else for (let i = 0; i < count; i++) small = this.#readSmall(s, ordinals[i]!, where, small)
    }
    return uniteLive(found, smallIds.subarray(0, small))
  }

  /** Writes live documents of a small segment to `smallIds` from `count` on; returns the end. */
  #readSmall(s: number, ordinal: number, where: Where, count: number): number {
    const { reader, dead } = this.segments[s]!
    const ids = smallIdsUpTo(count + reader.documentFrequency(ordinal))
    const end = this.#texts[s]!.readDocuments(ordinal, where, ids, count)
    if (dead === null) return end
    for (let i = count; i < end; i++) if (!dead.has(ids[i]!)) ids[count++] = ids[i]!
    return count
  }

  /** All fields that a word occurs in, in any segment (dead documents included). */
  fieldsOf(words: readonly Word[]): Set<number> {
    const fields = new Set<number>()
    for (let s = 0; s < this.segments.length; s++) {
      for (const word of words) {
        const ordinal = word.ordinals[s]!
        if (ordinal < 0) continue
        for (const field of this.#texts[s]!.fieldsOf(ordinal)) fields.add(field)
      }
    }
    return fields
  }

  /** Returns true if a live document contains the word outside of `fields` (ascending). */
  occursOutside(word: Word, fields: readonly number[]): boolean {
    const others = [...this.fieldsOf([word])].filter((field) => !fields.includes(field))
    if (others.length === 0 || !this.#anyDead) return others.length > 0
    return !this.docs(word, scopeOf(others)).isEmpty
  }

  /**
   * Visits the live words that begin with `prefix`, without itself, in byte order, until `visit`
   * returns false.
   */
  eachWithPrefix(prefix: string, visit: (word: Word) => boolean): void {
    const streams = this.#streams(
      (text) => text.prefixStream(prefix),
      (novel) => {
        const cursor = new FstCursor(novel)
        cursor.seekPrefix(encoder.encode(prefix))
        return new KeyWalk(cursor)
      },
    )
    mergeStreams(streams, (term, segment) => {
      if (term.text === prefix) return true
      const word = this.#wordOf(term, segment)
      return word === null || visit(word)
    })
  }

  /**
   * Visits the live words near `text` in byte order, each with its distance and whether it begins
   * with the same letter; `visit` returns false to stop.
   */
  eachNear(
    text: string,
    options: FuzzyOptions,
    visit: (word: Word, distance: number, sameFirst: boolean) => boolean,
  ): void {
    const streams = this.#streams(
      (segment) => segment.nearStream(text, options),
      (novel) => new KeyWalk(new FuzzyCursor(novel, text, options)),
    )
    mergeStreams(streams, (term, segment) => {
      const word = this.#wordOf(term, segment)
      return word === null || visit(word, term.distance, term.sameFirst)
    })
  }

  /** Returns a walk over each walked segment, and one over the novel terms of the others. */
  #streams(
    ofLarge: (text: SegmentText) => TermStream,
    ofNovel: (novel: Fst) => KeyWalk,
  ): SegmentStream[] {
    const { novel, walked } = (this.#walks ??= this.#findWalks())
    const streams: SegmentStream[] = mapped(walked, (segment) => ({
      stream: ofLarge(this.#texts[segment]!),
      segment,
    }))
    if (novel !== null) streams.push({ stream: new TermStream(ofNovel(novel)), segment: -1 })
    return streams
  }

  #findWalks(): Walks {
    const walked: number[] = []
    const novel: Uint8Array[] = []
    // Always the same dictionaries, so that a segment is compared once: a term that is novel to
    // them may be in another walked segment, and is merged there.
    const untabled = this.segments.flatMap(({ reader }, s) =>
      this.#tables[s] === null ? [reader.fst] : [],
    )
    for (let s = 0; s < this.segments.length; s++) {
      const terms = this.#tables[s]?.novelTo(untabled) ?? null
      if (terms === null || terms.length > this.#novelFew) walked.push(s)
      else for (const term of terms) novel.push(term)
    }
    const fst = novel.length === 0 ? null : new Fst(buildFst(novel, NOVEL_REGISTRY_NODES))
    return { novel: fst, walked }
  }

  /** Returns true if at least `count` live words begin with `prefix` or equal it. */
  hasPrefixWords(prefix: string, count: number): boolean {
    const bytes = encoder.encode(prefix)
    let most = 0
    for (let s = 0; s < this.segments.length; s++) {
      const { dead, reader } = this.segments[s]!
      const { from, to } = reader.fst.range(bytes)
      most += to - from
      if (to - from >= count && this.#texts[s]!.hasLive(from, to, count, dead)) return true
    }
    if (most < count) return false
    let found = this.word(prefix) === null ? 0 : 1
    if (found < count) this.eachWithPrefix(prefix, () => ++found < count)
    return found >= count
  }

  /** Live documents with a word that begins with `prefix`, or equals it, within `scope`. */
  prefixDocs(prefix: string, scope: Scope): IdSet {
    return this.#unionPrefix(prefix, whereOfScope(scope))
  }

  /** Like `prefixDocs`, in one of the position `buckets`, in any field. */
  prefixDocsInBuckets(prefix: string, buckets: readonly number[]): IdSet {
    return this.#unionPrefix(prefix, whereOfBuckets(buckets))
  }

  #unionPrefix(prefix: string, where: Where): IdSet {
    const bytes = encoder.encode(prefix)
    const found: Found[] = []
    let small = 0
    for (let s = 0; s < this.segments.length; s++) {
      const { dead, reader } = this.segments[s]!
      if (this.#small[s] === null) {
        found.push({ set: this.#texts[s]!.prefixUnion(prefix, where), dead })
        continue
      }
      const { from, to } = reader.fst.range(bytes)
      for (let ordinal = from; ordinal < to; ordinal++) {
        small = this.#readSmall(s, ordinal, where, small)
      }
    }
    return uniteLive(found, smallIds.subarray(0, small))
  }

  /** All fields that a word with the prefix occurs in. */
  prefixFields(prefix: string): Set<number> {
    const fields = new Set<number>()
    for (const text of this.#texts) {
      for (const field of text.prefixFields(prefix)) fields.add(field)
    }
    return fields
  }

  /**
   * All occurrences of any of the words in ascending `ids`; within a document ascending by field
   * and position. With a `prefix`, also those of every word that begins with it; no word is counted
   * twice.
   */
  occurrences(words: readonly Word[], prefix: string | null, ids: Uint32Array): LocalOccurrences {
    const prefixBytes = prefix === null ? null : encoder.encode(prefix)
    const inSmall = this.inSmall(ids)
    const only = inSmall.length === 0 ? this.onlyLarge : -1
    if (only >= 0 && this.#candidates(only, ids, inSmall).length === ids.length) {
      const { reader } = this.segments[only]!
      const places = kernelOccurrences(reader, only, words, prefixBytes, ids)
      if (places !== null) return places
    }
    const found = this.#occurrences
    found.clear(REUSED_OCCURRENCES_MAX)
    for (let s = 0; s < this.segments.length; s++) {
      const candidates = this.#candidates(s, ids, inSmall)
      if (candidates.length === 0) continue
      const { reader } = this.segments[s]!
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

  /**
   * Returns those of ascending `ids` that may be live in a segment; exactly those in a small one.
   */
  #candidates(s: number, ids: Uint32Array, inSmall: Uint32Array): Uint32Array {
    const { dead, reader } = this.segments[s]!
    if (this.#small[s] === null) {
      return dead === null || dead.isEmpty ? ids : withoutMembers(ids, dead)
    }
    if (inSmall.length === 0) return inSmall
    const members = reader.ids()
    return inSmall.filter((id) => members.has(id) && (dead === null || !dead.has(id)))
  }

  /** Returns those of ascending `ids` that are live in small segments: mostly none. */
  inSmall(ids: Uint32Array): Uint32Array {
    if (!this.anySmall) return NO_IDS
    const docs = (this.#smallDocs ??= this.#findSmallDocs())
    return ids.filter((id) => docs.has(id))
  }

  #findSmallDocs(): IdSet {
    const found: Found[] = []
    for (let s = 0; s < this.segments.length; s++) {
      const { dead, reader } = this.segments[s]!
      if (this.#small[s] !== null) found.push({ set: reader.ids(), dead })
    }
    return uniteLive(found)
  }

  /** Live documents of small segments that contain both words, ascending. */
  inSmallWithBoth(left: Word, right: Word): Uint32Array {
    let both = IdSet.empty
    for (let s = 0; s < this.segments.length; s++) {
      if (this.#small[s] === null || left.ordinals[s]! < 0 || right.ordinals[s]! < 0) continue
      const ofLeft = this.#smallSet(s, left.ordinals[s]!)
      both = both.or(ofLeft.and(this.#smallSet(s, right.ordinals[s]!)))
    }
    return both.toArray()
  }

  /** Live documents of a small segment with a term. */
  #smallSet(s: number, ordinal: number): IdSet {
    const count = this.#readSmall(s, ordinal, ALL, 0)
    return IdSet.ofSorted(sortDistinct(smallIds.slice(0, count)))
  }

  #rangeOccurrences(
    reader: TextReader,
    from: number,
    to: number,
    candidates: Uint32Array,
    found: Occurrences,
  ): void {
    const bits = rangeBits(this.idEnd)
    for (let i = 0; i < candidates.length; i++) {
      bits[candidates[i]! >>> 5]! |= 1 << (candidates[i]! & 31)
    }
    try {
      reader.occurrencesOfRange(from, to, candidates, bits, found)
    } finally {
      // Cleared even after an error, because other views of the thread use the bits next.
      for (let i = 0; i < candidates.length; i++) bits[candidates[i]! >>> 5] = 0
    }
  }

  /**
   * Returns the documents of `among` whose field has `words` words, which is above 0. `readMax`: up
   * to this many documents are read one by one; for more, cached sets are used.
   */
  docsOfLength(field: number, words: number, among: IdSet, readMax = LENGTHS_READ_MAX): IdSet {
    if (among.size <= readMax) return this.#ofLength(field, words, among)
    const found: Found[] = []
    for (let s = 0; s < this.segments.length; s++) {
      if (this.#small[s] !== null) continue
      const { dead } = this.segments[s]!
      found.push({ set: this.#texts[s]!.docsOfLength(field, words), dead })
    }
    if (this.anySmall) {
      this.#smallDocs ??= this.#findSmallDocs()
      found.push({ set: this.#ofLength(field, words, this.#smallDocs.and(among)), dead: null })
    }
    return uniteLive(found).and(among)
  }

  #ofLength(field: number, words: number, among: IdSet): IdSet {
    const ids = among.toArray()
    const lengths = new Uint16Array(ids.length)
    this.fieldLengths(field, ids, lengths)
    return IdSet.ofSorted(ids.filter((_, i) => lengths[i] === words))
  }

  /** Writes the number of words of `field` in each of ascending `ids` into `out`. */
  fieldLengths(field: number, ids: Uint32Array, out: Uint16Array): void {
    out.fill(0, 0, ids.length)
    const part = new Uint16Array(ids.length)
    const noneInSmall = this.inSmall(ids).length === 0
    for (let s = 0; s < this.segments.length; s++) {
      if (noneInSmall && this.#small[s] !== null) continue
      const { dead, reader } = this.segments[s]!
      reader.lengths.lengthsOf(field, ids, ids.length, part)
      for (let i = 0; i < ids.length; i++) {
        if (part[i] !== 0 && (dead === null || !dead.has(ids[i]!))) out[i] = part[i]!
      }
    }
  }
}

const NO_IDS = new Uint32Array(0)
const ALL = whereOfScope(EVERYWHERE)

const largestOf = (segments: readonly TextSegment[]): TextSegment | null =>
  segments.reduce<TextSegment | null>(
    (a, b) => (a === null || b.reader.documentCount > a.reader.documentCount ? b : a),
    null,
  )

/** Shared by the thread: documents of terms of small segments, while their union is built. */
let smallIds = new Uint32Array(1024)

/** Returns a buffer with room for `count` ids; its contents are kept. */
function smallIdsUpTo(count: number): Uint32Array {
  if (count > smallIds.length) smallIds = lengthened(smallIds, count * 2)
  return smallIds
}
