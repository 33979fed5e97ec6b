// Which documents hold two groups of words near each other · search semantics §2.5, §8.3.
//
// Distances come from occurrences. Reading those of two frequent words takes milliseconds (some
// ten thousand documents: 20 ms), and the same frequent words are asked for again and again, so
// what was found for a segment is kept with it: segments never change. Kept sets hold dead
// documents too; whoever asks takes them out.
import { IdSet } from '../../../format/idset/index.ts'
import { Occurrences, type TextReader } from '../../../format/postings/index.ts'
import type { LocalOccurrences } from './local-occurrences.ts'
import { forwardDistance, PAIR_DISTANCE_MAX, shareField } from './pairs.ts'
import { TextIndex } from './text-index.ts'
import { EVERYWHERE, type Word } from './word.ts'

/** Two groups of words, the second behind the first. */
export type Pair = {
  readonly left: readonly Word[]
  readonly right: readonly Word[]
  /** Every word that begins with it stands on the right as well. */
  readonly rightPrefix: string | null
  /** Whether distance counts; else it is enough to share a field. */
  readonly byWord: boolean
}

/** The cost of a pair that is not near. */
export const FAR = PAIR_DISTANCE_MAX

/**
 * Below this many documents nothing is kept: reading them again costs less than a look-up saves.
 */
const KEPT_DOCUMENTS_MIN = 256
/** Groups of more words are made by typos, and seldom the same twice. */
const KEPT_WORDS_MAX = 64
/** What a segment keeps: so many bytes, and so many more per document. */
const KEPT_BYTES = 1 << 20
const KEPT_BYTES_PER_DOCUMENT = 32
/** Pairs remembered per segment as asked for once, of a part of their documents. */
const SEEN_MAX = 4096

/**
 * Documents of `among` that hold both groups, by cost: right one, two or three words behind left is
 * 0, 1, 2, and one or two words before it 1, 2; others are left out.
 */
export function nearSets(index: TextIndex, pair: Pair, among: IdSet): readonly IdSet[] {
  const both = holders(index, pair.left, null).and(holders(index, pair.right, pair.rightPrefix))
  const wanted = among.and(both)
  if (wanted.isEmpty) return []
  if (both.size < KEPT_DOCUMENTS_MIN || pair.left.length + pair.right.length > KEPT_WORDS_MAX) {
    return read(index, pair, wanted.toArray())
  }
  const key = keyOf(pair)
  if (wanted.size * 2 < both.size && !isSeen(index, key)) return read(index, pair, wanted.toArray())
  const sets: IdSet[] = []
  for (const { reader, dead } of index.segments) {
    const kept = keptOf(reader).sets(key, pair)
    kept.forEach((set, cost) => {
      const live = dead === null || dead.isEmpty ? set : set.andNot(dead)
      sets[cost] = sets[cost]?.or(live) ?? live
    })
  }
  return sets.map((set) => set.and(wanted))
}

function holders(index: TextIndex, words: readonly Word[], prefix: string | null): IdSet {
  const docs = words.length === 1 ? index.docs(words[0]!, EVERYWHERE) : unionOf(index, words)
  return prefix === null ? docs : docs.or(index.prefixDocs(prefix, EVERYWHERE))
}

const unionOf = (index: TextIndex, words: readonly Word[]): IdSet =>
  words.length === 0 ? IdSet.empty : index.union(words, EVERYWHERE)

const keyOf = ({ left, right, rightPrefix, byWord }: Pair): string =>
  [byWord ? 'w' : 'a', texts(left), texts(right), rightPrefix ?? ''].join('\u0001')

const texts = (words: readonly Word[]): string => words.map(({ text }) => text).join('\u0000')

const seenByReader = new WeakMap<TextReader, Set<string>>()

/**
 * Whether the pair was asked for before in the largest segment, which outlives the views of many
 * writes.
 */
function isSeen(index: TextIndex, key: string): boolean {
  const { reader } = index.segments.reduce((a, b) =>
    b.reader.documentCount > a.reader.documentCount ? b : a,
  )
  let seen = seenByReader.get(reader)
  if (seen === undefined || seen.size >= SEEN_MAX) seenByReader.set(reader, (seen = new Set()))
  if (seen.has(key)) return true
  seen.add(key)
  return false
}

/** Reads the occurrences in ascending `ids`. */
function read(index: TextIndex, pair: Pair, ids: Uint32Array): IdSet[] {
  const costs = new Uint8Array(ids.length).fill(FAR)
  lowerCosts(costs, placesOf(index, pair, ids), pair.byWord, () => true)
  return setsByCost(ids, costs)
}

/** Where both groups stand in some documents. */
export type PairPlaces = {
  readonly left: LocalOccurrences
  readonly right: LocalOccurrences
  /** Where the right one counts when it stands before the left one; null: nowhere. */
  readonly rightBefore: LocalOccurrences | null
}

/**
 * Behind the left words any word of the prefix counts; before them only the prefix as a word of its
 * own.
 */
export function placesOf(
  index: TextIndex,
  { left, right, rightPrefix }: Pair,
  ids: Uint32Array,
): PairPlaces {
  const behind = index.occurrences(right, rightPrefix, ids)
  const places = { left: index.occurrences(left, null, ids), right: behind }
  if (rightPrefix === null) return { ...places, rightBefore: behind }
  const whole = index.word(rightPrefix)
  const words = whole === null || right.includes(whole) ? right : [...right, whole]
  return { ...places, rightBefore: index.occurrences(words, null, ids) }
}

/** Lowers the cost of documents (by their place in `costs`) where the pair stands nearer. */
export function lowerCosts(
  costs: Uint8Array,
  { left, right, rightBefore }: PairPlaces,
  byWord: boolean,
  counts: (d: number) => boolean,
): void {
  for (let d = 0; d < costs.length; d++) {
    if (costs[d] === 0 || !counts(d)) continue
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

/** Ascending ids by their cost, far ones left out. */
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

/** Of all segments of the thread: one is read at a time. */
const SCRATCH = new Occurrences()

/** What is kept of one segment, the least recently used forgotten first. */
class SegmentPairs {
  /** The segment by itself, no document dead. */
  readonly #index: TextIndex
  readonly #kept = new Map<string, readonly IdSet[]>()
  readonly #bytesMax: number
  #bytes = 0

  constructor(reader: TextReader) {
    this.#index = new TextIndex([{ reader, dead: null }], {
      setBytesMax: KEPT_BYTES,
      occurrences: SCRATCH,
    })
    this.#bytesMax = KEPT_BYTES + reader.documentCount * KEPT_BYTES_PER_DOCUMENT
  }

  sets(key: string, pair: Pair): readonly IdSet[] {
    const known = this.#kept.get(key)
    if (known !== undefined) {
      this.#kept.delete(key)
      this.#kept.set(key, known)
      return known
    }
    const sets = this.#read(pair)
    this.#kept.set(key, sets)
    this.#bytes += bytesOf(key, sets)
    for (const [oldKey, old] of this.#kept) {
      if (this.#bytes <= this.#bytesMax) break
      this.#kept.delete(oldKey)
      this.#bytes -= bytesOf(oldKey, old)
    }
    return sets
  }

  #read(pair: Pair): readonly IdSet[] {
    const own = { ...pair, left: this.#words(pair.left), right: this.#words(pair.right) }
    const left = holders(this.#index, own.left, null)
    const ids = left.and(holders(this.#index, own.right, own.rightPrefix)).toArray()
    return ids.length === 0 ? [] : read(this.#index, own, ids)
  }

  #words(words: readonly Word[]): Word[] {
    return words.flatMap(({ text }) => this.#index.word(text) ?? [])
  }
}

const keptBySegment = new WeakMap<TextReader, SegmentPairs>()

function keptOf(reader: TextReader): SegmentPairs {
  let kept = keptBySegment.get(reader)
  if (kept === undefined) keptBySegment.set(reader, (kept = new SegmentPairs(reader)))
  return kept
}

/** A guess at what an entry takes. */
const bytesOf = (key: string, sets: readonly IdSet[]): number =>
  sets.reduce((sum, { byteLength }) => sum + byteLength, 200 + key.length * 2)
