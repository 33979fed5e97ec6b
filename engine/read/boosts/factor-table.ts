// The factors of documents by id, computed for those that a search asks for, and sets of the documents
// with the largest ones, so that the best of many documents are found without reading the factors of all.
import { withRoom } from '../../../format/bytes/index.ts'
import { IdSet, popcount } from '../../../format/idset/index.ts'
import { TopScores } from '../bm25/index.ts'

/** Ids of a page, which is made when one of them is asked for. */
const PAGE_SHIFT = 12
const PAGE_IDS = 1 << PAGE_SHIFT
/** Selecting by a heap is quicker if this many times as many documents are left out. */
const HEAP_SHARE = 8

/** Each level has about half as many documents as the one below it. */
const LEVELS_MAX = 12
/** Fewer documents have no levels: reading all factors is as quick. */
const LEVEL_DOCUMENTS_MIN = 512
/** Levels are chosen again when this many times as many documents are known. */
const LEVELS_GROWTH = 4
/** Factors from which levels are chosen. */
const SAMPLE_MAX = 4096

/** Returns the bytes of the pages and levels for ids below `idEnd`. */
export const tableBytes = (idEnd: number): number =>
  Math.ceil(idEnd / PAGE_IDS) * PAGE_IDS * (Float64Array.BYTES_PER_ELEMENT + LEVELS_MAX / 8)

/** The known documents whose factor is at least `least`, a bit for each id. */
type Level = { readonly least: number; words: Uint32Array; size: number }

/** Shared by the thread: the ids that a search for large factors keeps. */
let kept = new Uint32Array(0)

export class FactorTable {
  readonly #pages: (Float64Array | undefined)[] = []
  /** By ascending `least`; each is part of the one before it. */
  #levels: readonly Level[] = []
  /** The number of documents among which levels are chosen again. */
  #chooseAt = LEVEL_DOCUMENTS_MIN
  #known = IdSet.empty

  /** Adds those of `documents` that are not known; `factorsOf` returns theirs, ids ascending. */
  add(documents: IdSet, factorsOf: (unknown: IdSet) => Float64Array): void {
    const unknown = documents.andNot(this.#known)
    if (unknown.isEmpty) return
    const ids = unknown.toArray()
    const factors = factorsOf(unknown)
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i]!
      const page = (this.#pages[id >>> PAGE_SHIFT] ??= new Float64Array(PAGE_IDS))
      page[id & (PAGE_IDS - 1)] = factors[i]!
    }
    this.#known = this.#known.or(unknown)
    if (this.#known.size >= this.#chooseAt) this.#chooseLevels()
    else this.#addToLevels(ids)
  }

  #chooseLevels(): void {
    const ids = this.#known.toArray()
    this.#chooseAt = ids.length * LEVELS_GROWTH
    const step = Math.ceil(ids.length / SAMPLE_MAX)
    const sample = new Float64Array(Math.floor(ids.length / step))
    for (let i = 0; i < sample.length; i++) sample[i] = this.at(ids[i * step]!)
    sample.sort()
    const chosen = new Set<number>()
    for (let level = 1; level <= LEVELS_MAX; level++) {
      chosen.add(sample[sample.length - 1 - (sample.length >>> level)]!)
    }
    this.#levels = Array.from(chosen, (least) => ({ least, words: new Uint32Array(0), size: 0 }))
    this.#addToLevels(ids)
  }

  /** `ids`: ascending, none of which the levels have. */
  #addToLevels(ids: Uint32Array): void {
    const length = (ids[ids.length - 1]! >>> 5) + 1
    for (const level of this.#levels) {
      level.words = withRoom(level.words, length)
    }
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i]!
      const factor = this.at(id)
      for (const level of this.#levels) {
        if (factor < level.least) break
        level.words[id >>> 5]! |= 1 << (id & 31)
        level.size++
      }
    }
  }

  /** The factor of a known document. */
  at(id: number): number {
    return this.#pages[id >>> PAGE_SHIFT]![id & (PAGE_IDS - 1)]!
  }

  /** Returns the largest factor of known documents, or 0 for none. */
  largest(documents: IdSet): number {
    return documents.isEmpty ? 0 : this.nthLargest(documents, 1)
  }

  /** Returns the known documents among `documents` whose factor is at least `least`. */
  atLeast(documents: IdSet, least: number): IdSet {
    const level = this.#levels.findLast((one) => one.least <= least) ?? null
    const count = keepAmong(documents, level)
    let n = 0
    for (let i = 0; i < count; i++) if (this.at(kept[i]!) >= least) kept[n++] = kept[i]!
    return n === documents.size ? documents : IdSet.ofSorted(kept.slice(0, n))
  }

  /** Returns the `n`th largest factor of at least `n` known documents, `n` from 1 on. */
  nthLargest(documents: IdSet, n: number): number {
    const count = keepAmong(documents, this.#levelOf(documents, n))
    if (n * HEAP_SHARE > count) return nthLargest(this.#kept(count), n)
    const top = new TopScores(n)
    for (let i = 0; i < count; i++) top.add(this.at(kept[i]!))
    return top.least
  }

  /** Returns a level, mostly the smallest one, that has `n` of some documents; null for all. */
  #levelOf(documents: IdSet, n: number): Level | null {
    if (documents.ids !== null) return null
    // As many as there are if factors do not depend on whether a document is among them.
    const enough = (n * this.#known.size) / documents.size
    for (let i = this.#levels.length - 1; i >= 0; i--) {
      const level = this.#levels[i]!
      if (level.size >= enough && sizeAmong(documents.words!, level.words) >= n) return level
    }
    return null
  }

  #kept(count: number): Float64Array {
    const factors = new Float64Array(count)
    for (let i = 0; i < count; i++) factors[i] = this.at(kept[i]!)
    return factors
  }
}

/** Writes the documents of a level to `kept`, or more if `documents` are few; returns their number. */
function keepAmong({ ids, words, size }: IdSet, level: Level | null): number {
  if (kept.length < size) kept = new Uint32Array(size)
  if (ids !== null) {
    kept.set(ids)
    return size
  }
  const among = level?.words ?? words!
  const end = Math.min(words!.length, among.length)
  let count = 0
  for (let w = 0; w < end; w++) {
    for (let bits = words![w]! & among[w]!; bits !== 0; bits &= bits - 1) {
      kept[count++] = w * 32 + 31 - Math.clz32(bits & -bits)
    }
  }
  return count
}

function sizeAmong(words: Uint32Array, level: Uint32Array): number {
  const end = Math.min(words.length, level.length)
  let size = 0
  for (let w = 0; w < end; w++) size += popcount(words[w]! & level[w]!)
  return size
}

/** Returns the `n`th largest of at least `n` values, `n` from 1 on. Linear on average. */
function nthLargest(left: Float64Array, n: number): number {
  let low = 0
  let high = left.length - 1
  const target = n - 1
  while (low < high) {
    const pivot = left[(low + high) >>> 1]!
    let i = low
    let j = high
    while (i <= j) {
      while (left[i]! > pivot) i++
      while (left[j]! < pivot) j--
      if (i > j) break
      const moved = left[i]!
      left[i++] = left[j]!
      left[j--] = moved
    }
    if (target <= j) high = j
    else if (target >= i) low = i
    else break
  }
  return left[target]!
}
