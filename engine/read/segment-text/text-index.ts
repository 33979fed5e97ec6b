// The text layer of one view: presents several segments and their tombstones as one. Terms are
// addressed by their words; a word exists if a live document contains it. Here are the documents
// of words and prefixes, and visits of words; the other questions have a file each.
//
// The results of large segments are cached with them, and dead documents are removed when results
// are combined; small segments are read by each search. So the first search of a view costs only as
// much as its new documents. A view never changes, so its caches stay valid too.
//
// One search worker owns one TextIndex; nothing here is shared between threads.
import { encoder } from '../../../format/bytes/index.ts'
import { FstCursor, FuzzyCursor, type FuzzyOptions, KeyWalk } from '../../../format/fst/index.ts'
import type { FieldId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { Occurrences } from '../../../format/postings/index.ts'
import { CachedWordSets } from './cached-word-sets.ts'
import { FieldLengths } from './field-lengths.ts'
import { type Found, uniteLive } from './live-sets.ts'
import type { LocalOccurrences } from './local-occurrences.ts'
import { THREAD_PAIRS, THREAD_SETS, wordSetBytesMax } from './set-cache.ts'
import { SmallSegments } from './small-segments.ts'
import { mergeStreams } from './term-streams.ts'
import { TermWalks } from './term-walks.ts'
import { ViewOccurrences } from './view-occurrences.ts'
import { type TextSegment, ViewSegments } from './view-segments.ts'
import { type Split, ViewWords } from './view-words.ts'
import { type Scope, scopeOf, type Where, whereOfBuckets, whereOfScope } from './where.ts'
import type { Word } from './word.ts'

/** Field lengths of fewer documents are read one by one. */
export const LENGTHS_READ_MAX = 4096

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
  readonly anySmall: boolean
  /** The index of the only large segment; -1 if there are several. */
  readonly onlyLarge: number
  readonly #view: ViewSegments
  readonly #words: ViewWords
  readonly #walks: TermWalks
  readonly #small: SmallSegments
  readonly #occurrences: ViewOccurrences
  readonly #lengths: FieldLengths
  /** The sets that are cached with words. */
  readonly wordSets: CachedWordSets
  readonly #live: IdSet[] = []
  #ordinals = new Uint32Array(64)

  constructor(segments: readonly TextSegment[], options: TextIndexOptions = {}) {
    const view = new ViewSegments(segments, options.smallDocumentsMax)
    this.segments = segments
    this.idEnd = view.idEnd
    this.largest = view.largest
    this.anySmall = view.anySmall
    this.onlyLarge = view.onlyLarge
    this.#view = view
    this.wordSets = new CachedWordSets(options.setBytesMax ?? wordSetBytesMax(this.idEnd))
    THREAD_SETS.makeRoomFor(this.idEnd)
    THREAD_PAIRS.makeRoomFor(this.idEnd)
    this.#words = new ViewWords(view)
    this.#walks = new TermWalks(view)
    this.#small = new SmallSegments(view)
    this.#occurrences = new ViewOccurrences(view, this.#small, options.occurrences)
    this.#lengths = new FieldLengths(view, this.#small)
  }

  /** Prepares tables of new segments and the dictionary of novel terms for the first search. */
  prepare(): void {
    this.#walks.prepare()
    this.#small.prepare()
  }

  /** Returns true if results for a segment are cached with it. */
  isLarge(segment: number): boolean {
    return this.#view.small[segment] === null
  }

  /** Returns the word, or all words that contain a text, by their name: see `ViewWords.word`. */
  word(text: string): Word | null {
    return this.#words.word(text)
  }

  /**
   * Returns the positions where a word can be split, from the left, if one segment may have both
   * parts; no document contains any other split.
   */
  splitsOf(text: string): readonly Split[] {
    return this.#words.splitsOf(text)
  }

  /** Live documents that contain the word within `scope`. Cached. */
  docs(word: Word, scope: Scope): IdSet {
    word.docsByScope ??= new Map()
    let docs = word.docsByScope.get(scope.key)
    if (docs === undefined) {
      docs = this.union([word], scope)
      word.docsByScope.set(scope.key, docs)
      this.wordSets.add(word, scope.key, docs.byteLength)
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
    const { segments, texts, small } = this.#view
    const found: Found[] = []
    let read = 0
    for (let s = 0; s < segments.length; s++) {
      let count = 0
      for (let i = 0; i < words.length; i++) {
        const ordinal = words[i]!.ordinals[s]!
        if (ordinal >= 0) ordinals[count++] = ordinal
      }
      if (count === 0) continue
      if (small[s] === null) {
        const set = texts[s]!.union(ordinals, count, where, s === this.onlyLarge)
        found.push({ set, dead: segments[s]!.dead })
      } else {
        for (let i = 0; i < count; i++) read = this.#small.read(s, ordinals[i]!, where, read)
      }
    }
    for (const { within } of words) {
      if (within !== null) read = this.#uniteWithin(within, where, found, read)
    }
    return uniteLive(found, this.#small.idsRead(read))
  }

  /**
   * Adds the documents of the words that contain a text: those of large segments to `found`, those
   * of small ones to the ids read so far, of which there are `read`; returns the new number.
   */
  #uniteWithin(text: string, where: Where, found: Found[], read: number): number {
    const { segments, texts, small } = this.#view
    for (let s = 0; s < segments.length; s++) {
      const ordinals = texts[s]!.termsWith(text)
      if (ordinals.length === 0) continue
      if (small[s] === null) {
        found.push({ set: texts[s]!.withinUnion(text, where), dead: segments[s]!.dead })
      } else {
        for (const ordinal of ordinals) read = this.#small.read(s, ordinal, where, read)
      }
    }
    return read
  }

  /** All fields that a word occurs in, in any segment (dead documents included). */
  fieldsOf(words: readonly Word[]): Set<number> {
    const fields = new Set<number>()
    for (let s = 0; s < this.segments.length; s++) {
      const text = this.#view.texts[s]!
      for (const word of words) {
        const ordinal = word.ordinals[s]!
        if (ordinal < 0 && word.within === null) continue
        const own = ordinal < 0 ? text.withinFields(word.within!) : text.fieldsOf(ordinal)
        for (const field of own) fields.add(field)
      }
    }
    return fields
  }

  /** Returns true if a live document contains the word outside of `fields` (ascending). */
  occursOutside(word: Word, fields: readonly FieldId[]): boolean {
    const others = [...this.fieldsOf([word])].filter((field) => !fields.includes(field))
    if (others.length === 0 || !this.#view.anyDead) return others.length > 0
    return !this.docs(word, scopeOf(others)).isEmpty
  }

  /**
   * Visits the live words that begin with `prefix`, without itself, in byte order, until `visit`
   * returns false.
   */
  eachWithPrefix(prefix: string, visit: (word: Word) => boolean): void {
    const streams = this.#walks.streams(
      (text) => text.prefixStream(prefix),
      (novel) => {
        const cursor = new FstCursor(novel)
        cursor.seekPrefix(encoder.encode(prefix))
        return new KeyWalk(cursor)
      },
    )
    mergeStreams(streams, (term, segment) => {
      if (term.text === prefix) return true
      const word = this.#words.wordOf(term, segment)
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
    const streams = this.#walks.streams(
      (segment) => segment.nearStream(text, options),
      (novel) => new KeyWalk(new FuzzyCursor(novel, text, options)),
    )
    mergeStreams(streams, (term, segment) => {
      const word = this.#words.wordOf(term, segment)
      return word === null || visit(word, term.distance, term.sameFirst)
    })
  }

  /** Returns true if at least `count` live words begin with `prefix` or equal it. */
  hasPrefixWords(prefix: string, count: number): boolean {
    const bytes = encoder.encode(prefix)
    let most = 0
    for (let s = 0; s < this.segments.length; s++) {
      const { dead, reader } = this.segments[s]!
      const { from, to } = reader.fst.range(bytes)
      most += to - from
      if (to - from >= count && this.#view.texts[s]!.hasLive(from, to, count, dead)) return true
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
    const { segments, texts, small } = this.#view
    const found: Found[] = []
    let read = 0
    for (let s = 0; s < segments.length; s++) {
      const { dead, reader } = segments[s]!
      if (small[s] === null) {
        found.push({ set: texts[s]!.prefixUnion(prefix, where, s === this.onlyLarge), dead })
        continue
      }
      const { from, to } = reader.fst.range(bytes)
      for (let ordinal = from; ordinal < to; ordinal++) {
        read = this.#small.read(s, ordinal, where, read)
      }
    }
    return uniteLive(found, this.#small.idsRead(read))
  }

  /** All fields that a word with the prefix occurs in. */
  prefixFields(prefix: string): Set<number> {
    const fields = new Set<number>()
    for (const text of this.#view.texts) {
      for (const field of text.prefixFields(prefix)) fields.add(field)
    }
    return fields
  }

  /**
   * All occurrences of any of the words in ascending `ids`; within a document ascending by field
   * and position. With a `prefix`, also those of every word that begins with it. A word is counted
   * twice only if it is listed and contains the text of other ones.
   */
  occurrences(words: readonly Word[], prefix: string | null, ids: Uint32Array): LocalOccurrences {
    return this.#occurrences.of(words, prefix, ids)
  }

  /** Returns the live documents of a segment. */
  liveIn(segment: number): IdSet {
    let live = this.#live[segment]
    if (live === undefined) {
      const { dead, reader } = this.segments[segment]!
      live = this.#live[segment] = uniteLive([{ set: reader.ids(), dead }])
    }
    return live
  }

  /** The live documents of small segments. */
  get liveInSmall(): IdSet {
    return this.#small.docs
  }

  /** Returns those of ascending `ids` that are live in small segments: mostly none. */
  inSmall(ids: Uint32Array): Uint32Array {
    return this.#small.among(ids)
  }

  /** Live documents of small segments that contain both words, ascending. */
  inSmallWithBoth(left: Word, right: Word): Uint32Array {
    return this.#small.withBoth(left, right)
  }

  /**
   * Returns the documents of `among` whose field has `words` words, which is above 0. `readMax`: up
   * to this many documents are read one by one; for more, cached sets are used.
   */
  docsOfLength(field: FieldId, words: number, among: IdSet, readMax = LENGTHS_READ_MAX): IdSet {
    return this.#lengths.docsOf(field, words, among, readMax)
  }

  /**
   * Returns the number of words in a field of all live documents. Computed once for each view: reads
   * the lengths of dead documents.
   */
  wordsInField(field: FieldId): number {
    return this.#lengths.wordsOf(field)
  }

  /** Writes the number of words of `field` in each of ascending `ids` into `out`. */
  fieldLengths(field: FieldId, ids: Uint32Array, out: Uint16Array): void {
    this.#lengths.read(field, ids, out)
  }
}
