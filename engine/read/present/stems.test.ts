// Words that match by their stems: whole words are marked, in the fields of the setting, and hits
// say which words they have only in another form. Then tails of phrases.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { SettingsPatch } from '../../settings/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../../testing/test-engine.ts'
import { formatText, SmallIndex } from './test-support.ts'

const STEMS: SettingsPatch = {
  localizedAttributes: [{ attributePatterns: ['t'], locales: ['eng'], stemming: true }],
}

describe('stems', () => {
  const TEXTS = [
    'he runs, running',
    '"Running"\n',
    'connections',
    'a walker walks',
    '北京 running',
    'runner',
  ]
  let engine: TestEngine
  beforeAll(async () => {
    engine = await openTestEngine(new FakeDisk().mount())
    await changeSettings(engine, 'i', STEMS)
    const documents = TEXTS.map((t, id) => ({ id, t, u: t }))
    await addDocuments(engine, 'i', documents, { primaryKey: 'id' })
    await engine.idle()
  })
  afterAll(() => engine.close())

  const hitsFor = async (q: string) => {
    const request = { q, attributesToHighlight: ['t', 'u'], showRankingScoreDetails: true }
    const { hits } = await searchFor(engine, 'i', request)
    return hits.sort((a: { id: number }, b: { id: number }) => a.id - b.id)
  }

  it.each([
    [
      'runs ',
      ['he <em>runs</em>, <em>running</em>', '"<em>Running</em>"\n', '北京 <em>running</em>'],
    ],
    ['connected ', ['<em>connections</em>']],
    ['walking ', ['a walker <em>walks</em>']],
    [
      'run',
      [
        'he <em>run</em>s, <em>run</em>ning',
        '"<em>Run</em>ning"\n',
        '北京 <em>run</em>ning',
        '<em>run</em>ner',
      ],
    ],
  ])('of %s mark whole words: %j', async (q, marked) => {
    const hits = await hitsFor(q)
    expect(hits.map((hit: never) => hit['_formatted']['t'])).toEqual(marked)
  })

  it('mark nothing in other fields', async () => {
    const [hit] = await hitsFor('runs ')
    expect(hit._formatted.u).toBe('he <em>runs</em>, running')
  })

  it.each([
    ['runs ', [undefined, ['runs'], ['runs']]],
    ['running ', [undefined, undefined, undefined]],
    ['walking ', [['walking']]],
  ])('of %s are listed where a document has the word in another form alone', async (q, forms) => {
    const hits = await hitsFor(q)
    const listed = hits.map((hit: never) => hit['_rankingScoreDetails']['typo']['otherForms'])
    expect(listed).toEqual(forms)
  })
})

describe('a phrase with a beginning at its end', () => {
  it.each([
    ['sun flowers', 'sunflow', '<em>sun flow</em>ers'],
    ['sun flowers', 'sunflow ', 'sun flowers'],
    ['sun sun flow', 'sunflow', 'sun <em>sun flow</em>'],
    ['sun a flow', 'sunflow', 'sun a flow'],
  ])('%j under %j is %j', (text, query, formatted) => {
    expect(formatText(text, query)).toBe(formatted)
  })
})

describe('crops', () => {
  const crop = (attributesToCrop: readonly string[], more: object = {}) => {
    const index = new SmallIndex([{ t: 'a b c d', u: { v: 'a b c d', w: 'a b c d' } }])
    const request = { attributesToCrop, cropLength: 1, ...more }
    return index.format(index.matcher('c '), request)[0]!.formatted
  }
  const whole = 'a b c d'
  it.each([
    [['t'], { t: '…c…', u: { v: whole, w: whole } }],
    [['t:2'], { t: '…b c…', u: { v: whole, w: whole } }],
    [['t:+2'], { t: '…b c…', u: { v: whole, w: whole } }],
    [['t:0'], { t: whole, u: { v: whole, w: whole } }],
    [['t:9'], { t: whole, u: { v: whole, w: whole } }],
    [['t:x'], { t: '…c…', u: { v: whole, w: whole } }],
    [['t:1', 't:2'], { t: '…b c…', u: { v: whole, w: whole } }],
    [['u'], { t: whole, u: { v: '…c…', w: '…c…' } }],
    [['u.v'], { t: whole, u: { v: '…c…', w: whole } }],
    [['u:2', 'u.v'], { t: whole, u: { v: '…b c…', w: '…b c…' } }],
    [['*'], { t: '…c…', u: { v: '…c…', w: '…c…' } }],
    [['*', 't:2'], { t: '…b c…', u: { v: '…c…', w: '…c…' } }],
    [['t:2', '*'], { t: '…c…', u: { v: '…c…', w: '…c…' } }],
  ])('%j give %j', (names, expected) => {
    expect(crop(names)).toEqual(expected)
  })

  it('have the requested marker', () => {
    expect(crop(['t'], { cropMarker: '"' })).toMatchObject({ t: '"c"' })
    expect(crop(['t'], { cropMarker: '' })).toMatchObject({ t: 'c' })
  })
})
