// Answers to searches as the page shows them, without a browser.
import { describe, expect, it } from 'vitest'
import { mark } from '../test-question.ts'
import { hitText, textOf } from './hit-text.ts'
import { modelFor } from './models.ts'
import { pictureAddress, pictureOf, webAddress } from './picture.ts'
import { ruleScores } from './ranking.ts'

describe('addresses in documents', () => {
  const origins = ['https://cdn.example.com']

  it.each([
    'javascript:alert(1)',
    'data:image/png;base64,AA',
    'see https://a.example',
    '//a.example/x.png',
    'https://',
    7,
    null,
  ])('%s is not one', (value) => expect(webAddress(value)).toBe(null))

  it('are pictures if the operator allows their origin, by their name or ending', () => {
    const of = (name: string, value: unknown) => pictureAddress(name, value, origins)
    expect(of('poster', 'https://cdn.example.com/1')).toBe('https://cdn.example.com/1')
    expect(of('file', ['https://cdn.example.com/1.webp?w=2'])).toContain('1.webp?w=2')
    expect(of('file', 'https://cdn.example.com/1')).toBe(null)
    expect(of('poster', 'https://cdn.example.com.evil.example/1.png')).toBe(null)
    expect(of('poster', 'http://cdn.example.com/1.png')).toBe(null)
    expect(of('poster', 'https://cdn.example.com@evil.example/1.png')).toBe(null)
    const hit = { id: 1, link: 'https://cdn.example.com/', img: ['https://cdn.example.com/2'] }
    expect(pictureOf(hit, origins)).toBe('https://cdn.example.com/2')
    expect(pictureOf(hit, [])).toBe(null)
  })

  it('are not the text of a hit', () => {
    const long = `https://a.example/${'x'.repeat(90)}`
    const { text, facts } = hitText({ title: 'a', url: long, prose: 'word '.repeat(12) }, null)
    expect(text?.name).toBe('prose')
    expect(facts.map(({ name }) => name)).toEqual(['url'])
  })
})

describe('the model of a workspace', () => {
  it.each([
    ['openAi', null, 'gpt-4o'],
    ['azureOpenAi', 'ours', 'ours'],
    ['azureOpenAi', null, ''],
    ['vLlm', null, ''],
  ])('of %s with the deployment %s is %s', (source, deploymentId, model) =>
    expect(modelFor({ source, deploymentId })).toBe(model),
  )
})

describe('answers', () => {
  it('show a heading, a text and facts; fields with highlights come first', () => {
    const long = 'a long text that tells in many words what it is about, and more'
    const hit = { id: 7, colour: 'red', name: 'Lamp', text: long, size: { w: 1, tags: ['x', 'y'] } }
    const shown = hitText(
      { ...hit, _formatted: { ...hit, size: mark('1') }, _rankingScore: 1 },
      'id',
    )
    expect(shown.heading).toEqual({ name: 'name', text: 'Lamp' })
    expect(shown.text?.name).toBe('text')
    expect(shown.facts.map(({ name }) => name)).toEqual(['size', 'colour'])
    expect(hitText({ id: 3 }, 'id').heading).toEqual({ name: 'id', text: '3' })
    expect(hitText({}, null)).toEqual({ heading: null, text: null, facts: [] })
    expect(hitText({ a: hit.size }, null).heading?.text).toBe('w: 1 · tags: x, y')
  })

  it('show the objects of a list that meet a condition, and count the others', () => {
    const variants = [
      { c: 'red', s: 41 },
      { c: 'red', s: 42 },
      { c: 'blue', s: 42 },
    ]
    const hit = { id: 1, name: 'Shirt', colour: 'x', variants }
    const marks = { variants: [{ c: 'red', s: '41' }, { c: mark('red'), s: '42' }, variants[2]] }
    const { facts } = hitText(
      { ...hit, _formatted: { ...hit, ...marks } },
      'id',
      new Set(['variants/1']),
    )
    expect(facts).toEqual([
      { name: 'variants', text: `${mark('c: red · s: 42')}, 2 others` },
      { name: 'colour', text: 'x' },
    ])
  })

  it('explain a rank by the score of each rule', () => {
    const scores = ruleScores({
      typo: { order: 1, typoCount: 1, maxTypoCount: 2, score: 0.5 },
      words: { order: 0, matchingWords: 2, maxMatchingWords: 2, score: 1 },
      'price:asc': { order: 2, value: 5 },
    })
    expect(scores).toEqual([
      { rule: 'words', score: 1, notes: ['2 of 2 words'], parts: [] },
      { rule: 'typo', score: 0.5, notes: ['1 typo of at most 2'], parts: [] },
      { rule: 'price:asc', score: null, notes: ['value 5'], parts: [] },
    ])
    expect(ruleScores(null)).toEqual([])
    expect(ruleScores({ odd: 3 })).toEqual([])
    expect(ruleScores({ pinned: { order: 0, rules: [] } })[0]!.notes).toEqual([])
  })

  it('have the longest of several long texts, and no text below the limit', () => {
    const [under, at] = ['x'.repeat(39), 'x'.repeat(40)]
    const hit = { id: 1, name: 'n', a: at, b: `${at}${at}`, c: under }
    const { text, facts } = hitText(hit, 'id')
    expect([text?.name, facts.map(({ name }) => name)]).toEqual(['b', ['a', 'c']])
    expect(hitText({ name: 'n', c: under }, null).text).toBeNull()
    expect(hitText({ name: 'n', c: at }, null).text?.name).toBe('c')
  })

  it('show values down to the fourth level', () => {
    expect(textOf([[['a', [['b']]]]])).toBe('a, …')
    expect(textOf({ a: { b: { c: { d: 1, e: [2] } } } })).toBe('a: b: c: d: 1 · e: …')
    const matched = (...places: readonly string[]) => textOf(['a', 'b', 'c'], new Set(places))
    expect([matched('0', '1', '2'), matched('0', '2'), matched('1')]).toEqual([
      ['a', 'b', 'c'].map(mark).join(', '),
      `${mark('a')}, ${mark('c')}, 1 other`,
      `${mark('b')}, 2 others`,
    ])
  })

  it('explain other scores by their members, long values cut', () => {
    const value = { lat: 1, lng: 2 }
    const [geo] = ruleScores({ '_geoPoint(1, 2):asc': { order: 0, value, distance: 7 } })
    expect(geo!.notes).toEqual(['value {"lat":1,"lng":2}', 'distance 7'])
    const texts = [60, 61].map((length) => 'x'.repeat(length))
    const notes = texts.map((text) => ruleScores({ 'a:asc': { order: 0, value: text } })[0]!.notes)
    expect(notes).toEqual([[`value ${texts[0]}`], [`value ${texts[0]}…`]])
    const odd = { order: 0, bm25: 1, words: [null, 1], score: 0.5 }
    expect(ruleScores({ bm25: odd })[0]!.parts).toEqual([])
  })

  it('explain a bm25 score by its words, boosts by their factors, and stems', () => {
    const word = { lengthNorm: 1, idf: 2.5, frequency: 1.2 }
    const [bm25, boosts] = ruleScores({
      bm25: {
        order: 0,
        bm25: 4,
        words: [
          { ...word, word: 'lamp', contribution: 3 },
          { ...word, word: 'old', contribution: 1 },
        ],
        score: 0.44,
      },
      scale: {
        order: 1,
        rules: ['winter'],
        boosts: [
          { position: 0, factor: 0.5 },
          { position: 2, factor: 2 },
        ],
        weight: 1,
      },
    })
    expect(bm25).toEqual({
      rule: 'bm25',
      score: 0.44,
      notes: ['4.00, the sum of its words'],
      parts: [
        { name: '“lamp”', share: 0.75, text: '3.00: rarity 2.50, occurs 1.20 times' },
        { name: '“old”', share: 0.25, text: '1.00: rarity 2.50, occurs 1.20 times' },
      ],
    })
    expect(boosts).toEqual({
      rule: 'boosts',
      score: null,
      notes: ['the score × 1.00', 'rules winter'],
      parts: [
        { name: 'boost 1', share: 0.25, text: '× 0.50' },
        { name: 'boost 3', share: 1, text: '× 2.00' },
      ],
    })
    const typo = { typo: { order: 0, typoCount: 1, maxTypoCount: 2, score: 0.5 } }
    expect(ruleScores(typo, true)[0]?.notes).toEqual(['1 typo or other forms of at most 2'])
    const forms = { typo: { ...typo.typo, otherForms: ['runs', 'cats'] } }
    expect(ruleScores(forms, true)[0]?.notes[1]).toBe('another form of runs, cats')
  })
})
