// Suggestions from request to answer, over small indexes of several segments; and properties of any
// suggestion, compared with searches and with documents held as lists of words.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import type { SuggestRequest } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../../testing/test-engine.ts'
import { TITLE_UNITS_MAX, TYPED_UNITS_MAX } from './limits.ts'

type Answer = {
  readonly suggestions: readonly {
    readonly text: string
    readonly highlighted?: string
    readonly hits: number
    readonly source: string
  }[]
  readonly query: string
}

const PLAIN: SuggestRequest = {
  q: '',
  limit: 5,
  filter: null,
  attributes: null,
  locales: null,
  tags: null,
}

async function suggestFor(
  engine: TestEngine,
  request: Partial<SuggestRequest>,
  uid = 'films',
): Promise<Answer> {
  const { features } = engine.administration
  const { signal } = new AbortController()
  const context = { requestUid: 'r', queryUid: null, features, signal }
  const asked = { ...PLAIN, ...request }
  return JSON.parse(
    Buffer.from(await engine.queries.suggest(asIndexUid(uid), asked, context)).toString(),
  )
}

/** Each list of documents becomes a segment of its own. */
async function engineOf(
  settings: { readonly [setting: string]: unknown },
  ...segments: readonly (readonly object[])[]
): Promise<TestEngine> {
  const engine = await openTestEngine(new FakeDisk().mount())
  await changeSettings(engine, 'films', settings)
  for (const documents of segments) {
    await addDocuments(engine, 'films', documents, { primaryKey: 'id' })
    await engine.idle()
  }
  return engine
}

const FILMS = [
  { id: 1, title: 'Harbour Lights', plot: 'A ship in the harbour', year: 1994 },
  { id: 2, title: 'The quiet Harbour', plot: 'hard times', year: 2001 },
]
const MORE_FILMS = [
  { id: 3, title: 'Hard Rain', plot: 'A harbour town floods', year: 1998 },
  { id: 4, title: 'Pokémon: Der Film', plot: 'Haru and a monster', year: 1998 },
  { id: 5, title: 'Hard Rain', plot: 'the other one', year: 2013 },
]

it('a title of up to two hundred characters is suggested, no longer one', async () => {
  const titles = ['a', 'bb'].map((end) => `zebra ${'x'.repeat(TITLE_UNITS_MAX - 7)}${end}`)
  const documents = titles.map((title, id) => ({ id, title }))
  const engine = await engineOf({ searchableAttributes: ['title'] }, documents)
  const { suggestions } = await suggestFor(engine, { q: 'zebra' })
  const found = suggestions.filter(({ source }) => source === 'titles')
  expect(found.map(({ text }) => text)).toEqual(titles.slice(0, 1))
  await engine.close()
})

describe('suggestions', () => {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await engineOf(
      { searchableAttributes: ['title', 'plot'], filterableAttributes: ['year'] },
      FILMS,
      MORE_FILMS,
    )
  })
  const suggest = (request: Partial<SuggestRequest>) => suggestFor(engine, request)
  const shown = async (request: Partial<SuggestRequest>) =>
    (await suggest(request)).suggestions.map(
      ({ text, hits, source }) => `${text} ${hits} ${source}`,
    )

  it('are the words and titles that complete what is typed, those with most hits first', async () => {
    expect(await suggest({ q: 'har' })).toEqual({
      suggestions: [
        { text: 'hard', hits: 3, source: 'words' },
        { text: 'Harbour', hits: 3, source: 'words' },
        { text: 'Hard Rain', hits: 2, source: 'titles' },
        { text: 'Haru', hits: 1, source: 'words' },
        { text: 'Harbour Lights', hits: 1, source: 'titles' },
      ],
      query: 'har',
      processingTimeMs: expect.any(Number),
    })
    expect(await shown({ q: 'har', limit: 2 })).toEqual(['hard 3 words', 'Hard Rain 2 titles'])
    expect(await shown({ q: 'har', limit: 0 })).toEqual([])
  })

  it('complete the last word in documents that have all words before it', async () => {
    expect(await shown({ q: 'QUIET h' })).toEqual(['QUIET hard 1 words', 'QUIET Harbour 1 words'])
    expect(await shown({ q: 'rain flo' })).toEqual(['rain floods 1 words'])
    expect(await shown({ q: 'monster rain h' })).toEqual([])
    expect(await shown({ q: 'harbour -lights t' })).toEqual([
      'harbour -lights The 1 words',
      'harbour -lights town 1 words',
      'harbour -lights times 1 words',
    ])
  })

  it('are spelled as a document spells them', async () => {
    expect(await shown({ q: 'poke' })).toEqual(['Pokémon 1 words', 'Pokémon: Der Film 1 titles'])
    expect(await shown({ q: 'pokemon d' })).toEqual([
      'pokemon Der 1 words',
      'Pokémon: Der Film 1 titles',
    ])
  })

  it('pass the filter', async () => {
    expect(await shown({ q: 'har', filter: 'year = 1998' })).toEqual([
      'Hard 1 words',
      'Haru 1 words',
      'harbour 1 words',
      'Hard Rain 1 titles',
    ])
    expect(await shown({ q: 'har', filter: 'year = 1900' })).toEqual([])
    await expect(suggest({ q: 'a', filter: 'title = x' })).rejects.toMatchObject({
      code: 'invalid_suggest_filter',
    })
  })

  it('come from the named attributes', async () => {
    expect(await shown({ q: 'har', attributes: ['plot'] })).toEqual([
      'harbour 2 words',
      'Haru 1 words',
      'hard 1 words',
      'hard times 1 titles',
      'Haru and a monster 1 titles',
    ])
    await expect(suggest({ q: 'a', attributes: ['year'] })).rejects.toMatchObject({
      code: 'invalid_suggest_attributes',
    })
  })

  it('have the nearest spelling if no word completes what is typed', async () => {
    expect(await shown({ q: 'monstr' })).toEqual(['monster 1 words'])
    expect(await shown({ q: 'harbuor li' })).toEqual(['harbuor Lights 1 words'])
    // A complete word needs none.
    expect(await shown({ q: 'lights' })).toEqual([])
  })

  it('need something typed', async () => {
    for (const q of ['', '  ', '!', 'har '.repeat(200)]) {
      expect(await suggest({ q })).toMatchObject({ suggestions: [], query: q })
    }
    expect(await shown({ q: 'harbour ' })).toEqual(['Harbour Lights 1 titles'])
    expect(await shown({ q: '"quiet har' })).toEqual([])
  })

  it.each([
    [TYPED_UNITS_MAX, ['Hard Rain 2 titles']],
    [TYPED_UNITS_MAX + 1, []],
  ])('complete up to so many characters: %i', async (length, expected) => {
    expect(await shown({ q: 'hard r'.padStart(length) })).toEqual(expected)
  })

  it('mark what is typed', async () => {
    const { suggestions } = await suggest({ q: 'hárd r', tags: { pre: '<b>', post: '</b>' } })
    expect(suggestions.map(({ highlighted }) => highlighted)).toEqual(['<b>Hard R</b>ain'])
    const words = await suggest({ q: 'pok', limit: 1, tags: { pre: '[', post: ']' } })
    expect(words.suggestions[0]!.highlighted).toBe('[Pok]émon')
  })
})

describe('suggestions of an index', () => {
  it('tell nothing of attributes that hits hide', async () => {
    const documents = [{ id: 1, title: 'open', secret: 'opal hidden', tags: ['opera'] }]
    const engine = await engineOf({ displayedAttributes: ['title', 'tags'] }, documents)
    const { suggestions } = await suggestFor(engine, { q: 'op' })
    expect(suggestions.map(({ text }) => text)).toEqual(['open', 'opera'])
    const named = await suggestFor(engine, { q: 'op', attributes: ['secret'] })
    expect(named.suggestions).toEqual([])
  })

  it('read titles of lists and of nested names', async () => {
    const documents = [
      { id: 1, name: { en: 'Night train', de: ['Nachtzug', { ignored: 'Nachtmahr' }] }, n: 1984 },
    ]
    const engine = await engineOf({ searchableAttributes: ['name', 'n'] }, documents)
    const texts = async (q: string) =>
      (await suggestFor(engine, { q })).suggestions.map(({ text }) => text)
    expect(await texts('nigh')).toEqual(['Night', 'Night train'])
    expect(await texts('nacht')).toEqual(['Nachtzug', 'Nachtmahr'])
    expect(await texts('19')).toEqual(['1984'])
  })

  it('complete runs of scripts without spaces', async () => {
    const documents = [
      { id: 1, title: '東京タワーの夜' },
      { id: 2, title: '東京物語' },
      { id: 3, title: 'ประเทศไทย' },
    ]
    const engine = await engineOf({ searchableAttributes: ['title'] }, documents)
    const texts = async (q: string) =>
      (await suggestFor(engine, { q })).suggestions.map(({ text }) => text)
    expect(await texts('東京')).toEqual(expect.arrayContaining(['東京物語', '東京タワーの夜']))
    expect(await texts('東京タ')).toContain('東京タワーの夜')
    expect(await texts('ประเท')).toContain('ประเทศไทย')
  })

  it('complete a run with words directly behind it, or with the word that it begins', async () => {
    const documents = [
      { id: 1, title: '他毕业于北京大学中文系' },
      { id: 2, title: '北京有大量的大楼' },
      { id: 3, title: 'เขาอยู่กรุงเทพมหานคร' },
    ]
    const engine = await engineOf({ searchableAttributes: ['title'] }, documents)
    const words = async (q: string) =>
      (await suggestFor(engine, { q })).suggestions.map(({ text, hits }) => `${text} ${hits}`)
    // Another document has both words, but apart.
    expect(await words('北京大')).toEqual(['北京大学 1'])
    expect(await words('กรุงเ')).toEqual(['กรุงเทพมหานคร 1'])
  })

  it('have room for words and for titles', async () => {
    const documents = Array.from({ length: 12 }, (_, i) => ({
      id: i,
      title: `Car number ${i}`,
      plot: `cargo cart card carbon care carry cargo${i}`,
    }))
    const engine = await engineOf({ searchableAttributes: ['title', 'plot'] }, documents)
    const sources = async (limit: number) =>
      (await suggestFor(engine, { q: 'car', limit })).suggestions.map(({ source }) => source[0])
    expect((await sources(4)).join('')).toBe('wwtt')
    expect((await sources(5)).join('')).toBe('wwwtt')
    expect((await sources(50)).sort().join('')).toBe(`${'t'.repeat(12)}${'w'.repeat(18)}`)
    expect(await sources(1)).toEqual(['w'])
  })

  it('are the same for any number of segments', async () => {
    const films = [...FILMS, ...MORE_FILMS]
    const settings = { searchableAttributes: ['title', 'plot'] }
    const one = await engineOf(settings, films)
    const many = await engineOf(settings, ...films.map((film) => [film]))
    for (const q of ['h', 'har', 'quiet h', 'monstr', 'hard r', 'the']) {
      const [a, b] = [await suggestFor(one, { q }), await suggestFor(many, { q })]
      expect(a.suggestions).toEqual(b.suggestions)
    }
  })

  it('forget deleted and replaced documents', async () => {
    const engine = await engineOf({ searchableAttributes: ['title'] }, FILMS, MORE_FILMS)
    await addDocuments(engine, 'films', [{ id: 3, title: 'Soft Rain' }])
    await engine.idle()
    const texts = async (q: string) =>
      (await suggestFor(engine, { q })).suggestions.map(({ text, hits }) => `${text} ${hits}`)
    expect(await texts('hard')).toEqual(['Hard Rain 1'])
    await addDocuments(engine, 'films', [{ id: 5, title: 'Nothing' }])
    await engine.idle()
    expect(await texts('hard')).toEqual([])
    expect(await texts('sof')).toEqual(['Soft 1', 'Soft Rain 1'])
  })
})

const WORDS = ['car', 'cart', 'cargo', 'card', 'cat', 'cab', 'dog', 'do', 'dot', 'café', 'Cable']
const word = fc.constantFrom(...WORDS)
const film = fc.record({
  id: fc.nat({ max: 12 }),
  title: fc.array(word, { minLength: 1, maxLength: 3 }).map((words) => words.join(' ')),
  plot: fc.array(word, { maxLength: 3 }).map((words) => words.join(', ')),
  kind: fc.constantFrom('a', 'b'),
})
const typedText = fc
  .tuple(fc.array(word, { maxLength: 1 }), word, fc.integer({ min: 1, max: 4 }))
  .map(([before, last, units]) => [...before, last.slice(0, units)].join(' '))

it('every suggestion has the hits that a search for it finds, under the filter', async () => {
  const batches = fc.array(fc.array(film, { minLength: 1, maxLength: 5 }), {
    minLength: 1,
    maxLength: 4,
  })
  const filter = fc.constantFrom(null, 'kind = a', 'kind = b')
  await fc.assert(
    fc.asyncProperty(batches, typedText, filter, async (segments, q, narrowed) => {
      const settings = { searchableAttributes: ['title', 'plot'], filterableAttributes: ['kind'] }
      const engine = await engineOf(settings, ...segments)
      const request = { q, filter: narrowed, limit: 50 }
      const { suggestions } = await suggestFor(engine, request)
      for (const { hits, text } of suggestions) {
        const search = { q: text, filter: narrowed, matchingStrategy: 'all' } as const
        const { estimatedTotalHits } = await searchFor(engine, 'films', search)
        expect({ text, isFound: hits >= 1 && hits <= estimatedTotalHits }).toEqual({
          text,
          isFound: true,
        })
      }
      const live = new Map(segments.flat().map((one) => [one.id, one]))
      const passing = [...live.values()].filter(
        ({ kind }) => narrowed === null || narrowed.endsWith(kind),
      )
      expect(suggestedWords(suggestions)).toEqual(completionsIn(passing, q))
      const folded = suggestions.map(({ text }) => fold(text))
      expect(new Set(folded).size).toBe(folded.length)
      await engine.close()
    }),
    { numRuns: 40 },
  )
})

const fold = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** The last words of suggestions from words, with their hits, if the typed one begins them. */
const suggestedWords = (suggestions: Answer['suggestions']): readonly string[] =>
  suggestions
    .filter(({ source }) => source === 'words')
    .map(({ text, hits }) => `${fold(text.split(' ').at(-1)!)} ${hits}`)
    .sort()

/** The same by reading all documents; only where the word before may not have typos. */
function completionsIn(
  documents: readonly { readonly title: string; readonly plot: string }[],
  q: string,
): readonly string[] {
  const typed = fold(q).split(' ')
  const last = typed.pop()!
  const counts = new Map<string, number>()
  for (const { title, plot } of documents) {
    const words = new Set(fold(`${title} ${plot}`).split(/[ ,]+/))
    if (!typed.every((before) => words.has(before))) continue
    for (const one of words) {
      if (one.startsWith(last) && one !== last) counts.set(one, (counts.get(one) ?? 0) + 1)
    }
  }
  return [...counts].map(([one, count]) => `${one} ${count}`).sort()
}
