// The factors of documents by id, computed for those that a search asks for, and the largest factor of
// each block of ids, so that the best of many documents are found without reading the factors of all.
import { IdSet } from '../../../format/idset/index.ts'
import { TopScores } from '../bm25/index.ts'

/** Ids of a page, which is made when one of them is asked for. */
const PAGE_SHIFT = 12
const PAGE_IDS = 1 << PAGE_SHIFT
/** Ids of a block: four words of a dense set. */
const BLOCK_SHIFT = 7
const BLOCK_IDS = 1 << BLOCK_SHIFT
const BLOCK_WORDS = BLOCK_IDS / 32
/** Selecting by a heap is quicker if this many times as many documents are left out. */
const HEAP_SHARE = 8

/** Returns the bytes of the pages for ids below `idEnd`. */
export const tableBytes = (idEnd: number): number =>
  Math.ceil(idEnd / PAGE_IDS) * PAGE_IDS * Float64Array.BYTES_PER_ELEMENT

export class FactorTable {
  readonly #pages: (Float64Array | undefined)[] = []
  /** By block: no known factor is larger. */
  #most = new Float64Array(0)
  /** Blocks, those with the largest factors first; null after factors were added. */
  #order: Uint32Array | null = null
  #known = IdSet.empty

  /** Adds those of `documents` that are not known; `factorsOf` returns theirs, ids ascending. */
  add(documents: IdSet, factorsOf: (unknown: IdSet) => Float64Array): void {
    const unknown = documents.andNot(this.#known)
    if (unknown.isEmpty) return
    const ids = unknown.toArray()
    const factors = factorsOf(unknown)
    this.#grow(ids[ids.length - 1]!)
    for (let i = 0; i < ids.length; i++) {
      const id = ids[i]!
      const factor = factors[i]!
      const page = (this.#pages[id >>> PAGE_SHIFT] ??= new Float64Array(PAGE_IDS))
      page[id & (PAGE_IDS - 1)] = factor
      if (factor > this.#most[id >>> BLOCK_SHIFT]!) this.#most[id >>> BLOCK_SHIFT] = factor
    }
    this.#known = this.#known.or(unknown)
    this.#order = null
  }

  #grow(id: number): void {
    const blocks = (id >>> BLOCK_SHIFT) + 1
    if (blocks <= this.#most.length) return
    const most = new Float64Array(Math.max(blocks, this.#most.length * 2))
    most.set(this.#most)
    this.#most = most
  }

  /** The factor of a known document. */
  at(id: number): number {
    return this.#pages[id >>> PAGE_SHIFT]![id & (PAGE_IDS - 1)]!
  }

  /** Returns a factor that none of these known documents exceeds. */
  bound({ ids, words }: IdSet): number {
    let most = 0
    if (ids !== null) for (let i = 0; i < ids.length; i++) most = Math.max(most, this.at(ids[i]!))
    else {
      const end = Math.min(this.#most.length, Math.ceil(words!.length / BLOCK_WORDS))
      for (let block = 0; block < end; block++) most = Math.max(most, this.#most[block]!)
    }
    return most
  }

  /** Returns the known documents among `documents` whose factor is at least `least`. */
  atLeast(documents: IdSet, least: number): IdSet {
    const kept = new Uint32Array(documents.size)
    let count = 0
    const { ids } = documents
    if (ids !== null) {
      for (let i = 0; i < ids.length; i++) if (this.at(ids[i]!) >= least) kept[count++] = ids[i]!
    } else {
      for (let block = 0; block < this.#most.length; block++) {
        if (this.#most[block]! < least) continue
        count = this.#addAtLeast(documents.words!, block, least, kept, count)
      }
    }
    return count === kept.length ? documents : IdSet.ofSorted(kept.slice(0, count))
  }

  #addAtLeast(
    words: Uint32Array,
    block: number,
    least: number,
    kept: Uint32Array,
    count: number,
  ): number {
    const end = Math.min(words.length, (block + 1) * BLOCK_WORDS)
    for (let w = block * BLOCK_WORDS; w < end; w++) {
      for (let bits = words[w]!; bits !== 0; bits &= bits - 1) {
        const id = w * 32 + 31 - Math.clz32(bits & -bits)
        if (this.at(id) >= least) kept[count++] = id
      }
    }
    return count
  }

  /** Returns the `n`th largest factor of at least `n` known documents, `n` from 1 on. */
  nthLargest(documents: IdSet, n: number): number {
    const { ids, words, size } = documents
    if (n * HEAP_SHARE > size) return nthLargest(this.#of(documents), n)
    const top = new TopScores(n)
    if (ids !== null) {
      for (let i = 0; i < ids.length; i++) top.add(this.at(ids[i]!))
      return top.least
    }
    for (const block of this.#blocks()) {
      if (this.#most[block]! <= top.least) break
      const end = Math.min(words!.length, (block + 1) * BLOCK_WORDS)
      for (let w = block * BLOCK_WORDS; w < end; w++) {
        for (let bits = words![w]!; bits !== 0; bits &= bits - 1) {
          top.add(this.at(w * 32 + 31 - Math.clz32(bits & -bits)))
        }
      }
    }
    return top.least
  }

  #of(documents: IdSet): Float64Array {
    const ids = documents.toArray()
    const factors = new Float64Array(ids.length)
    for (let i = 0; i < ids.length; i++) factors[i] = this.at(ids[i]!)
    return factors
  }

  #blocks(): Uint32Array {
    this.#order ??= Uint32Array.from(this.#most.keys()).sort(
      (a, b) => this.#most[b]! - this.#most[a]!,
    )
    return this.#order
  }
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
