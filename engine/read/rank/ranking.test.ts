// All rules in any order, compared with a model that scores each document separately.
//
// No word here is a typo, part or join of another one, so that a document has at most one reading
// once words are dropped; `rules.test.ts` tests several readings.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { type DroppingStrategy, removalGroups } from '../query-graph/index.ts'
import { SmallText } from '../query-graph/test-support.ts'
import { bucketSort } from './bucket-sort.ts'
import { keywordRules, type ValueRules } from './rule-list.ts'
import type { ScoreDetail } from './scores.ts'
import { SortRule } from './sort-rule.ts'
import { idsOf, isBehind, type ModelNode, type ModelTerm, queryText } from './test-query.ts'
import { type ModelDocument, POSITION_FAR, PROXIMITY_FAR, RankModel } from './test-support.ts'

type Values = readonly (number | null)[]
type Case = {
  readonly documents: readonly ModelDocument[]
  readonly terms: readonly ModelTerm[]
  readonly isPrefix: boolean
  readonly strategy: DroppingStrategy
  readonly names: readonly string[]
  /** By document: the value of the request's sort, and the value of `x:asc`. */
  readonly values: readonly { readonly sorted: number | null; readonly x: number | null }[]
}

const WEIGHTS = ['title', 'body']

/** The reading of a document: its terms. */
type Reading = readonly ModelNode[]
type Hit = { readonly id: number; readonly scores: readonly ScoreDetail[] }
/** Documents that are equal so far, and the readings they match. */
type Group = {
  readonly docs: readonly number[]
  readonly scores: readonly ScoreDetail[]
  readonly readings: readonly Reading[]
}

class Ranked {
  readonly #case: Case
  readonly #model: RankModel
  readonly #readings = new Map<number, Reading>()
  /** Terms that are restricted to their exact words. */
  readonly #exact = new Set<ModelNode>()

  constructor(one: Case) {
    const { documents, terms, isPrefix } = one
    this.#case = one
    this.#model = new RankModel(documents, terms, isPrefix, { weights: WEIGHTS, typos: false })
  }

  hits(): Hit[] {
    const nodes = this.#model.nodes.filter((node) => idsOf(node) === 1)
    const { readings } = this.#model
    let groups: Group[] = [{ docs: this.#universe(nodes), scores: [], readings }]
    for (const id of groups[0]!.docs) this.#readings.set(id, nodes)
    for (const rule of this.#rules()) {
      groups = groups.flatMap((group) => this.#split(rule, group, nodes))
    }
    return groups.flatMap(({ docs, scores }) => docs.map((id) => ({ id, scores })))
  }

  /** The rules by name, as docs/search-semantics.md#ranking lists them. */
  #rules(): string[] {
    const { names, strategy } = this.#case
    const rules: string[] = []
    for (const name of names) {
      if (name === 'sort' || name === 'x:asc') rules.push(name)
      else {
        if (strategy !== 'all') rules.push('words')
        if (name === 'attribute') rules.push('attributeRank', 'wordPosition')
        else if (name === 'exactness') rules.push('exactAttribute', 'exactWords')
        else if (name !== 'words') rules.push(name)
      }
    }
    return [...new Set(rules)]
  }

  #has(id: number, node: ModelNode): boolean {
    return this.#model.matches(id, node, [0])
  }

  /** Terms in the order in which they are dropped, equal ones together. */
  #groups(nodes: readonly ModelNode[]): ModelNode[][] {
    const { strategy, documents } = this.#case
    if (strategy === 'all') return []
    const removable = nodes.filter(({ phrase }) => phrase === null)
    const groups = new Map<number, ModelNode[]>()
    for (const node of removable) {
      const found = documents.filter((_, id) => this.#has(id, node)).length
      const frequency = found === 0 ? Number.POSITIVE_INFINITY : found
      const key = strategy === 'last' ? node.idFirst : frequency
      groups.set(key, [...(groups.get(key) ?? []), node])
    }
    const order = [...groups.keys()].sort((a, b) => b - a).map((key) => groups.get(key)!)
    return removable.length < nodes.length ? order : order.slice(0, -1)
  }

  #universe(nodes: readonly ModelNode[]): number[] {
    const removable = this.#groups(nodes).flat()
    const needed = nodes.filter((node) => !removable.includes(node))
    return [...this.#case.documents.keys()].filter((id) =>
      needed.every((node) => this.#has(id, node)),
    )
  }

  #split(rule: string, group: Group, nodes: readonly ModelNode[]): Group[] {
    const { docs, scores, readings } = group
    if (rule === 'words') return this.#words(docs, scores, nodes)
    if (rule === 'sort' || rule === 'x:asc') return this.#sorted(rule, group)
    const present = readings.flat()
    const rows = nodes.filter(({ idFirst }) => present.some((node) => node.idFirst === idFirst))
    if (rule === 'exactAttribute') {
      const verdicts = (['exactMatch', 'matchesStart', 'noExactMatch'] as const).map((match) => ({
        docs: docs.filter((id) => this.#model.exactAttribute(id, rows) === match),
        scores: [...scores, { kind: 'exactAttribute', match } as const],
        readings,
      }))
      return verdicts.filter((verdict) => verdict.docs.length > 0)
    }
    const most = Math.max(...readings.map((reading) => this.#most(rule, reading)))
    const costs = docs.map((id) =>
      rule === 'wordPosition' && this.#model.isExactElement(id, rows)
        ? 0
        : this.#cost(rule, id, this.#readings.get(id)!),
    )
    const order = [...new Set(costs)].sort((a, b) => a - b)
    if (rule === 'exactWords') for (const id of docs) this.#cut(id)
    return order.map((cost) =>
      this.#narrowed(
        docs.filter((_, i) => costs[i] === cost),
        [...scores, scoreOf(rule, cost, most)],
      ),
    )
  }

  /** A document goes to the bucket with the fewest dropped words. */
  #words(
    docs: readonly number[],
    scores: readonly ScoreDetail[],
    nodes: readonly ModelNode[],
  ): Group[] {
    const groups = this.#groups(nodes)
    const phraseWords = nodes.reduce((n, { phrase }) => n + (phrase?.length ?? 0), 0)
    const max = 1 + groups.flat().length + Math.max(0, phraseWords - 1)
    const given = docs.map((id) => {
      const gone = new Set(nodes.filter((node) => !this.#has(id, node)))
      const groupOf = (node: ModelNode): number => groups.findIndex((group) => group.includes(node))
      // Words after a dropped one are dropped as well, if they belong to an earlier group.
      for (const node of gone) {
        for (const other of nodes) {
          if (groupOf(other) < 0 || groupOf(other) >= groupOf(node)) continue
          if (other.idFirst > node.idFirst) gone.add(other)
        }
      }
      this.#readings.set(
        id,
        nodes.filter((node) => !gone.has(node)),
      )
      return gone.size
    })
    return [...new Set(given)]
      .sort((a, b) => a - b)
      .map((count) =>
        this.#narrowed(
          docs.filter((_, i) => given[i] === count),
          [...scores, { kind: 'words', rank: max - count, max }],
        ),
      )
  }

  /** From here on the query has only the readings of these documents. */
  #narrowed(docs: readonly number[], scores: readonly ScoreDetail[]): Group {
    return { docs, scores, readings: docs.map((id) => this.#readings.get(id)!) }
  }

  #sorted(rule: string, { docs, scores, readings }: Group): Group[] {
    const field = rule === 'sort' ? 'sorted' : 'x'
    const values = docs.map((id) => this.#case.values[id]![field])
    const order = [...new Set(values)].sort((a, b) => (a ?? 99) - (b ?? 99))
    return order.map((value) => ({
      docs: docs.filter((_, i) => values[i] === value),
      scores: [...scores, { kind: 'sort' as const, field, ascending: true, value }],
      readings,
    }))
  }

  /** If the exact word occurs, no other match counts any more. */
  #cut(id: number): void {
    const nodes = this.#readings.get(id)!.map((node) => {
      if (!this.#model.isExact(id, node)) return node
      const exact = { ...node, isPrefix: false }
      this.#exact.add(exact)
      return exact
    })
    this.#readings.set(id, nodes)
  }

  #cost(rule: string, id: number, nodes: Reading): number {
    const model = this.#model
    return nodes.reduce((sum, node, i) => {
      switch (rule) {
        case 'proximity':
          return sum + (isBehind(node, nodes[i - 1]) ? model.proximity(id, nodes[i - 1]!, node) : 0)
        case 'attributeRank':
          return sum + model.weight(id, node)
        case 'wordPosition':
          return sum + model.position(id, node)
        case 'exactWords':
          return sum + (model.isExact(id, node) ? 0 : 1)
        default:
          return sum
      }
    }, 0)
  }

  #most(rule: string, nodes: Reading): number {
    return nodes.reduce((sum, node, i) => {
      const ids = idsOf(node)
      switch (rule) {
        case 'typo': {
          if (this.#exact.has(node) || node.phrase !== null) return sum
          return sum + (ids === 1 ? 0 : ids) + 1
        }
        case 'proximity':
          return sum + ids - 1 + (isBehind(node, nodes[i - 1]) ? PROXIMITY_FAR : 0)
        case 'attributeRank':
          return sum + ids * this.#model.weightMax
        case 'wordPosition':
          return sum + ids * POSITION_FAR
        default:
          return sum + ids
      }
    }, 0)
  }
}

function scoreOf(rule: string, cost: number, most: number): ScoreDetail {
  switch (rule) {
    case 'typo':
      return { kind: 'typo', typos: cost, typosMax: most }
    case 'exactWords':
      return { kind: 'exactWords', matching: most - cost, max: most }
    case 'proximity':
    case 'attributeRank':
    case 'wordPosition':
      return { kind: rule, rank: most + 1 - cost, max: most + 1 }
    default:
      throw new Error(`no rule ${rule}`)
  }
}

/** Documents in the order of their values, those without one last. */
const sortRule = (field: string, values: Values): SortRule =>
  new SortRule(() => {
    const order = [...new Set(values)].sort((a, b) => (a ?? 99) - (b ?? 99))
    let at = 0
    return {
      next: (left) => {
        while (at < order.length) {
          const value = order[at++]!
          const ids = IdSet.of([...left.toArray()].filter((id) => values[id] === value))
          const score = { kind: 'sort', field, ascending: true, value } as const
          if (!ids.isEmpty) return { ids, score }
        }
        return null
      },
    }
  })

const valueRules = ({ values }: Case): ValueRules => ({
  requested: () => [
    sortRule(
      'sorted',
      values.map(({ sorted }) => sorted),
    ),
  ],
  custom: (field) =>
    field === 'x'
      ? sortRule(
          field,
          values.map(({ x }) => x),
        )
      : null,
})

/** The requested page, and whether rules may be delayed. */
type Page = {
  readonly offset: number
  readonly limit: number
  readonly delayedMin: number
  readonly delayCost: number
  readonly batchMax: number
}
const WHOLE: Page = { offset: 0, limit: 100, delayedMin: 100, delayCost: 1, batchMax: 100 }

const unused = (): never => {
  throw new Error('no rule of these lists scores documents')
}

function rank(one: Case, page = WHOLE): Hit[] {
  const settings = { searchableAttributes: WEIGHTS, typoTolerance: { enabled: false } }
  const small = new SmallText(one.documents, settings, 2)
  const { search } = small
  const space = small.space()
  const graph = small.graph(queryText(one.terms, one.isPrefix), space)!
  const context = {
    space,
    weightOf: (field: number) => search.weightOf(field),
    weightMax: search.weightMax,
    searchableFields: () => search.searchableFields(),
    relevance: unused,
    delayedMin: page.delayedMin,
    delayCost: page.delayCost,
  }
  const rules = keywordRules(one.names, one.strategy, context, valueRules(one))
  const removable = new Set(removalGroups(graph, one.strategy).flatMap((group) => [...group]))
  const universe = graph.without(removable).docs(small.ids)
  const { hits } = bucketSort(rules, universe, graph, {
    offset: page.offset,
    limit: page.limit,
    withScores: true,
    threshold: null,
    distinct: null,
    isLate: () => false,
    batchMax: page.batchMax,
  })
  return [...hits]
}

const WORDS = ['ka', 'mo', 'ti', 'zu', 'kano', 'tide']
const anyWord = fc.constantFrom(...WORDS)
const anyText = fc
  .array(fc.tuple(anyWord, fc.constantFrom('', '', '', '.')), { maxLength: 7 })
  .map((words) => words.map(([word, end]) => word + end).join(' '))
const anyField = fc.oneof({ weight: 2, arbitrary: anyText }, fc.array(anyText, { maxLength: 3 }))
const anyDocument = fc.oneof(
  fc.record({ title: anyField, body: anyField }),
  fc.record({ body: anyField }),
)
const anyTerm: fc.Arbitrary<ModelTerm> = fc.oneof(
  { weight: 5, arbitrary: anyWord.map((word) => ({ words: [word], isPhrase: false })) },
  {
    weight: 1,
    arbitrary: fc
      .array(anyWord, { minLength: 1, maxLength: 2 })
      .map((words) => ({ words, isPhrase: true })),
  },
)
const NAMES = ['words', 'typo', 'proximity', 'attribute', 'sort', 'exactness', 'x:asc']
const SPLIT = NAMES.flatMap((name) =>
  name === 'attribute' ? ['attributeRank', 'wordPosition'] : [name],
)
const anyNames = fc.oneof(
  fc.shuffledSubarray(NAMES, { minLength: 1 }),
  fc.shuffledSubarray(SPLIT, { minLength: 1 }),
)
const anyValue = fc.option(fc.nat(2))
const anyCase: fc.Arbitrary<Case> = fc
  .array(fc.tuple(anyDocument, fc.record({ sorted: anyValue, x: anyValue })), {
    minLength: 1,
    maxLength: 16,
  })
  .chain((pairs) =>
    fc.record({
      documents: fc.constant(pairs.map(([document]) => document)),
      values: fc.constant(pairs.map(([, values]) => values)),
      terms: fc.array(anyTerm, { minLength: 1, maxLength: 4 }),
      isPrefix: fc.boolean(),
      strategy: fc.constantFrom('last', 'all', 'frequency'),
      names: anyNames,
    }),
  )

describe('rules in a row', () => {
  it('score each document as the model does', { timeout: 240_000 }, () => {
    fc.assert(
      fc.property(anyCase, (one) => {
        expect(rank(one)).toEqual(new Ranked(one).hits())
      }),
      { numRuns: 400 },
    )
  })

  it('score the same if some are delayed', { timeout: 240_000 }, () => {
    const anyPage = fc.record({
      offset: fc.constantFrom(0, 0, 1, 3),
      limit: fc.constantFrom(1, 3, 20),
      delayedMin: fc.constant(0),
      // Always delayed, never, and as the sample says.
      delayCost: fc.constantFrom(0, 1000, 0.2),
      batchMax: fc.constantFrom(1, 2, 100),
    })
    fc.assert(
      fc.property(anyCase, anyPage, (one, page) => {
        const all = rank(one)
        expect(rank(one, page)).toEqual(all.slice(page.offset, page.offset + page.limit))
      }),
      { numRuns: 400 },
    )
  })
})
