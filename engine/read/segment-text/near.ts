// Finds the documents in which two groups of words are near each other
// (docs/search-semantics.md#proximity).
//
// Distances are computed from occurrences. Reading those of two frequent words takes milliseconds
// (some ten thousand documents: 20 ms), and searches repeat the same frequent words, so results for
// a large segment are cached by segment: segments never change. A pair of few documents is read
// completely. Of a pair of many documents, a search reads those that it needs and no search has
// read before, so that none waits for documents that it does not need. Cached sets contain dead
// documents, which are removed when the sets of all segments are united. Small segments are read
// each time.
import { IdSet } from '../../../format/idset/index.ts'
import { Occurrences, type TextReader } from '../../../format/postings/index.ts'
import { mapped } from '../../runtime/index.ts'
import { type Found, uniteLive } from './live-sets.ts'
import type { LocalOccurrences } from './local-occurrences.ts'
import { isReadWhole, partsOf, WHOLE_DOCUMENTS_MAX } from './pair-cache.ts'
import { forwardDistance, PAIR_DISTANCE_MAX, shareField } from './pairs.ts'
import { segmentKey, THREAD_PAIRS } from './set-cache.ts'
import type { SplitPart } from './split-parts.ts'
import { TextIndex } from './text-index.ts'
import { EVERYWHERE } from './where.ts'
import type { Word } from './word.ts'

/** Two groups of words, of which the second follows the first. */
type PairOf<W> = {
  readonly left: readonly W[]
  readonly right: readonly W[]
  /** All words with this prefix also belong to the right group; null for none. */
  readonly rightPrefix: string | null
  /** True if distance counts; otherwise sharing a field suffices. */
  readonly byWord: boolean
}

export type Pair = PairOf<Word>
/** A pair by texts: the cache key, and the form that is looked up in a segment. */
type TextPair = PairOf<{ readonly text: string }>

/** The cost of a pair that is not near. */
export const FAR = PAIR_DISTANCE_MAX

/**
 * Larger groups are made by typos and rarely repeat. A short prefix whose words are listed has up
 * to 100 words: 'the' has 77 in 25,000 documents.
 */
const CACHED_WORDS_MAX = 128
const NO_IDS = new Uint32Array(0)
/** Documents read first when a part of them may suffice; the number doubles each time. */
const FIRST_READ = 256

/**
 * Returns the documents of `among` that contain both groups, by cost: the right group one, two or
 * three words after the left one costs 0, 1, 2, and one or two words before it 1, 2; other
 * documents are left out.
 */
export function nearSets(index: TextIndex, pair: Pair, among: IdSet): readonly IdSet[] {
  const both = holders(index, pair.left, null).and(holders(index, pair.right, pair.rightPrefix))
  const wanted = among.and(both)
  return nearAmong(index, pair, wanted, both.size)
}

/**
 * Does the work of `nearSets` for documents that all contain both groups; `all` is the number of
 * such documents of the index, or an upper bound.
 */
export function nearAmong(
  index: TextIndex,
  pair: Pair,
  wanted: IdSet,
  all: number,
): readonly IdSet[] {
  if (wanted.isEmpty) return []
  if (pair.left.length + pair.right.length > CACHED_WORDS_MAX) {
    return read(index, pair, wanted.toArray())
  }
  const key = keyOf(pair)
  const inParts = all > WHOLE_DOCUMENTS_MAX
  if (!inParts && !isReadWhole(readerOf(index), key, wanted.size, all)) {
    return read(index, pair, wanted.toArray())
  }
  const found: Found[][] = []
  for (let cost = 0; cost < FAR; cost++) found.push([])
  index.segments.forEach(({ reader, dead }, s) => {
    if (!index.isLarge(s)) return
    const cached = inParts
      ? partsOf(reader, key, inLarge(index, s, wanted), (ids) => readIn(reader, pair, ids))
      : cachedSets(reader, key, pair)
    const costs = Math.min(cached.length, FAR)
    for (let cost = 0; cost < costs; cost++) found[cost]!.push({ set: cached[cost]!, dead })
  })
  const few = inSmall(index, wanted)
  if (few.length > 0) {
    const sets = read(index, pair, few)
    for (let cost = 0; cost < sets.length; cost++)
      found[cost]!.push({ set: sets[cost]!, dead: null })
  }
  return mapped(found, (parts) => uniteLive(parts).and(wanted))
}

/**
 * Counts the documents in which `right` directly follows `left` (or, with attribute precision,
 * shares a field with it). Reads only segments that have both words, and builds no set for the
 * view: most pairs are parts of misspelled words, which few documents contain.
 */
export function countNear(index: TextIndex, left: Word, right: Word, byWord: boolean): number {
  const pair: Pair = { left: [left], right: [right], rightPrefix: null, byWord }
  const key = keyOf(pair)
  let count = 0
  let isInSmall = false
  for (let s = 0; s < index.segments.length; s++) {
    if (!hasBoth(s, left, right)) continue
    if (index.isLarge(s)) count += liveCount(index, s, key, pair)
    else isInSmall = true
  }
  if (!isInSmall) return count
  const ids = index.inSmallWithBoth(left, right)
  return ids.length === 0 ? count : count + read(index, pair, ids)[0]!.size
}

/**
 * Like `countNear`, for words of many documents: exact up to `enough`; a larger result only means
 * that there are more. Reads documents until that is decided.
 */
export function countNearUpTo(
  index: TextIndex,
  left: Word,
  right: Word,
  byWord: boolean,
  enough: number,
): number {
  const pair: Pair = { left: [left], right: [right], rightPrefix: null, byWord }
  const ids = index.docs(left, EVERYWHERE).and(index.docs(right, EVERYWHERE)).toArray()
  let count = 0
  let step = FIRST_READ
  for (let at = 0; at < ids.length && count <= enough; step *= 2) {
    count += read(index, pair, ids.subarray(at, at + step))[0]!.size
    at += step
  }
  return count
}

/**
 * Counts the documents of the largest segment in which the parts of a split are adjacent (or, with
 * attribute precision, share a field). This segment stays across views: its result is cached under
 * a key stored in the part, because a misspelled word is split at every position in every view.
 */
export function countInLargest(
  index: TextIndex,
  text: string,
  part: SplitPart,
  byWord: boolean,
): number {
  const cachedKey = byWord ? part.adjacentKey : part.sharedFieldKey
  if (part.bothMax === 0 || cachedKey === '') return 0
  const { dead, reader } = index.segments[index.largest]!
  const cached = cachedKey === null ? null : THREAD_PAIRS.find(cachedKey)
  if (cached !== null) return countLive(cached[0], dead)
  const left = [{ text: text.slice(0, part.at) }]
  const right = [{ text: text.slice(part.at) }]
  const pair: TextPair = { left, right, rightPrefix: null, byWord }
  const key = keyOf(pair)
  const set = cachedSets(reader, key, pair)[0]
  const own = set === undefined || set.isEmpty ? '' : segmentKey(reader) + key
  if (byWord) part.adjacentKey = own
  else part.sharedFieldKey = own
  return countLive(set, dead)
}

/**
 * Upper bound of the number of documents in other segments that contain both words; reads no
 * posting.
 */
export function countElsewhereMax(index: TextIndex, left: Word, right: Word): number {
  let most = 0
  for (let s = 0; s < index.segments.length; s++) {
    if (s === index.largest || !hasBoth(s, left, right)) continue
    const { reader } = index.segments[s]!
    const inLeft = reader.documentFrequency(left.ordinals[s]!)
    most += Math.min(inLeft, reader.documentFrequency(right.ordinals[s]!))
  }
  return most
}

/** Pairs belong to the largest segment, which outlives many views. */
const readerOf = (index: TextIndex): TextReader => index.segments[index.largest]!.reader

/** Returns the documents of `among` that may be in a large segment, dead ones included. */
export const inLarge = (index: TextIndex, s: number, among: IdSet): IdSet =>
  s === index.onlyLarge ? among : among.and(index.segments[s]!.reader.ids())

/** Returns the documents of `among` that are live in small segments: mostly none. */
export const inSmall = (index: TextIndex, among: IdSet): Uint32Array =>
  index.anySmall ? index.inSmall(among.toArray()) : NO_IDS

const hasBoth = (s: number, left: Word, right: Word): boolean =>
  left.ordinals[s]! >= 0 && right.ordinals[s]! >= 0

/** Counts the live documents of a large segment in which the pair has cost 0. */
function liveCount(index: TextIndex, s: number, key: string, pair: Pair): number {
  const { dead, reader } = index.segments[s]!
  return countLive(cachedSets(reader, key, pair)[0], dead)
}

function countLive(set: IdSet | undefined, dead: IdSet | null): number {
  if (set === undefined) return 0
  return dead === null || dead.isEmpty ? set.size : set.size - set.andSize(dead)
}

function holders(index: TextIndex, words: readonly Word[], prefix: string | null): IdSet {
  const docs = words.length === 1 ? index.docs(words[0]!, EVERYWHERE) : unionOf(index, words)
  return prefix === null ? docs : docs.or(index.prefixDocs(prefix, EVERYWHERE))
}

const unionOf = (index: TextIndex, words: readonly Word[]): IdSet =>
  words.length === 0 ? IdSet.empty : index.union(words, EVERYWHERE)

const keyOf = ({ left, right, rightPrefix, byWord }: TextPair): string =>
  [byWord ? 'w' : 'a', texts(left), texts(right), rightPrefix ?? ''].join('\u0001')

const texts = (words: TextPair['left']): string => mapped(words, ({ text }) => text).join('\u0000')

/** Reads the occurrences in ascending `ids`. */
const read = (index: TextIndex, pair: Pair, ids: Uint32Array): IdSet[] =>
  setsByCost(ids, costsOfPair(index, pair, ids))

/** Reads the cost of the pair in each of ascending `ids`. */
function costsOfPair(index: TextIndex, pair: Pair, ids: Uint32Array): Uint8Array {
  const costs = new Uint8Array(ids.length).fill(FAR)
  lowerCosts(costs, placesOf(index, pair, ids), pair.byWord)
  return costs
}

/** The occurrences of both groups in some documents. */
export type PairPlaces = {
  readonly left: LocalOccurrences
  readonly right: LocalOccurrences
  /** Occurrences of the right group that count before the left group; null for none. */
  readonly rightBefore: LocalOccurrences | null
}

/**
 * After the left words, any word with the prefix counts; before them, only the prefix as a whole
 * word.
 */
export function placesOf(
  index: TextIndex,
  { left, right, rightPrefix }: Pair,
  ids: Uint32Array,
): PairPlaces {
  const behind = index.occurrences(right, rightPrefix, ids)
  const before = index.occurrences(left, null, ids)
  if (rightPrefix === null) return { left: before, right: behind, rightBefore: behind }
  const whole = index.word(rightPrefix)
  const words = whole === null || right.includes(whole) ? right : [...right, whole]
  return { left: before, right: behind, rightBefore: index.occurrences(words, null, ids) }
}

/** Lowers the costs of documents (by their index in `costs`) in which the pair is nearer. */
export function lowerCosts(
  costs: Uint8Array,
  { left, right, rightBefore }: PairPlaces,
  byWord: boolean,
): void {
  for (let d = 0; d < costs.length; d++) {
    if (costs[d] === 0) continue
    let cost = FAR
    if (!byWord) {
      if (shareField(left, right, d)) cost = 0
    } else {
      cost = forwardDistance(left, right, d) - 1
      if (rightBefore !== null && cost > 1) {
        cost = Math.min(cost, forwardDistance(rightBefore, left, d))
      }
    }
    if (cost < costs[d]!) costs[d] = cost
  }
}

/** Groups ascending ids by cost; far ones are left out. */
export function setsByCost(ids: Uint32Array, costs: Uint8Array): IdSet[] {
  const counts = new Uint32Array(FAR + 1)
  for (let d = 0; d < costs.length; d++) counts[costs[d]!]!++
  const sets: IdSet[] = []
  for (let cost = 0; cost < FAR; cost++) {
    const members = new Uint32Array(counts[cost]!)
    let n = 0
    for (let d = 0; d < costs.length; d++) if (costs[d] === cost) members[n++] = ids[d]!
    sets.push(IdSet.ofSorted(members))
  }
  return sets
}

/** Shared by all segments of the thread, because one is read at a time. */
const SCRATCH = new Occurrences()

/**
 * Returns the sets of a pair in one segment, dead documents included, by cost like `nearSets`; the
 * list may be shorter.
 */
function cachedSets(reader: TextReader, key: string, pair: TextPair): readonly IdSet[] {
  const own = segmentKey(reader) + key
  return THREAD_PAIRS.find(own) ?? THREAD_PAIRS.add(own, readSegment(reader, pair))
}

/**
 * Creates an index of the segment only for this call: its results are cached by segment, and its
 * own caches would not be used again.
 */
function readSegment(reader: TextReader, pair: TextPair): readonly IdSet[] {
  const { index, own } = inSegment(reader, pair)
  const holding = holders(index, own.left, null)
  if (holding.isEmpty) return []
  const ids = holding.and(holders(index, own.right, own.rightPrefix)).toArray()
  return ids.length === 0 ? [] : read(index, own, ids)
}

/** Reads the occurrences of a pair in ascending `ids` of a segment. */
function readIn(reader: TextReader, pair: TextPair, ids: Uint32Array): readonly IdSet[] {
  const { index, own } = inSegment(reader, pair)
  return read(index, own, ids)
}

function inSegment(reader: TextReader, pair: TextPair): { index: TextIndex; own: Pair } {
  const index = segmentIndex(reader)
  const { byWord, left, right, rightPrefix } = pair
  return {
    index,
    own: { left: wordsIn(index, left), right: wordsIn(index, right), rightPrefix, byWord },
  }
}

/** Returns an index of one segment, dead documents included, for one call. */
export const segmentIndex = (reader: TextReader): TextIndex =>
  new TextIndex([{ reader, dead: null }], { occurrences: SCRATCH })

/** Returns those of the words that an index has. */
export function wordsIn(index: TextIndex, words: readonly { readonly text: string }[]): Word[] {
  const found: Word[] = []
  for (const { text } of words) {
    const word = index.word(text)
    if (word !== null) found.push(word)
  }
  return found
}
