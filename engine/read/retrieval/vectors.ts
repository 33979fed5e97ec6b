// The vector retriever: returns the documents nearest to the query vector.
import type { IdSet } from '../../../format/idset/index.ts'
import type { SearchRequest } from '../../model/index.ts'
import { type Distribution, embedderSpecs } from '../../settings/embedders/index.ts'
import type { SearchableView } from '../jobs/index.ts'
import {
  type Ranking,
  type Retriever,
  VectorRule,
  vectorRules,
  type Window,
} from '../rank/index.ts'
import {
  countedPage,
  distinctOf,
  type KeywordOptions,
  NO_WORDS,
  rankedPart,
  ranking,
  thresholdFor,
} from './keywords.ts'
import { sortRules } from './value-rules.ts'
import { tiesInOrder, withTies } from './vector-ties.ts'

/** Rescales a score so that an embedder's usual similarities spread over the whole range. */
function shifted(similarity: number, { mean, sigma }: Distribution): number {
  const { fround } = Math
  const factor = fround(0.4 / fround(sigma))
  const offset = fround(0.5 - fround(factor * fround(mean)))
  const score = fround(fround(factor * similarity) + offset)
  if (score <= 0) return SCORE_MIN
  return Math.min(1, score)
}

/** The spacing of 32-bit floats at 1; replaces scores of zero or less. */
const SCORE_MIN = 2 ** -23

/** Returns the function that computes the score shown for a similarity. */
export function scoreBy(view: SearchableView, embedder: string): (similarity: number) => number {
  const spec = embedderSpecs(view.settings.embedders).find(({ name }) => name === embedder)
  const distribution = spec?.distribution ?? null
  return (similarity) => (distribution === null ? similarity : shifted(similarity, distribution))
}

export class VectorRetriever implements Retriever {
  readonly #view: SearchableView
  readonly #request: SearchRequest
  readonly #vector: Float32Array
  readonly #options: KeywordOptions

  /** `vector` has the dimensions of the embedder. */
  constructor(
    view: SearchableView,
    request: SearchRequest,
    vector: Float32Array,
    options: KeywordOptions,
  ) {
    this.#view = view
    this.#request = request
    this.#vector = vector
    this.#options = options
  }

  /** @throws StorageError, Canceled */
  retrieve(universe: IdSet, window: Window): Ranking {
    const view = this.#view
    const { hybrid } = this.#request
    const threshold = thresholdFor(this.#request, window)
    const { control, distinctField, scales, ties = null } = this.#options
    const { offset, limit } = rankedPart(window, threshold, universe)
    const { embedder } = hybrid!
    const index = view.vectors(embedder)
    const rule = new VectorRule(
      (among, count) => {
        const find = (wanted: number) => index.nearest(this.#vector, among, wanted)
        return ties === null ? find(count) : tiesInOrder(withTies(find, count), ties)
      },
      offset + limit,
      scoreBy(view, embedder),
    )
    const values = sortRules(view, this.#request, this.#options)
    const rules = vectorRules(view.settings.rankingRules, rule, values)
    const needsAll = distinctField !== null || (scales?.factors ?? null) !== null
    if (rules.length === 1 && rules[0] === rule && threshold === null && !needsAll) {
      const nearest = rule.page(universe, window.offset)
      if (nearest !== null) return nearest
    }
    const distinctId = distinctField === null ? null : view.fieldId(distinctField)
    // Pages count each document, as recorded; `countTotal` counts each value once.
    const isExact = window.finite && this.#request.countTotal
    const isOfNetwork = ties !== null
    const ranked = ranking(this.#options, rules, universe, NO_WORDS, {
      offset,
      limit,
      withScores: true,
      threshold,
      distinct: distinctId === null ? null : distinctOf(view, distinctId, isExact, isOfNetwork),
      ties,
      isLate: control.isLate,
    })
    const countedId = isExact ? distinctId : null
    return countedPage(view, ranked, window, threshold, countedId, this.#options)
  }

  matching(universe: IdSet): IdSet | null {
    const isWhole = this.#options.distinctField === null
    return isWhole && this.#request.rankingScoreThreshold === null ? universe : null
  }
}
