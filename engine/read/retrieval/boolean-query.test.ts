// Boolean queries from request to answer: they find the documents that a brute-force evaluation of
// their words finds, with typos, prefixes, synonyms, stems and stop words; ranking, marks, hybrid
// and facet searches follow.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { DEFAULT_SEARCH, type SearchRequest } from '../../model/index.ts'
import { FakeDisk, randomOf } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../../testing/index.ts'
import { scopeOf } from '../segment-text/where.ts'
import { booleanQueryOf, sharedScope, wordsAlone } from './boolean-query.ts'

let engine: TestEngine
async function change(uid: string, patch: object): Promise<void> {
  await changeSettings(engine, uid, patch)
  await engine.idle()
}

const WORDS = ['river', 'stone', 'lantern', 'harbour', 'winter']
type Film = { readonly id: number; readonly title: string; readonly text: string }
const random = randomOf(5)
const some = (): string => WORDS.filter(() => random.below(3) === 0).join(' ')
const FILMS = Array.from({ length: 120 }, (_, id): Film => ({ id, title: some(), text: some() }))

beforeAll(async () => {
  engine = await openTestEngine(new FakeDisk().mount())
  await change('films', { searchableAttributes: ['title', 'text'] })
  await addDocuments(engine, 'films', FILMS)
  await change('shop', {
    filterableAttributes: ['kind'],
    stopWords: ['the', 'of'],
    synonyms: { couch: ['sofa'], 'living room': ['lounge'] },
    localizedAttributes: [{ attributePatterns: ['text'], locales: ['eng'], stemming: true }],
    embedders: { e: { source: 'userProvided', dimensions: 2 } },
    typoTolerance: { disableOnWords: ['sofa'] },
  })
  await addDocuments(engine, 'shop', [
    { id: 1, kind: 'seat', name: 'Red sofa', text: 'for the lounge', _vectors: { e: [1, 0] } },
    { id: 2, kind: 'lamp', name: 'Red lamp', text: 'running costs', _vectors: { e: [0.9, 0.1] } },
    { id: 3, kind: 'seat', name: 'Green chair', text: 'of the office', _vectors: { e: [0, 1] } },
    { id: 4, kind: 'desk', name: 'Office desk', text: 'red or green', _vectors: { e: [0, 1] } },
  ])
  await engine.idle()
})
afterAll(() => engine.close())

async function ids(uid: string, q: string, more: Partial<SearchRequest> = {}): Promise<number[]> {
  const request = { q, querySyntax: 'boolean', limit: 1000, ...more } as const
  const { hits } = await searchFor(engine, uid, request)
  return hits.map(({ id }: { readonly id: number }) => id)
}
const found = async (...asked: Parameters<typeof ids>): Promise<number[]> =>
  (await ids(...asked)).sort((a, b) => a - b)

describe('a query', () => {
  const view = { search: { maySearch: (name: string) => name !== 'id' } } as never
  const of = (q: string | null, more: object = {}) =>
    booleanQueryOf(view, { q, querySyntax: 'boolean', ...more })

  it('is null in another syntax, or without text', () => {
    const plain = [{ querySyntax: 'plain' }, { querySyntax: undefined }]
    expect(plain.map((more) => of('a AND b', more))).toEqual([null, null])
    expect([null, '', ' \t'].map((q) => of(q))).toEqual([null, null, null])
    expect(of('a')?.leaves).toHaveLength(1)
  })

  it('names only attributes that are searched', () => {
    expect(of('title:a b')?.leaves).toHaveLength(2)
    expect(() => of('a OR (id:b)')).toThrow('the attribute `id` is not searchable, at character 7')
  })

  it.each([
    ['a AND b', 'a     b'],
    ['(a OR "b c") -d', ' a    "b c"   d'],
    ['title:a NOT b ', '      a     b'],
  ])('%s has the words %s at their places', (q, words) => {
    expect(wordsAlone(q, of(q)!)).toBe(words)
  })

  it('of an attribute is sought in the fields of both restrictions', () => {
    const [one, two] = [scopeOf([1, 2]), scopeOf([3, 2])]
    expect(sharedScope(one, two)).toEqual(scopeOf([2]))
    expect([sharedScope(one, null), sharedScope(null, two)]).toEqual([one, two])
    expect(sharedScope(null, null)).toBeNull()
    expect(sharedScope(one, scopeOf([3]))).toEqual(scopeOf([]))
  })

  it.each([null, '', '  '])('%j finds all documents', async (q) => {
    expect(await found('films', q as string)).toEqual(FILMS.map(({ id }) => id))
  })
})

describe('the documents', () => {
  type Test = (has: (word: string, field?: 'title' | 'text') => boolean) => boolean
  const CASES: readonly (readonly [string, Test])[] = [
    ['river AND stone ', (has) => has('river') && has('stone')],
    ['river stone ', (has) => has('river') && has('stone')],
    ['river OR stone AND NOT winter ', (has) => has('river') || (has('stone') && !has('winter'))],
    ['(river OR stone) -winter ', (has) => (has('river') || has('stone')) && !has('winter')],
    ['title:river text:stone ', (has) => has('river', 'title') && has('stone', 'text')],
    ['title:(river -stone) ', (has) => has('river', 'title') && !has('stone', 'title')],
    ['NOT river ', (has) => !has('river')],
    ['NOT (river OR NOT stone) ', (has) => !has('river') && has('stone')],
    ['+river winter ', (has) => has('river') && has('winter')],
  ]
  it.each(CASES)('of %s', async (q, test) => {
    const expected = FILMS.filter((film) =>
      test((word, field) =>
        (field === undefined ? `${film.title} ${film.text}` : film[field]).includes(word),
      ),
    )
    expect(await found('films', q)).toEqual(expected.map(({ id }) => id))
  })

  it('with `any` need one of the words side by side, or those with a plus', async () => {
    const of = (test: (text: string) => boolean): number[] =>
      FILMS.filter(({ text, title }) => test(`${title} ${text}`)).map(({ id }) => id)
    const any = { matchingStrategy: 'any' } as const
    const either = of((text) => text.includes('river') || text.includes('stone'))
    expect(await found('films', 'river stone ', any)).toEqual(either)
    expect(await found('films', '+river stone ', any)).toEqual(of((t) => t.includes('river')))
    // The word without a sign ranks.
    const both = of((text) => text.includes('river') && text.includes('stone'))
    const ranked = await ids('films', '+river stone ', any)
    expect(ranked.slice(0, both.length).sort((a, b) => a - b)).toEqual(both)
  })
})

describe('words', () => {
  it('match with typos, as prefixes, by synonyms and stems; stop words say nothing', async () => {
    expect(await found('shop', 'offise AND chiar')).toEqual([3])
    expect(await found('shop', 'offi')).toEqual([3, 4])
    expect(await found('shop', '(offi) x')).toEqual([])
    expect(await found('shop', 'couch AND red')).toEqual([1])
    expect(await found('shop', 'red AND living room')).toEqual([1])
    expect(await found('shop', 'name:lamp AND runs')).toEqual([2])
    expect(await found('shop', 'the AND red -of')).toEqual([1, 2, 4])
    expect(await found('shop', '"red or green"')).toEqual([4])
    // Words to exclude are meant as typed, for any number of negations.
    expect(await found('shop', 'red -offise -offic -run')).toEqual([1, 2, 4])
    expect(await found('shop', 'red -(office desk) -NOT red')).toEqual([1, 2])
  })

  it('are sought in their attribute, among those of `attributesToSearchOn`', async () => {
    expect(await found('shop', 'name:red')).toEqual([1, 2])
    expect(await found('shop', 'name:"red sofa" OR text:red')).toEqual([1, 4])
    expect(await found('shop', 'name:red OR green', { attributesToSearchOn: ['text'] })).toEqual([
      4,
    ])
  })

  it('are marked in hits unless documents may not have them', async () => {
    const { hits } = await searchFor(engine, 'shop', {
      q: 'name:red AND (sofa OR NOT lamp)',
      querySyntax: 'boolean',
      attributesToHighlight: ['name'],
      showRankingScoreDetails: true,
    })
    expect(hits[0]._formatted.name).toBe('<em>Red</em> <em>sofa</em>')
    expect(hits.length).toBe(1)
  })

  it('that no hit has give it the score 0', async () => {
    const request = { q: 'river OR NOT stone', querySyntax: 'boolean' } as const
    for (const rules of [
      ['typo', 'words', 'exactness'],
      ['words', 'bm25'],
    ]) {
      await change('films', { rankingRules: rules })
      const { hits } = await searchFor(engine, 'films', { ...request, showRankingScore: true })
      const scores = hits.map((hit: never) => hit['_rankingScore'] as number)
      expect(scores).toEqual(scores.toSorted((a: number, b: number) => b - a))
      expect([scores[0] > 0, scores.at(-1)]).toEqual([true, 0])
    }
  })

  it('of an attribute score there alone', async () => {
    await change('films', { rankingRules: ['bm25'] })
    const scoresOf = async (more: object): Promise<Map<number, number>> => {
      const request = { limit: 200, showRankingScore: true, ...more }
      const { hits } = await searchFor(engine, 'films', request)
      return new Map(hits.map((hit: never) => [hit['id'], hit['_rankingScore']]))
    }
    const scores = await scoresOf({ q: 'title:river ', querySyntax: 'boolean' })
    const expected = await scoresOf({ q: 'river ', attributesToSearchOn: ['title'] })
    expect(scores.size).toBeGreaterThan(20)
    expect(scores).toEqual(expected)
  })
})

describe('other parts of a search', () => {
  it('restrict hits by vector to the documents that match', async () => {
    const hybrid = { embedder: 'e', semanticRatio: 0.9 }
    const more = { hybrid, vector: Float64Array.of(1, 0) }
    expect(await ids('shop', 'red -desk', more)).toEqual([1, 2])
    expect(
      await found('shop', 'red -desk', { ...more, hybrid: { ...hybrid, fusion: 'rrf' } }),
    ).toEqual([1, 2])
  })

  it('narrow a facet search', async () => {
    const search = { ...DEFAULT_SEARCH, q: 'red -lamp', querySyntax: 'boolean' } as const
    const request = { facetName: 'kind', facetQuery: null, exhaustiveFacetCount: null, search }
    const context = {
      requestUid: 'u',
      queryUid: null,
      features: {},
      signal: AbortSignal.timeout(9e3),
    }
    const bytes = await engine.queries.facetSearch(asIndexUid('shop'), request, context as never)
    const { facetHits } = JSON.parse(Buffer.from(bytes as Uint8Array).toString())
    expect(await found('shop', 'red -lamp')).toEqual([1, 4])
    expect(facetHits).toEqual([
      { value: 'desk', count: 1 },
      { value: 'seat', count: 1 },
    ])
  })

  it('refuse attributes that are not searched, and faults, by their place', async () => {
    await expect(ids('films', 'river id:1')).rejects.toThrow(
      'Invalid value at `.q`: the attribute `id` is not searchable, at character 7 of the boolean',
    )
    await expect(ids('films', 'river (')).rejects.toMatchObject({ code: 'invalid_search_q' })
    expect(await ids('films', 'river (', { querySyntax: 'plain' })).not.toEqual([])
  })

  it('are checked as a whole, also where no more words are read', async () => {
    const blanks = ' '.repeat(70_000)
    const short = await ids('films', '(river AND stone)')
    expect(short).not.toEqual([])
    expect(await ids('films', `(river AND stone${blanks})`)).toEqual(short)
    await expect(ids('films', `(river${blanks}`)).rejects.toMatchObject({
      code: 'invalid_search_q',
    })
  })
})
