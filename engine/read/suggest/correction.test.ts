// The corrected query of a search: which words are replaced, by which words, in which spelling.
import { beforeAll, describe, expect, it } from 'vitest'
import type { SearchRequest } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../../testing/test-engine.ts'
import { CORRECTION_HITS_MAX } from './limits.ts'

const FILMS = [
  { id: 1, title: 'Harry Potter', plot: 'A wizard at school', year: 2001, secret: 'Voldemort' },
  { id: 2, title: 'The Pottery', plot: 'Clay and Café noir', year: 1999, secret: 'x' },
  { id: 3, title: 'Sunflower fields', plot: 'An overgrown garden', year: 1999, secret: 'x' },
  { id: 4, title: 'Potter and others', plot: 'Crime', year: 1999, secret: 'x' },
  { id: 5, title: 'ประเทศไทย', plot: '', year: 1999, secret: 'x' },
  { id: 6, title: 'Harry, a wizard', plot: 'of Potter', year: 1998, secret: 'x' },
]

describe('the corrected query', () => {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await openTestEngine(new FakeDisk().mount())
    const patch = {
      searchableAttributes: ['title', 'plot', 'secret'],
      displayedAttributes: ['id', 'title', 'plot'],
      filterableAttributes: ['year', 'id'],
      sortableAttributes: ['title'],
      synonyms: { wizzard: ['wizard'] },
    }
    await changeSettings(engine, 'films', patch)
    await addDocuments(engine, 'films', FILMS.slice(0, 2), { primaryKey: 'id' })
    await engine.idle()
    await addDocuments(engine, 'films', FILMS.slice(2))
    await engine.idle()
  })
  const corrected = async (q: string | null, request: Partial<SearchRequest> = {}) =>
    (await searchFor(engine, 'films', { q, showCorrection: true, ...request })).correctedQuery

  it('has the words of the best hits in place of misspelled ones', async () => {
    expect(await corrected('harry poter')).toBe('harry Potter')
    expect(await corrected('  HARRYY, poter! ')).toBe('  Harry, Potter! ')
    expect(await corrected('"the pottery" caffe NOIR')).toBe('"the pottery" Café NOIR')
    expect(await corrected('overgrwon -clay')).toBe('overgrown -clay')
    expect(await corrected('harrypotter')).toBe('Harry Potter')
    expect(await corrected('wizard harrypotter')).toBe('wizard Harry Potter')
    // This hit has both words, but apart.
    expect(await corrected('wizard harrypotter', { filter: 'id = 6' })).toBeUndefined()
  })

  it('prefers whole words to words that begin with a near one', async () => {
    expect(await corrected('pottre')).toBe('Potter')
    expect(await corrected('pottre', { filter: 'id = 2' })).toBe('Pottery')
    // The best hit has the longer word.
    expect(await corrected('pottre', { sort: ['title:desc'] })).toBe('Potter')
  })

  it('has the words of hits that pass the filter', async () => {
    expect(await corrected('poter', { filter: 'year = 2001' })).toBe('Potter')
    expect(await corrected('harry poter', { filter: 'year = 1900' })).toBeUndefined()
    expect(await corrected('gardn', { attributesToSearchOn: ['plot'] })).toBe('garden')
    expect(await corrected('gardn', { attributesToSearchOn: ['title'] })).toBeUndefined()
  })

  it('is absent if every word is found as typed, or nothing is', async () => {
    for (const q of [null, '', 'harry', 'har', 'pott', 'sun flower', 'wizzard', 'qqqqqqqq', '!']) {
      expect([q, await corrected(q)]).toEqual([q, undefined])
    }
    expect(await corrected('harry poter', { limit: 0 })).toBeUndefined()
    expect(await corrected('harry poter', { showCorrection: false })).toBeUndefined()
    // Cut by a dictionary.
    expect(await corrected('ประเทศไทบ')).toBeUndefined()
  })

  it('leaves words that it cannot correct', async () => {
    expect(await corrected('poter qqqqqq')).toBe('Potter qqqqqq')
  })

  it('tells nothing of attributes that hits hide', async () => {
    const answer = await searchFor(engine, 'films', { q: 'voldemrt', showCorrection: true })
    expect(answer.hits.map(({ id }: { id: number }) => id)).toEqual([1])
    expect(answer.correctedQuery).toBeUndefined()
  })
})

it('has words of the ten best hits alone', async () => {
  const engine = await openTestEngine(new FakeDisk().mount())
  await changeSettings(engine, 'films', { rankingRules: ['sort'] })
  const others = Array.from({ length: CORRECTION_HITS_MAX }, (_, id) => ({ id, title: 'Harry' }))
  const last = { id: CORRECTION_HITS_MAX, title: 'Harry Potter' }
  await addDocuments(engine, 'films', [...others, last], { primaryKey: 'id' })
  await engine.idle()
  const corrected = async (offset: number) => {
    const request = { q: 'harry poter', showCorrection: true, offset }
    return (await searchFor(engine, 'films', request)).correctedQuery
  }
  expect([await corrected(0), await corrected(1)]).toEqual([undefined, 'harry Potter'])
  await engine.close()
})
