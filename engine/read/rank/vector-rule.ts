// The rule of semantic search: documents in order of their distance to the query vector
// (docs/search-semantics.md#vectors). Documents without a vector come last.
import type { DocId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { rankingRuleOf } from '../../settings/values/index.ts'
import { QueryGraph } from '../query-graph/index.ts'
import type { Neighbour } from '../segments/index.ts'
import type { Ranking } from './bucket-sort.ts'
import type { Bucket, BucketSource, RankingRule } from './rule.ts'
import type { ValueRules } from './rule-list.ts'

/** Finds the nearest documents, best first. */
export type FindNearest = (among: IdSet, count: number) => readonly Neighbour[]

const NO_WORDS = new QueryGraph([], [], [])

export class VectorRule implements RankingRule {
  readonly name = 'vectorSort'
  readonly #nearest: FindNearest
  readonly #count: number
  readonly #shown: (similarity: number) => number

  /**
   * `count`: number of hits needed, and the number of documents searched for at a time. `shown`:
   * returns the score of a similarity. Documents are in order of similarity, even if their scores
   * are equal.
   */
  constructor(nearest: FindNearest, count: number, shown: (similarity: number) => number) {
    this.#nearest = nearest
    this.#count = count
    this.#shown = shown
  }

  /**
   * Returns the page if no other rule applies: the hits as found, without a set of documents for
   * each. Null if fewer documents than needed have vectors.
   */
  page(universe: IdSet, offset: number): Ranking | null {
    const found = this.#nearest(universe, Math.max(1, this.#count))
    if (found.length < this.#count) return null
    const hits = found.slice(offset, this.#count).map(({ id, similarity }) => ({
      id,
      scores: [{ kind: 'vectorSort' as const, similarity: this.#shown(similarity) }],
    }))
    return { hits, candidates: universe, degraded: false }
  }

  open(): BucketSource {
    let found: readonly Neighbour[] = []
    let at = 0
    let count = Math.max(1, this.#count)
    return {
      next: (left) => {
        while (at < found.length && !left.has(found[at]!.id)) at++
        if (at >= found.length) {
          found = this.#nearest(left, count)
          // Few searches come here often, and those read most documents.
          count *= 2
          at = 0
        }
        if (found.length === 0) return bucketOf(left, null)
        const { similarity } = found[at]!
        const ids: DocId[] = []
        for (; at < found.length && found[at]!.similarity === similarity; at++) {
          ids.push(found[at]!.id)
        }
        return bucketOf(setOf(ids, left), this.#shown(similarity))
      },
    }
  }
}

const setOf = (ids: readonly DocId[], left: IdSet): IdSet => IdSet.of(ids).and(left)

const bucketOf = (ids: IdSet, similarity: number | null): Bucket => ({
  ids,
  graph: NO_WORDS,
  score: { kind: 'vectorSort', similarity },
})

/** The rules of a semantic search: the first relevancy rule is replaced by the vector rule. */
export function vectorRules(
  names: readonly string[],
  rule: RankingRule,
  values: ValueRules,
): RankingRule[] {
  const rules: RankingRule[] = []
  let hasVector = false
  let isSorted = false
  for (const name of names) {
    const parsed = rankingRuleOf(name)
    if (parsed === null) continue
    if (parsed.kind === 'field') {
      const custom = values.custom(parsed.field, parsed.order === 'asc')
      if (custom !== null) rules.push(custom)
    } else if (parsed.name === 'sort') {
      if (!isSorted) rules.push(...values.requested())
      isSorted = true
    } else if (!hasVector) {
      hasVector = true
      rules.push(rule)
    }
  }
  return rules
}
