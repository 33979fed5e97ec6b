// Each rule that ranks by paths, alone, compared with the cheapest reading of each document.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { SmallText } from '../query-graph/test-support.ts'
import { AttributeRankRule } from './attribute-rank-rule.ts'
import { bucketSort } from './bucket-sort.ts'
import { ExactAttributeRule, ExactWordsRule } from './exactness-rule.ts'
import { ProximityRule } from './proximity-rule.ts'
import type { RankingRule, RuleContext } from './rule.ts'
import type { ScoreDetail } from './scores.ts'
import { idsOf, isBehind, type ModelNode, type ModelTerm, queryText } from './test-query.ts'
import { type ModelDocument, POSITION_FAR, PROXIMITY_FAR, RankModel } from './test-support.ts'
import { TypoRule } from './typo-rule.ts'
import { distanceCost, WordPositionRule } from './word-position-rule.ts'

type Priced = {
  readonly rule: (context: RuleContext) => RankingRule
  /** The cost of a node in a document that contains it; `left` is the previous node. */
  readonly cost: (
    model: RankModel,
    doc: number,
    node: ModelNode,
    left: ModelNode | undefined,
  ) => number
  /** The largest cost of a node. */
  readonly most: (model: RankModel, node: ModelNode, left: ModelNode | undefined) => number
  readonly score: (cost: number, most: number) => ScoreDetail
}

const joinCost = (node: ModelNode): number => (idsOf(node) === 1 ? 0 : idsOf(node))

const PRICED: { readonly [rule: string]: Priced } = {
  typo: {
    rule: () => new TypoRule(),
    cost: (model, doc, node) => joinCost(node) + model.typos(doc, node)!,
    most: (model, node) => joinCost(node) + model.typoCostMax(node),
    score: (typos, typosMax) => ({ kind: 'typo', typos, typosMax }),
  },
  proximity: {
    rule: (context) => new ProximityRule(context),
    cost: (model, doc, node, left) =>
      idsOf(node) - 1 + (isBehind(node, left) ? model.proximity(doc, left!, node) : 0),
    most: (_, node, left) => idsOf(node) - 1 + (isBehind(node, left) ? PROXIMITY_FAR : 0),
    score: (cost, most) => ({ kind: 'proximity', rank: most + 1 - cost, max: most + 1 }),
  },
  attributeRank: {
    rule: (context) => new AttributeRankRule(context),
    cost: (model, doc, node) => model.weight(doc, node) * idsOf(node),
    most: (model, node) => model.weightMax * idsOf(node),
    score: (cost, most) => ({ kind: 'attributeRank', rank: most + 1 - cost, max: most + 1 }),
  },
  wordPosition: {
    rule: (context) => new WordPositionRule(context),
    cost: (model, doc, node) => model.position(doc, node),
    most: (_, node) => POSITION_FAR * idsOf(node),
    score: (cost, most) => ({ kind: 'wordPosition', rank: most + 1 - cost, max: most + 1 }),
  },
  exactWords: {
    rule: () => new ExactWordsRule(),
    cost: (model, doc, node) =>
      node.parts.length <= 1 && model.isExact(doc, node) ? 0 : idsOf(node),
    most: (_, node) => idsOf(node),
    score: (cost, most) => ({ kind: 'exactWords', matching: most - cost, max: most }),
  },
}

type Case = {
  readonly documents: readonly ModelDocument[]
  readonly terms: readonly ModelTerm[]
  readonly isPrefix: boolean
}

const WEIGHTS = ['title', 'body']

function setUp(
  { documents, terms, isPrefix }: Case,
  segments: number,
  weights = WEIGHTS,
  infix = false,
) {
  const infixSearch = infix ? { attributes: ['*'] } : null
  const small = new SmallText(documents, { searchableAttributes: weights, infixSearch }, segments)
  const { search } = small
  const space = small.space()
  const context: RuleContext = {
    space,
    weightOf: (field) => search.weightOf(field),
    weightMax: search.weightMax,
    searchableFields: () => search.searchableFields(),
    relevance: () => {
      throw new Error('no rule here scores documents')
    },
  }
  const graph = small.graph(queryText(terms, isPrefix), space)!
  const model = new RankModel(documents, terms, isPrefix, { weights, typos: true, infix })
  const rank = (rule: RankingRule) =>
    bucketSort([rule], graph.docs(small.ids), graph, {
      offset: 0,
      limit: documents.length,
      withScores: true,
      threshold: null,
      distinct: null,
      isLate: () => false,
    }).hits.map(({ id, scores }) => ({ id, score: scores[0]! }))
  return { context, model, rank }
}

/** The scores of all documents with a reading, cheapest first. */
function expected(model: RankModel, { cost, most, score }: Priced, documents: number) {
  const sum = (
    reading: readonly ModelNode[],
    of: (node: ModelNode, left: ModelNode | undefined) => number,
  ) => reading.reduce((total, node, i) => total + of(node, reading[i - 1]), 0)
  const highest = Math.max(
    ...model.readings.map((reading) => sum(reading, (node, left) => most(model, node, left))),
  )
  return Array.from({ length: documents }, (_, id) => {
    const costs = model.readings
      .filter((reading) => reading.every((node) => model.matches(id, node, [0, 1, 2])))
      .map((reading) => sum(reading, (node, left) => cost(model, id, node, left)))
    return { id, cost: Math.min(...costs) }
  })
    .filter((priced) => priced.cost < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.cost - b.cost || a.id - b.id)
    .map((priced) => ({ id: priced.id, score: score(priced.cost, highest) }))
}

/** Words that are each other's typos, parts, joins and prefixes. */
const WORDS = ['sun', 'flower', 'sunflower', 'flowers', 'flowr', 'sunflowre', 'fl', 'er', 'suns']
const anyWord = fc.constantFrom(...WORDS)
const anyText = fc
  .array(fc.tuple(anyWord, fc.constantFrom('', '', '', '.')), { maxLength: 7 })
  .map((words) => words.map(([word, end]) => word + end).join(' '))
const anyDocument = fc.oneof(
  fc.record({ title: anyText, body: anyText }),
  fc.record({ title: anyText }),
  fc.record({ body: anyText }),
)
const anyTerm: fc.Arbitrary<ModelTerm> = fc.oneof(
  { weight: 4, arbitrary: anyWord.map((word) => ({ words: [word], isPhrase: false })) },
  {
    weight: 1,
    arbitrary: fc
      .array(anyWord, { minLength: 1, maxLength: 3 })
      .map((words) => ({ words, isPhrase: true })),
  },
)
const anyCase: fc.Arbitrary<Case> = fc.record({
  documents: fc.array(anyDocument, { minLength: 1, maxLength: 12 }),
  terms: fc.array(anyTerm, { minLength: 1, maxLength: 3 }),
  isPrefix: fc.boolean(),
})

describe.each(Object.keys(PRICED))('%s', (name) => {
  const priced = PRICED[name]!

  it('uses the cheapest reading of each document', () => {
    fc.assert(
      fc.property(anyCase, fc.constantFrom(1, 1, 2), (one, segments) => {
        const { context, model, rank } = setUp(one, segments)
        expect(rank(priced.rule(context))).toEqual(expected(model, priced, one.documents.length))
      }),
      { numRuns: 150 },
    )
  })

  it('uses it as well if words are found by a text inside of them', () => {
    fc.assert(
      fc.property(anyCase, fc.constantFrom(1, 1, 2), (one, segments) => {
        const { context, model, rank } = setUp(one, segments, WEIGHTS, true)
        expect(rank(priced.rule(context))).toEqual(expected(model, priced, one.documents.length))
      }),
      { numRuns: 100 },
    )
  })

  it.each([false, true])(
    'gives the same costs for many documents as for few, infixes: %s',
    (infix) => {
      const anyMany = fc.array(anyDocument, { minLength: 20, maxLength: 40 })
      fc.assert(
        fc.property(anyMany, anyCase, (few, { terms, isPrefix }) => {
          const documents = Array.from({ length: 1500 }, (_, i) => few[i % few.length]!)
          const { context, rank } = setUp({ documents, terms, isPrefix }, 1, WEIGHTS, infix)
          const small = setUp({ documents: few, terms, isPrefix }, 1, WEIGHTS, infix)
          const ranked = small.rank(priced.rule(small.context))
          const scores = new Map(ranked.map(({ id, score }) => [id, score]))
          const all = rank(priced.rule(context))
          for (const { id, score } of all) expect(score).toEqual(scores.get(id % few.length))
          const copies = ranked.reduce((n, { id }) => n + Math.ceil((1500 - id) / few.length), 0)
          expect(all).toHaveLength(copies)
        }),
        { numRuns: 4 },
      )
    },
  )

  it('includes the words of a prefix that is matched as a whole', () => {
    const crowd = Array.from({ length: 120 }, (_, i) => `za${String(i).padStart(3, '0')}`)
    const anyWhole = fc.array(fc.constantFrom('sun', 'za', 'za001', 'za100', 'flower'), {
      maxLength: 6,
    })
    const anyTexts = fc.array(anyWhole, { minLength: 1, maxLength: 10 })
    fc.assert(
      fc.property(anyTexts, fc.constantFrom('title', 'body'), (texts, field) => {
        const documents = [...texts.map((words) => ({ [field]: words.join(' ') }))]
        documents.push({ body: crowd.join('. ') })
        const terms = ['sun', 'za'].map((word) => ({ words: [word], isPhrase: false }))
        const { context, model, rank } = setUp({ documents, terms, isPrefix: true }, 1)
        expect(rank(priced.rule(context))).toEqual(expected(model, priced, documents.length))
      }),
      { numRuns: 25 },
    )
  })
})

/** Each word is in so many fields that documents are read instead of sets by field. */
const WIDE: ModelDocument = Object.fromEntries(
  Array.from({ length: 70 }, (_, i) => [`f${i}`, ['flower sets sun', 'sun sets'][i % 2]!]),
)

describe('exactAttribute', () => {
  it('finds attributes that equal the query or begin with it', () => {
    const anyShort = fc.array(fc.constantFrom('sun', 'sets', 'flower'), {
      minLength: 1,
      maxLength: 4,
    })
    const anyTexts = fc.array(fc.record({ title: anyShort, body: anyShort }), {
      minLength: 1,
      maxLength: 10,
    })
    const anyQuery = fc.array(
      fc.oneof(
        fc.constantFrom('sun', 'sets', 'nothing').map((w) => ({ words: [w], isPhrase: false })),
        anyShort.map((words) => ({ words, isPhrase: true })),
      ),
      { minLength: 1, maxLength: 3 },
    )
    fc.assert(
      fc.property(anyTexts, anyQuery, fc.boolean(), (texts, terms, isWide) => {
        const documents: ModelDocument[] = texts.map(({ title, body }) => ({
          title: title.join(' '),
          body: body.join(' '),
        }))
        if (isWide) documents.push(WIDE)
        const small = new SmallText(documents)
        const weights = isWide ? [...WEIGHTS, ...Object.keys(WIDE)] : WEIGHTS
        const { context, model } = setUp({ documents, terms, isPrefix: false }, 1, weights)
        const graph = small.graph(queryText(terms, false), context.space)!
        const rule = new ExactAttributeRule(context)
        const ranking = bucketSort([rule], small.ids, graph, {
          offset: 0,
          limit: 100,
          withScores: true,
          threshold: null,
          distinct: null,
          isLate: () => false,
        })
        const verdicts = ranking.hits.toSorted((a, b) => a.id - b.id).map(({ scores }) => scores[0])
        expect(verdicts).toEqual(
          documents.map((_, id) => ({
            kind: 'exactAttribute',
            match: model.exactAttribute(id, model.nodes),
          })),
        )
        const rank = { exactMatch: 0, matchesStart: 1, noExactMatch: 2 }
        const ranks = ranking.hits.map(({ scores }) => {
          const [score] = scores
          return score?.kind === 'exactAttribute' ? rank[score.match] : -1
        })
        expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
      }),
    )
  })
})

describe('distances', () => {
  it.each([
    [0, 0],
    [1, 1],
    [2, 2],
    [4, 2],
    [5, 3],
    [8, 4],
    [16, 5],
    [17, 6],
    [25, 7],
    [64, 7],
    [65, 8],
    [256, 8],
    [1024, 9],
    [1025, 10],
  ])('of %i positions cost %i', (distance, cost) => {
    expect(distanceCost(distance)).toBe(cost)
  })
})
