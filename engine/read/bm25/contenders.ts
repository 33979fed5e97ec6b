// Finds the documents that may be among the best ones (MaxScore; ./BM25.md). Each word has an upper
// bound for its part in the score of each document (`impacts.ts`), and so a largest one for each
// window of ids. A document that has only words whose largest bounds together do not reach the best
// scores so far cannot be among the best: only documents with one of the other words, which are the
// rarest ones, are visited, and left again as soon as the bounds of the remaining words do not
// suffice.
//
// A bound is at most one level above the true part, which gives a lower limit of each score as well.
import { lengthened } from '../../../format/bytes/index.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { type Impacts, LEVELS, type ReadLevels, WINDOW_IDS, WindowSums } from './impacts.ts'
import { TopScores } from './top-scores.ts'

/** A word in the documents of a segment. */
export type Bounded = {
  readonly idf: number
  readonly impacts: Impacts
  readonly levelsOf: ReadLevels
}

/** Bounds are summed as 32-bit floats, each of which adds an error below this part of the sum. */
const ROUNDING = 1e-5

/**
 * Levels of words that are not needed to find documents are read for this many documents in one
 * search: better bounds save later searches work.
 */
const READ_AHEAD_MAX = 16384

/** They are read if a search needs them for more than one document of so many with the word. */
const READ_SHARE = 8

/** Reading the sums of a window is quicker than those of documents if they are this part of it. */
const COLLECT_SHARE = 2

/** The rarest words with up to this many documents are looked at first. */
const RAREST_DOCUMENTS_MAX = 8192

/** Shared by the thread: the sums of the ids of a window, and the ids that are left. */
const sums = new WindowSums()
const some = {
  offsets: new Uint16Array(WINDOW_IDS),
  sums: new Float32Array(WINDOW_IDS),
  unread: new Float32Array(WINDOW_IDS),
}

export class Contenders {
  readonly #top: TopScores
  /** How many times larger than the true score a bound may be, beside one level for each word. */
  readonly #slack: number
  #ids = new Uint32Array(1024)
  #bounds = new Float64Array(1024)
  #count = 0
  #readAhead = READ_AHEAD_MAX
  readonly #wanted: number
  /** As many documents as wanted have this score because of their rarest words. */
  #floor = 0

  /** `wanted`: how many documents. */
  constructor(wanted: number, slack: number) {
    this.#wanted = wanted
    this.#top = new TopScores(wanted)
    this.#slack = slack
  }

  /** The score that a document needs. */
  get #needed(): number {
    return Math.max(this.#floor, this.#top.least) * (1 - ROUNDING)
  }

  /**
   * Adds the documents of a segment that are in `universe` and not in `dead`. `words`: by descending
   * idf. Returns false if `isLate` returned true.
   */
  add(
    words: readonly Bounded[],
    universe: IdSet,
    dead: IdSet | null,
    isLate: () => boolean,
  ): boolean {
    const rarest = rarestOf(words)
    if (rarest.length < words.length) {
      const first = new Contenders(this.#wanted, this.#slack)
      if (!first.add(rarest, universe, dead, isLate)) return false
      this.#floor = Math.max(this.#floor, first.#top.least)
    }
    const from = words.reduce((least, { impacts }) => Math.min(least, impacts.from), Infinity)
    const to = words.reduce((most, { impacts }) => Math.max(most, impacts.to), 0)
    for (let window = from; window < to; window++) {
      if (isLate()) return false
      const count = this.#boundsIn(window, words)
      if (count > 0) this.#take(window, words, count, universe, dead)
    }
    return true
  }

  /** Notes that as many documents as wanted have a score of at least `score`. */
  raise(score: number): void {
    this.#floor = Math.max(this.#floor, score)
  }

  /** The number of documents that may be among the best; of others it is certain that they are not. */
  get size(): number {
    const needed = this.#needed
    let kept = 0
    for (let i = 0; i < this.#count; i++) {
      if (this.#bounds[i]! < needed) continue
      this.#ids[kept] = this.#ids[i]!
      this.#bounds[kept++] = this.#bounds[i]!
    }
    this.#count = kept
    return kept
  }

  /** The documents that may be among the best. */
  ids(): IdSet {
    return IdSet.ofSorted(this.#ids.slice(0, this.size).sort())
  }

  /** Returns `count` documents with the largest bounds, of at least as many. */
  first(count: number): IdSet {
    const top = new TopScores(count)
    for (let i = 0; i < this.#count; i++) top.add(this.#bounds[i]!)
    const { least } = top
    const ids = new Uint32Array(count)
    let n = 0
    for (let i = 0; i < this.#count; i++) if (this.#bounds[i]! > least) ids[n++] = this.#ids[i]!
    for (let i = 0; n < count; i++) if (this.#bounds[i] === least) ids[n++] = this.#ids[i]!
    return IdSet.ofSorted(ids.sort())
  }

  /** Finds the documents of a window whose bounds suffice; returns their number. */
  #boundsIn(window: number, words: readonly Bounded[]): number {
    const needed = this.#needed
    const { essential, left } = this.#essential(window, words)
    if (essential === 0) return 0
    let count = collect(window, words.slice(0, essential), needed - left[essential]!)
    some.unread.fill(0, 0, count)
    for (let i = essential; i < words.length && count > 0; i++) {
      const { idf, impacts, levelsOf } = words[i]!
      if (impacts.largest(window) === 0) continue
      const isWorth = this.#readAhead > 0 && count * READ_SHARE > impacts.sizeIn(window)
      if (isWorth && !impacts.isRead(window)) {
        this.#readAhead -= impacts.read(window, levelsOf)
      }
      count = impacts.addAmong(window, idf / LEVELS, some, count, needed - left[i + 1]!)
    }
    return count
  }

  /**
   * Returns how many of the words, from the first one on, are needed to find all contenders in a
   * window, and what the words from each one on add at most. Reads the levels of those needed.
   */
  #essential(window: number, words: readonly Bounded[]) {
    const left = new Float64Array(words.length + 1)
    for (;;) {
      for (let i = words.length - 1; i >= 0; i--) {
        const { idf, impacts } = words[i]!
        left[i] = left[i + 1]! + (idf * impacts.largest(window)) / LEVELS
      }
      let essential = 0
      while (essential < words.length && left[essential]! > 0) {
        if (left[essential]! < this.#needed) break
        essential++
      }
      const unread = words.findIndex(({ impacts }, i) => i < essential && !impacts.isRead(window))
      if (unread < 0) return { essential, left }
      words[unread]!.impacts.read(window, words[unread]!.levelsOf)
    }
  }

  #take(
    window: number,
    words: readonly Bounded[],
    count: number,
    universe: IdSet,
    dead: IdSet | null,
  ): void {
    let gap = 0
    for (const { idf, impacts } of words) {
      if (impacts.largest(window) > 0 && impacts.isRead(window)) gap += idf / LEVELS
    }
    if (this.#count + count > this.#ids.length) {
      this.#ids = lengthened(this.#ids, (this.#count + count) * 2)
      this.#bounds = lengthened(this.#bounds, (this.#count + count) * 2)
    }
    for (let i = 0; i < count; i++) {
      const id = window * WINDOW_IDS + some.offsets[i]!
      const bound = some.sums[i]!
      if (bound < this.#needed || !universe.has(id) || dead?.has(id) === true) continue
      this.#ids[this.#count] = id
      this.#bounds[this.#count++] = bound
      this.#top.add(Math.max(0, bound - some.unread[i]! - gap) / this.#slack)
    }
  }
}

/** Writes the ids of a window whose bounds for some words suffice to `some`; returns their number. */
function collect(window: number, words: readonly Bounded[], needed: number): number {
  let documents = 0
  for (const { idf, impacts } of words) documents += impacts.add(window, idf / LEVELS, sums)
  if (documents * COLLECT_SHARE > WINDOW_IDS) return sums.collect(needed, some)
  let count = 0
  for (const { impacts } of words) count = impacts.collect(window, sums, needed, some, count)
  if (words.length > 1) sums.order(some, count)
  return count
}

/** Returns words that are rare together, or the first one. */
function rarestOf(words: readonly Bounded[]): readonly Bounded[] {
  let documents = 0
  let count = 0
  for (const { impacts } of words) {
    documents += impacts.size
    if (documents > RAREST_DOCUMENTS_MAX) break
    count++
  }
  return words.slice(0, Math.max(1, count))
}
