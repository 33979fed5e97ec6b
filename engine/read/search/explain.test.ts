// A search that explains itself: the words of its graph, the buckets of its rules, its hits.
import { beforeAll, describe, expect, it } from 'vitest'
import { FEATURES, type Features, type SearchRequest } from '../../model/index.ts'
import { applyPatch, defaultSettings, type SettingsPatch } from '../../settings/index.ts'
import { PLAIN_SEARCH } from '../../testing/test-engine.ts'
import { type Document, importOf, SmallIndex } from '../../write/indexer/test-support.ts'
import { SegmentCache } from '../segments/index.ts'
import { type Explained, explainSearch } from './explain.ts'

const ALL = Object.fromEntries(FEATURES.map((name) => [name, true])) as Features
const FILMS: readonly Document[] = [
  { id: 'a', title: 'harbour lights', year: 1 },
  { id: 'b', title: 'harbor light', year: 2 },
  { id: 'c', title: 'the lighthouse', year: 2 },
  { id: 'd', title: 'motor vehicle', year: 3 },
  { id: 'e', title: 'light house running', year: 3 },
]
const SETTINGS: SettingsPatch = {
  filterableAttributes: ['year'],
  sortableAttributes: ['year'],
  synonyms: { car: ['motor vehicle'] },
  infixSearch: { attributes: ['title'] },
  localizedAttributes: [{ attributePatterns: ['*'], locales: ['eng'], stemming: true }],
}

let index: SmallIndex
beforeAll(async () => {
  index = new SmallIndex(applyPatch(defaultSettings(), SETTINGS).settings)
  await index.run([importOf(FILMS, { primaryKey: 'id' })])
})
const explained = (request: Partial<SearchRequest>): Explained => {
  const cache = new SegmentCache(index.fs, 1 << 20)
  return explainSearch(index.ref, cache, { ...PLAIN_SEARCH, ...request }, ALL)
}
const nodeOf = ({ nodes }: Explained, text: string) => nodes.find((node) => node.text === text)!

describe('an explained search', () => {
  it('has the numbers of the search, and its hits', () => {
    const all = explained({ q: 'light', filter: 'year < 3', showRankingScore: true })
    expect(all).toMatchObject({
      index: 'movies',
      query: 'light',
      documents: 5,
      filtered: 3,
      found: 3,
      degraded: false,
      negative: [],
      openingsLeftOut: 0,
    })
    expect(all.hits.map(({ document }) => document).sort()).toEqual(['a', 'b', 'c'])
    expect(all.hits[0]!.score).toBeGreaterThan(0.5)
    expect(explained({ q: 'light' }).hits.every(({ score }) => score === null)).toBe(true)
    expect(all.stages.map(({ stage }) => stage)).toEqual([
      'open',
      'filter',
      'query',
      'rank',
      'facets',
      'format hits',
    ])
    expect(all.stages.every(({ ms }) => ms >= 0)).toBe(true)
  })

  it('without words has no graph', () => {
    expect(explained({ q: '' })).toMatchObject({
      nodes: [],
      start: [],
      found: 5,
      hits: { length: 5 },
    })
  })

  it('shows the words that each word of the query matches', () => {
    const all = explained({ q: 'harbour ligh', limit: 20, matchingStrategy: 'last' })
    expect(nodeOf(all, 'harbour')).toMatchObject({
      kind: 'word',
      isPrefix: false,
      typosMax: 1,
      from: 0,
      to: 0,
      documents: 1,
      exact: 1,
      prefixWords: { count: 0, words: [] },
      wholePrefix: false,
      synonyms: [],
      oneTypo: { count: 1, words: [{ word: 'harbor', documents: 1 }] },
      twoTypos: null,
    })
    const last = nodeOf(all, 'ligh')
    expect(last).toMatchObject({ isPrefix: true, typosMax: 0, from: 1, to: 1, exact: null })
    expect(last.prefixWords.words).toEqual([
      { word: 'light', documents: 2 },
      { word: 'lighthouse', documents: 1 },
      { word: 'lights', documents: 1 },
    ])
    const gram = all.nodes.find(({ kind }) => kind === 'ngram')!
    expect(gram).toMatchObject({ text: 'harbourligh', from: 0, to: 1 })
    expect(all.start).toEqual(expect.arrayContaining([nodeOf(all, 'harbour').node, gram.node]))
    expect(nodeOf(all, 'harbour').next).toContain(last.node)
  })

  it('shows synonyms, splits, stems, words inside of others, phrases and negatives', () => {
    const car = explained({ q: 'car -storm -"a b"' })
    expect(nodeOf(car, 'car').synonyms).toEqual(['motor vehicle'])
    expect(car.negative).toEqual(['storm', 'a b'])
    const house = nodeOf(explained({ q: 'lighthouse ' }), 'lighthouse')
    expect([house.splits, house.exact]).toEqual([['light house'], 1])
    expect(nodeOf(explained({ q: 'runs ' }), 'runs')).toMatchObject({
      stems: ['run'],
      documents: 0,
    })
    expect(nodeOf(explained({ q: 'ghthou ' }), 'ghthou')).toMatchObject({ within: 1, exact: null })
    const phrase = explained({ q: '"light house"' }).nodes
    expect(phrase).toMatchObject([{ kind: 'phrase', text: 'light house', documents: 1 }])
  })

  it('shows the buckets of each rule, opened with all that earlier rules rank equal', () => {
    const { rules, openings } = explained({ q: 'light', sort: ['year:desc'] })
    expect(rules.map(({ rule }) => rule)).toEqual([
      'words',
      'typo',
      'proximity',
      'attributeRank',
      'sort',
      'wordPosition',
      'exactAttribute',
      'exactWords',
    ])
    expect(openings[0]).toMatchObject({ depth: 0, rule: 'words', documents: 4 })
    for (const [depth, { rule, ...sums }] of rules.entries()) {
      const own = openings.filter((opening) => opening.depth === depth)
      const buckets = own.flatMap((opening) => opening.buckets)
      expect([sums.openings, sums.buckets]).toEqual([own.length, buckets.length])
      expect(own.every((opening) => opening.rule === rule)).toBe(true)
      expect(sums.ms).toBeGreaterThanOrEqual(0)
      expect(buckets.every(({ documents }) => documents > 0)).toBe(true)
    }
    const [words] = openings
    expect(words!.buckets.reduce((sum, { documents }) => sum + documents, 0)).toBe(4)
    expect(words!.buckets[0]!.score).toMatchObject({ kind: 'words', rank: 1, max: 1 })
  })

  it('shows the first fifty buckets of an opening, and two hundred openings', async () => {
    const sortableAttributes = ['year', 'id']
    const { settings } = applyPatch(defaultSettings(), { ...SETTINGS, sortableAttributes })
    const pairs = new SmallIndex(settings)
    const documents = Array.from({ length: 400 }, (_, id) => ({ id, year: id >> 1 }))
    await pairs.run([importOf(documents, { primaryKey: 'id' })])
    const shown = (years: number) => {
      const request = { q: '', sort: ['year:asc', 'id:asc'], filter: `year < ${years}`, limit: 400 }
      const cache = new SegmentCache(pairs.fs, 1 << 20)
      const { openings, openingsLeftOut } = explainSearch(
        pairs.ref,
        cache,
        { ...PLAIN_SEARCH, ...request },
        ALL,
      )
      return [openings[0]!.buckets.length, openings.length, openingsLeftOut]
    }
    // The second sort opens once for each year.
    expect([50, 51].map(shown)).toEqual([
      [50, 51, 0],
      [50, 52, 0],
    ])
    expect([199, 200].map(shown)).toEqual([
      [50, 200, 0],
      [50, 200, 1],
    ])
  })
})
