// Scores documents by the words of a query (docs/concepts-ranking.md#bm25).
//
//   score(document) = Σ over words: idf · f / (k1 + f)
//   f   = Σ over fields: weight · occurrences / (1 − b + b · length / average length)
//   idf = ln(1 + (N − n + 0.5) / (n + 0.5))
//
// Of many documents, only those are scored that may be among the wanted ones (`contenders.ts`). A
// word adds less than its idf, and words are read from the rarest one on. Once the words left
// together cannot lift a document without the words so far into the wanted ones, no documents are
// added; then those that cannot reach them are dropped after each word.
import type { DocId } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import type { QueryGraph, TermSpace } from '../query-graph/index.ts'
import type { TextIndex } from '../segment-text/index.ts'
import { SLACK, type Weighted, WordBounds } from './bounds.ts'
import { Candidates, type Scored } from './candidates.ts'
import { type Bounded, Contenders } from './contenders.ts'
import { Frequencies, type Parameters, saturated } from './frequencies.ts'
import { BOUNDED_DOCUMENTS_MIN, FIRST_GROWTH, FIRST_MIN, TOP_MAX } from './limits.ts'
import { type QueryWord, queryWordsOf, TYPOS } from './query-words.ts'
import type { Statistics } from './statistics.ts'

/** The part of one word in the score of a document. */
export type WordShare = {
  readonly word: string
  readonly idf: number
  /** Occurrences, each times the weight of its field and the factor of its kind. */
  readonly frequency: number
  /** The factor of the frequency for the lengths of the fields. */
  readonly lengthNorm: number
  readonly contribution: number
}

export class Relevance {
  readonly #words: readonly Weighted[]
  readonly #k1: number
  readonly #frequencies: Frequencies

  readonly #index: TextIndex
  readonly #bounds: WordBounds
  readonly #boundedMin: number

  /**
   * `graph`: of the whole query, so that the score is the same behind any other rule. `boundedMin`:
   * for tests, replaces `BOUNDED_DOCUMENTS_MIN`.
   */
  constructor(
    space: TermSpace,
    graph: QueryGraph,
    parameters: Parameters,
    statistics: Statistics,
    boundedMin = BOUNDED_DOCUMENTS_MIN,
  ) {
    this.#k1 = parameters.k1
    this.#index = space.index
    this.#frequencies = new Frequencies(space, parameters, statistics)
    this.#bounds = new WordBounds(space, parameters, statistics)
    this.#boundedMin = boundedMin
    this.#words = queryWordsOf(graph)
      .map((word, at) => ({ ...word, idf: idfOf(word, at, statistics) }))
      .filter(({ docs }) => !docs.isEmpty)
      .sort((a, b) => b.idf - a.idf)
  }

  /**
   * Returns the best documents of `universe`: at least `count` with those that equal the last one,
   * or all of them. When `isLate` returns true, the scores are those of the rarest words.
   */
  best(universe: IdSet, count: number, isLate: () => boolean): Scored {
    return this.#scored(
      this.#contenders(universe, count, isLate) ?? universe,
      universe,
      count,
      isLate,
    )
  }

  /** Scores `contenders`, of which the best are those of `universe`. */
  #scored(contenders: IdSet, universe: IdSet, count: number, isLate: () => boolean): Scored {
    const candidates = new Candidates(count)
    let left = this.#words.reduce((sum, { idf }) => sum + idf, 0)
    let isCut = false
    for (const [at, word] of this.#words.entries()) {
      const { docs, idf } = word
      isCut = at > 0 && isLate()
      if (isCut) break
      const among = candidates.isClosed(left) ? candidates.set() : contenders
      const ids = docs.and(among).toArray()
      left -= idf
      candidates.add(ids, this.#contributions(word, ids))
      candidates.drop(left)
    }
    return candidates.best(universe, isCut)
  }

  /**
   * Returns the documents that may be among the best; null if comparing bounds does not pay or time
   * is up.
   */
  #contenders(universe: IdSet, count: number, isLate: () => boolean): IdSet | null {
    const min = this.#boundedMin
    if (count === 0 || count > TOP_MAX || count >= universe.size) return null
    const found = this.#words.reduce((sum, { docs }) => sum + docs.size, 0)
    if (universe.size < min || found < min) return null
    const contenders = new Contenders(count, SLACK)
    for (const [s, { dead }] of this.#index.segments.entries()) {
      if (!this.#index.isLarge(s)) continue
      const words: Bounded[] = []
      for (const word of this.#words) {
        const bounded = this.#bounds.of(word, s)
        if (bounded !== null) words.push(bounded)
      }
      if (words.length > 0 && !contenders.add(words, universe, dead, isLate)) return null
    }
    this.#narrow(contenders, count, isLate)
    return contenders.ids().or(this.#index.liveInSmall.and(universe))
  }

  /** Leaves out contenders whose bounds do not reach the scores of those with the largest ones. */
  #narrow(contenders: Contenders, count: number, isLate: () => boolean): void {
    for (let n = Math.max(FIRST_MIN, 2 * count); contenders.size > 2 * n; n *= FIRST_GROWTH) {
      const first = contenders.first(n)
      const { isCut, scores } = this.#scored(first, first, count, isLate)
      if (isCut) return
      contenders.raise(scores[count - 1]!)
    }
  }

  /** Returns what each word adds to the score of a document, the rarest word first. */
  sharesOf(id: DocId): WordShare[] {
    const ids = Uint32Array.of(id)
    return this.#words.flatMap((word): readonly WordShare[] => {
      if (!word.docs.has(id)) return []
      const normed = new Float64Array(1)
      const plain = new Float64Array(1)
      this.#frequencies.add(word, ids, normed)
      this.#frequencies.add(word, ids, plain, true)
      const frequency = plain[0]!
      const contribution = saturated(normed[0]!, this.#k1) * word.idf
      const lengthNorm = frequency === 0 ? 1 : normed[0]! / frequency
      return [{ word: word.text, idf: word.idf, frequency, lengthNorm, contribution }]
    })
  }

  #contributions(word: Weighted, ids: Uint32Array): Float64Array {
    const found = new Float64Array(ids.length)
    if (ids.length > 0) this.#frequencies.add(word, ids, found)
    const k1 = this.#k1
    for (let i = 0; i < found.length; i++) found[i] = saturated(found[i]!, k1) * word.idf
    return found
  }
}

/** Returns how rare a word is among all documents. `at`: its number in the query. */
function idfOf(
  { docsWithin }: QueryWord,
  at: number,
  { documents, frequencies }: Statistics,
): number {
  const counted = frequencies?.[at]
  let found = 0
  for (const typos of TYPOS) {
    found = counted === undefined ? docsWithin(typos).size : (counted[typos] ?? 0)
    if (found > 0) break
  }
  // Documents may have been added since they were counted.
  const n = Math.min(found, documents)
  return Math.log(1 + (documents - n + 0.5) / (n + 0.5))
}
