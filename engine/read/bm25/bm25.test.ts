// Scores of small views in several segments with dead copies, compared with those of an oracle that
// reads texts.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { weightIn } from '../../settings/scoring/index.ts'
import { SmallText } from '../query-graph/test-support.ts'
import { Relevance, statisticsOf } from './index.ts'
import { type OracleDocument, type OracleOptions, oracleScores } from './test-oracle.ts'

const VOCABULARY =
  'river rivers ravine stone stones store lantern lanterns lampern light lights nightfall'
const words = VOCABULARY.split(' ')
const text = fc.array(fc.constantFrom(...words), { maxLength: 12 }).map((list) => list.join(' '))
const document = fc.record(
  { title: text, body: text, tags: fc.array(text, { maxLength: 3 }) },
  { requiredKeys: [] },
)
const documents = fc.array(document, { minLength: 1, maxLength: 30 })
const query = fc.uniqueArray(fc.constantFrom(...words, 'rivver', 'lantarn', 'nightfell', 'li'), {
  minLength: 1,
  maxLength: 8,
})
const weight = fc.constantFrom(0, 0.5, 1, 3)
const options = fc.record({
  k1: fc.constantFrom(0, 0.5, 1.2, 3),
  b: fc.constantFrom(0, 0.4, 0.75, 1),
  weights: fc.record({ title: weight, tags: weight, '*': weight }, { requiredKeys: [] }),
  typos: fc.boolean(),
  isPrefix: fc.boolean(),
  segments: fc.integer({ min: 1, max: 4 }),
})
type Options = Required<Omit<OracleOptions, 'stopWords'>> & { readonly segments: number }

function relevanceOf(all: readonly OracleDocument[], q: string, one: Options, more: object = {}) {
  const small = new SmallText(
    all,
    {
      typoTolerance: { enabled: one.typos },
      prefixSearch: one.isPrefix ? 'indexingTime' : 'disabled',
      ...more,
    },
    one.segments,
  )
  const space = small.spaceOf(q)
  const graph = small.graph(q, space)!
  const { search } = small
  const { k1, b, weights } = one
  const weightOf = (field: number): number => weightIn(weights, search.fields[field]!)
  const statistics = statisticsOf(small.index, all.length)
  return { small, relevance: new Relevance(space, graph, { k1, b, weightOf }, statistics) }
}

const never = (): boolean => false
const PLAIN: Options = { k1: 1.2, b: 0.75, weights: {}, typos: true, isPrefix: false, segments: 2 }

describe('scores', () => {
  it('equal those of the oracle', () => {
    fc.assert(
      fc.property(documents, query, options, (all, terms, one) => {
        const { small, relevance } = relevanceOf(all, terms.join(' '), one)
        const wanted = oracleScores(all, terms, one)
        const { ids, scores } = relevance.best(small.ids, all.length, never)
        expect(ids).toHaveLength(all.length)
        ids.forEach((id, at) => {
          expect(scores[at]).toBeCloseTo(wanted[id]!, 5)
        })
      }),
      { numRuns: 60 },
    )
  })

  it('count numbers as typed, also if they are not found with typos', () => {
    const all = [{ title: 'river 2024' }, { title: 'river 2023' }, { title: 'river river' }]
    const scoresOf = (disableOnNumbers: boolean) => {
      const more = { typoTolerance: { disableOnNumbers } }
      const { small, relevance } = relevanceOf(all, 'river 2024', PLAIN, more)
      const { ids, scores } = relevance.best(small.ids, 1, never)
      return [[...ids], [...scores]]
    }
    const counted = oracleScores(all, ['river', '2024'], { ...PLAIN, typos: false })
    expect(scoresOf(true)).toEqual([[0], [Math.fround(counted[0]!)]])
    expect(scoresOf(false)).toEqual(scoresOf(true))
  })

  it('of the first documents are those of all documents', () => {
    const part = fc.nat(12)
    fc.assert(
      fc.property(documents, query, options, part, part, (all, terms, one, count, skipped) => {
        const { small, relevance } = relevanceOf(all, terms.join(' '), one)
        const universe = small.ids.andNot(IdSet.range(0, skipped))
        const whole = relevance.best(universe, universe.size, never)
        const { ids, scores } = relevance.best(universe, count, never)
        const least = Math.min(count, universe.size)
        expect(ids.length).toBeGreaterThanOrEqual(least)
        expect(ids).toEqual(whole.ids.slice(0, ids.length))
        expect(scores).toEqual(whole.scores.slice(0, scores.length))
        const next = whole.scores[least]
        if (least > 0 && next === whole.scores[least - 1]) expect(ids.length).toBeGreaterThan(least)
      }),
      { numRuns: 60 },
    )
  })

  it('of zero are those of documents without words of the query too', () => {
    const all = [{ a: 'stone' }, { a: 'river' }]
    const { relevance, small } = relevanceOf(all, 'river', { ...PLAIN, weights: { a: 0 } })
    const { ids, scores } = relevance.best(small.ids, 1, never)
    expect([[...ids], [...scores]]).toEqual([
      [0, 1],
      [0, 0],
    ])
  })

  it('are the sums of the shares of words', () => {
    fc.assert(
      fc.property(documents, query, options, (all, terms, one) => {
        const { small, relevance } = relevanceOf(all, terms.join(' '), one)
        const { ids, scores } = relevance.best(small.ids, all.length, never)
        ids.forEach((id, at) => {
          const shares = relevance.sharesOf(id)
          const sum = shares.reduce((all, { contribution }) => all + contribution, 0)
          expect(sum).toBeCloseTo(scores[at]!, 4)
          for (const { contribution, frequency, idf, lengthNorm } of shares) {
            const f = frequency * lengthNorm
            expect(contribution).toBeCloseTo(f === 0 ? 0 : (idf * f) / (one.k1 + f), 6)
          }
        })
      }),
      { numRuns: 30 },
    )
  })

  it('are those of the rarest words when time is up', () => {
    const all = [{ a: 'river stone' }, { a: 'stone' }, { a: 'stone' }]
    const { relevance, small } = relevanceOf(all, 'stone river', PLAIN)
    const { ids, isCut, scores } = relevance.best(small.ids, 3, () => true)
    expect(isCut).toBe(true)
    expect([...ids]).toEqual([0, 1, 2])
    expect([...scores].map((score) => score > 0)).toEqual([true, false, false])
    expect(relevance.best(small.ids, 3, never).isCut).toBe(false)
  })

  it('count no stop words in lengths', () => {
    const all = [{ a: 'the river the' }, { a: 'river' }, { a: 'stone stone stone stone' }]
    const stopWords = ['the']
    const { relevance, small } = relevanceOf(all, 'river', PLAIN, { stopWords })
    const wanted = oracleScores(all, ['river'], { ...PLAIN, stopWords })
    const { ids, scores } = relevance.best(small.ids, 3, never)
    expect([...ids]).toEqual([0, 1, 2])
    expect(scores[0]).toBe(scores[1])
    expect(scores[0]).toBeCloseTo(wanted[0]!, 6)
  })

  it('count the occurrences of phrases, synonyms, splits and joined words', () => {
    const scoreOf = (all: readonly OracleDocument[], q: string, more: object = {}) =>
      relevanceOf(all, q, { ...PLAIN, b: 0 }, more).relevance.sharesOf(0)
    const other = { a: 'x' }
    const [phrase] = scoreOf([{ a: 'big red dog, big red. red big' }, other], '"big red"')
    expect(phrase).toMatchObject({ word: '"big red"', frequency: 2 })
    const synonyms = { synonyms: { car: ['auto', 'motor vehicle'] } }
    const [synonym] = scoreOf([{ a: 'auto car motor vehicle' }, other], 'car', synonyms)
    expect(synonym).toMatchObject({ word: 'car', frequency: 3 })
    const [split] = scoreOf([{ a: 'sun flower' }, other], 'sunflower')
    expect(split).toMatchObject({ word: 'sunflower', frequency: 0.45 })
    const [joined] = scoreOf([{ a: 'sunflower' }, other], 'sun flower')
    expect(joined).toMatchObject({ word: 'sun flower', frequency: 1 })
  })

  it('count each place of a word once, also where it is another form, a prefix and a typo away', () => {
    const stemming = { attributePatterns: ['a', 'other'], locales: ['eng'], stemming: true }
    const sharesOf = (all: readonly OracleDocument[], q: string, isPrefix = false) =>
      relevanceOf(all, q, { ...PLAIN, b: 0, isPrefix }, { localizedAttributes: [stemming] })
        .relevance.sharesOf(0)
        .map(({ frequency, word }) => [word, Number(frequency.toFixed(6))])
    const rest = { other: 'stones stone stoned stoning' }
    for (const q of ['stone', 'stones', 'stoning']) {
      expect(sharesOf([{ a: `${q} ${q}` }, rest], q)).toEqual([[q, 2]])
    }
    const all = [{ a: 'stone stones stoning store' }, rest]
    expect(sharesOf(all, 'stones')).toEqual([['stones', 1 + 0.7 + 0.7]])
    expect(sharesOf(all, 'stone')).toEqual([['stone', 1 + 0.7 + 0.7 + 0.45]])
    expect(sharesOf(all, 'stone', true)).toEqual([['stone', 1 + 0.7 + 0.7 + 0.45]])
    expect(sharesOf([{ b: 'stones stoning' }, rest], 'stones')).toEqual([['stones', 1]])
  })

  it('take a word with its other forms for one word of the index', () => {
    const stemming = [{ attributePatterns: ['*'], locales: ['eng'], stemming: true }]
    const all = [{ a: 'running' }, { a: 'runs' }, { a: 'runs' }, { a: 'river' }]
    const idfOf = (q: string) =>
      relevanceOf(all, q, PLAIN, { localizedAttributes: stemming }).relevance.sharesOf(0)[0]!.idf
    const wanted = Math.log(1 + (4 - 3 + 0.5) / (3 + 0.5))
    expect(idfOf('running')).toBeCloseTo(wanted, 9)
    expect(idfOf('runs')).toBeCloseTo(wanted, 9)
  })

  it('count words only in the fields of the search', () => {
    const all = [{ a: 'river', b: 'river river' }, { b: 'river' }]
    const small = new SmallText(all)
    const space = small.space({ key: '0', fields: [0] })
    const parameters = { k1: 1.2, b: 0, weightOf: () => 1 }
    const graph = small.graph('river', space)!
    const relevance = new Relevance(space, graph, parameters, statisticsOf(small.index, 2))
    expect(relevance.sharesOf(0)).toMatchObject([{ frequency: 1, idf: Math.log(2) }])
    expect(relevance.sharesOf(1)).toEqual([])
  })
})
