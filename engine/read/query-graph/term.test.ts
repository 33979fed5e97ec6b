// The matches of a term compared with a scan of all words of a few documents; and their sets of
// documents compared with the documents.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareText } from '../../../format/bytes/index.ts'
import { prefixDistance } from '../../../format/fst/distance.ts'
import { editDistance } from '../../../format/fst/index.ts'
import type { SettingsPatch } from '../../settings/index.ts'
import { partTerm, stopTerm } from '../../text/index.ts'
import { EVERYWHERE, scopeOf, type Word } from '../segment-text/index.ts'
import { SPLIT_RARE_DOCUMENTS_MAX, SPLIT_RUN_PARTS_MAX, WHOLE_PREFIX_WORDS_MIN } from './limits.ts'
import { phraseOf } from './phrase.ts'
import type { Term } from './term.ts'
import { isNumber } from './term-space.ts'
import { SmallText } from './test-support.ts'

const texts = (words: readonly Word[]): string[] => words.map(({ text }) => text)
const wordsOf = (text: string): string[] => text.split(' ').filter((word) => word !== '')

/** The only node of a query of one word, or the last node of several. */
function termOf(small: SmallText, query: string, space = small.space()): Term {
  return small.graph(query, space)!.nodes.at(-1)!.term
}

/** Few letters, so that words are near each other; one letter of two bytes and one of four. */
const anyLetter = fc.constantFrom('a', 'b', 'c', 'ƿ', '𐌰')
const anyWord = fc
  .array(anyLetter, { minLength: 1, maxLength: 11 })
  .map((letters) => letters.join(''))

/** Edits of a word: letters are removed, added, replaced, or swapped. */
const anyEdit = fc.tuple(fc.nat(11), fc.nat(1), fc.array(anyLetter, { maxLength: 1 }))
const anyEdits = fc.array(anyEdit, { maxLength: 3 })
function edited(word: string, edits: readonly (readonly [number, number, string[]])[]): string {
  const letters = Array.from(word)
  for (const [at, gone, come] of edits) letters.splice(at % letters.length, gone, ...come)
  return letters.join('') || 'b'
}

/** A word, and documents of words near it and others. */
const anyNear = fc
  .tuple(
    anyWord,
    fc.array(fc.array(fc.oneof(anyWord, anyEdits), { maxLength: 6 }), { maxLength: 8 }),
  )
  .map(([query, documents]) => ({
    query,
    documents: documents.map((words) =>
      words.map((word) => (typeof word === 'string' ? word : edited(query, word))).join(' '),
    ),
  }))
const firstOf = (word: string): string => Array.from(word)[0]!

/** Words with one and two typos from `text`, by scanning `vocabulary`, which ascends. */
function near(vocabulary: readonly string[], text: string, isPrefix: boolean) {
  const chars = Array.from(text).length
  const one: string[] = []
  const two: string[] = []
  for (const word of vocabulary) {
    const distance = isPrefix ? prefixDistance(text, word) : editDistance(text, word)
    const sameFirst = firstOf(word) === firstOf(text)
    if (chars < 5 || distance === 0) continue
    if (chars < 9) {
      if (sameFirst && distance === 1) one.push(word)
    } else if (sameFirst ? distance <= 2 : distance <= 1) {
      if (sameFirst && distance === 1) one.push(word)
      else two.push(word)
    }
  }
  return { one, two }
}

describe('a word', () => {
  it('matches the words that a scan finds', () => {
    const anyCase = [anyNear, fc.boolean(), fc.constantFrom(1, 2, 3)] as const
    fc.assert(
      fc.property(...anyCase, ({ documents, query }, isPrefix, segments) => {
        const small = new SmallText(
          documents.map((t) => ({ t })),
          {},
          segments,
        )
        const vocabulary = [...new Set(documents.flatMap(wordsOf))].sort(compareText)
        const term = termOf(small, isPrefix ? query : `${query} `)
        const { exact, prefixWords, wholePrefix, phrases } = term.zero()
        expect(exact?.text ?? null).toBe(vocabulary.includes(query) ? query : null)
        const begun = vocabulary.filter((word) => word !== query && word.startsWith(query))
        expect(texts(prefixWords)).toEqual(isPrefix ? begun : [])
        expect([wholePrefix, phrases]).toEqual([null, []])
        const { one, two } = near(vocabulary, query, isPrefix)
        expect(texts(term.one().words)).toEqual(one)
        expect(texts(term.two())).toEqual(two)
        const best = splitOf(documents, query)
        const whole = term.one().splits.find(({ words }) => words.length === 2 && !term.isPrefix)
        if (!isPrefix) expect(whole?.words.join('\u0000') ?? null).toBe(best)
        else if (best !== null) expect(term.one().splits[0]!.words.join('\u0000')).toBe(best)
      }),
      { numRuns: 150 },
    )
  })

  it('matches the documents that contain one of these words', () => {
    fc.assert(
      fc.property(anyNear, fc.integer({ min: 1, max: 7 }), ({ documents, query }, mask) => {
        const small = new SmallText(documents.map((t) => ({ t })))
        const term = termOf(small, query)
        const { exact, prefixWords } = term.zero()
        const meant = new Set<string>()
        if ((mask & 1) !== 0) for (const word of texts(prefixWords)) meant.add(word)
        if ((mask & 1) !== 0 && exact !== null) meant.add(query)
        if ((mask & 2) !== 0) for (const word of texts(term.one().words)) meant.add(word)
        if ((mask & 4) !== 0) for (const word of texts(term.two())) meant.add(word)
        const splits = (mask & 2) !== 0 ? term.one().splits : []
        const holding = documents.flatMap((text, id) => {
          const words = wordsOf(text)
          const isSplit = splits.some(({ isPrefix, words }) =>
            ` ${text} `.includes(` ${words.join(' ')}${isPrefix ? '' : ' '}`),
          )
          return isSplit || words.some((word) => meant.has(word)) ? [id] : []
        })
        expect([...term.docs(mask, false).toArray()]).toEqual(holding)
        const exactly = documents.flatMap((text, id) => (wordsOf(text).includes(query) ? [id] : []))
        expect([...term.docs(mask, true).toArray()]).toEqual(exactly)
      }),
      { numRuns: 300 },
    )
  })
})

/** The split whose parts are adjacent in most documents, the leftmost in a tie. */
function splitOf(documents: readonly string[], word: string): string | null {
  const letters = Array.from(word)
  let best: string | null = null
  let most = 0
  for (let i = 1; i < letters.length; i++) {
    const pair = [letters.slice(0, i).join(''), letters.slice(i).join('')]
    const count = documents.filter((text) => ` ${text} `.includes(` ${pair.join(' ')} `)).length
    if (count <= most) continue
    best = pair.join('\u0000')
    most = count
  }
  return best
}

describe('typos', () => {
  const small = (settings: SettingsPatch = {}) =>
    new SmallText([{ t: 'apple apples aple appel pple maple 12345 12346 grapefruit' }], settings)
  const one = (query: string, settings: SettingsPatch = {}) =>
    texts(termOf(small(settings), `${query} `).one().words)

  it('are allowed from five characters on, in the first letter from nine on', () => {
    expect(one('appl')).toEqual([])
    expect(one('apple')).toEqual(['aple', 'appel', 'apples'])
    const two = termOf(small(), 'rapefruit ')
    expect([texts(two.one().words), texts(two.two())]).toEqual([[], ['grapefruit']])
  })

  it('obey the settings', () => {
    const typos = (typoTolerance: NonNullable<SettingsPatch['typoTolerance']>) =>
      one('apple', { typoTolerance })
    expect(typos({ enabled: false })).toEqual([])
    expect(typos({ minWordSizeForTypos: { oneTypo: 6 } })).toEqual([])
    expect(typos({ disableOnWords: ['Apple'] })).toEqual([])
    expect(typos({ disableOnWords: ['pear'] })).toHaveLength(3)
    expect(typos({ disableOnAttributes: ['t'] })).toEqual([])
    expect(one('12345')).toEqual(['12346'])
    expect(one('12345', { typoTolerance: { disableOnNumbers: true } })).toEqual([])
  })

  it('are not allowed in exact fields', () => {
    const settings = { typoTolerance: { disableOnAttributes: ['code'] } }
    const index = new SmallText([{ code: 'maples' }, { t: 'maples' }, { code: 'maple' }], settings)
    expect([...termOf(index, 'maple').docs(7, false).toArray()]).toEqual([0, 1, 2])
    expect([...termOf(index, 'maple ').docs(7, false).toArray()]).toEqual([1, 2])
  })

  it('are matched within the limits, in byte order', () => {
    const digits = Array.from({ length: 200 }, (_, i) => String(i).padStart(3, '0'))
    const words = digits.map((digit) => `planet${digit}`)
    const index = new SmallText([{ t: words.join(' ') }])
    const prefix = termOf(index, 'plamet')
    expect(texts(prefix.one().words)).toEqual(words.slice(0, 150))
    // Nine characters: two typos, and all but the first 50 of them are left out.
    const whole = termOf(index, 'planet999 ')
    expect(texts(whole.one().words)).toEqual(['planet099', 'planet199'])
    const distant = words.filter((word) => editDistance(word, 'planet999') === 2)
    expect(texts(whole.two())).toEqual(distant.slice(0, 50))
  })

  it('are matched in at most 150 words with one of them, where a word may have two', () => {
    const letters = [...'abcdefghijklmnopqrstuvwxyz']
    const words = [2, 3, 4, 5, 6, 7, 8].flatMap((at) =>
      letters.map((letter) => 'parliament'.slice(0, at) + letter + 'parliament'.slice(at)),
    )
    const term = termOf(new SmallText([{ t: words.join(' ') }]), 'parliament ')
    expect(texts(term.one().words)).toEqual([...new Set(words)].sort(compareText).slice(0, 150))
  })

  it('in the first letter count as one when the list for two typos is full', () => {
    const many = Array.from({ length: 60 }, (_, i) => `abcdefg${String(i).padStart(2, '0')}`)
    const index = new SmallText([{ t: [...many, 'zbcdefgxx'].join(' ') }])
    const term = termOf(index, 'abcdefgxx ')
    expect(texts(term.two())).toEqual(many.slice(0, 50))
    expect(texts(term.one().words)).toEqual(['zbcdefgxx'])
  })
})

describe('a prefix', () => {
  it('of many words is matched as a whole', () => {
    const words = Array.from({ length: 120 }, (_, i) => `zo${String(i).padStart(3, '0')}`)
    const index = new SmallText(words.map((t) => ({ t })))
    const whole = termOf(index, 'zo')
    expect([whole.zero().wholePrefix, whole.zero().prefixWords]).toEqual(['zo', []])
    expect(whole.docs(1, false).size).toBe(120)
    expect(whole.docs(1, true).size).toBe(0)
    const named = termOf(index, 'zo00')
    expect([named.zero().wholePrefix, named.zero().prefixWords.length]).toEqual([null, 10])
    expect(termOf(index, 'zo1').docs(1, false).size).toBe(20)
  })

  it.each([
    [WHOLE_PREFIX_WORDS_MIN, 'zoos', true],
    [WHOLE_PREFIX_WORDS_MIN, 'zoosz', false],
    [WHOLE_PREFIX_WORDS_MIN - 1, 'zoos', false],
  ])('of %i words is matched as a whole by up to four bytes: %s %s', (count, query, isWhole) => {
    const words = Array.from({ length: count }, (_, i) => `zoosz${String(i).padStart(2, '0')}`)
    const { wholePrefix, prefixWords } = termOf(
      new SmallText([{ t: words.join(' ') }]),
      query,
    ).zero()
    expect([wholePrefix, prefixWords.length]).toEqual(isWhole ? [query, 0] : [null, count])
  })

  it('lists at most a hundred stop words at the end of a phrase', () => {
    const stopWords = Array.from({ length: 120 }, (_, i) => `so${String(i).padStart(3, '0')}`)
    const space = new SmallText([{ t: `big ${stopWords.join(' ')}` }], { stopWords }).space()
    const { words } = space.phrasePart(phraseOf(['big', 'so'], true), 1)
    expect(texts(words)).toEqual(stopWords.slice(0, 100).map(stopTerm))
  })

  it('lists at most a thousand words', () => {
    const words = Array.from({ length: 1100 }, (_, i) => `piano${String(i).padStart(4, '0')}`)
    const index = new SmallText(words.map((t) => ({ t })))
    expect(texts(termOf(index, 'piano').zero().prefixWords)).toEqual(words.slice(0, 1000))
  })

  it('is a whole word if prefixes are switched off', () => {
    const index = new SmallText([{ t: 'sunny' }, { t: 'sun' }], { prefixSearch: 'disabled' })
    expect([...termOf(index, 'sun').docs(7, false).toArray()]).toEqual([1])
  })
})

describe('synonyms', () => {
  const phrases = (query: string, synonyms: { readonly [key: string]: readonly string[] }) =>
    small(synonyms)
      .graph(query)!
      .nodes.map((node) => node!.term.zero().phrases.map(({ words }) => words.join(' ')))
  const small = (synonyms: { readonly [key: string]: readonly string[] }) =>
    new SmallText([{ t: 'new york' }, { t: 'nyc' }, { t: 'big apple' }], { synonyms })

  it('apply to words and to sequences of words, in one direction', () => {
    const synonyms = { NYC: ['New York', 'big apple'], 'new york': ['nyc'] }
    expect(phrases('nyc', synonyms)).toEqual([['new york', 'big apple']])
    expect(phrases('new york', synonyms)).toEqual([[], [], ['nyc']])
    expect(phrases('york', synonyms)).toEqual([[]])
    const found = (query: string) => [
      ...small(synonyms).graph(query)!.docs(small(synonyms).ids).toArray(),
    ]
    expect([found('nyc'), found('new york'), found('apple')]).toEqual([[0, 1, 2], [0, 1], [2]])
  })

  it('of one word are limited to fifty phrases and a hundred words', () => {
    const values = (count: number, words: number) =>
      Array.from({ length: count }, (_, i) => `w${i} `.repeat(words).trim())
    expect(phrases('nyc', { nyc: values(60, 1) })[0]).toHaveLength(50)
    expect(phrases('nyc', { nyc: values(30, 4) })[0]).toHaveLength(25)
    expect(phrases('nyc', { nyc: [...values(30, 4), 'a b'] })[0]).toHaveLength(25)
    expect(phrases('new york', { 'new york': values(60, 1) })[2]).toHaveLength(60)
  })

  it('that are longer than a query are ignored', () => {
    expect(phrases('nyc', { nyc: ['a'], [`${'x'.repeat(600)}`]: ['b'] })).toEqual([['a']])
    expect(phrases('nyc', { nyc: ['!', 'a'] })).toEqual([['a']])
  })
})

describe('a sequence of words', () => {
  const read = (query: string, patch: SettingsPatch, ...texts: string[]) => {
    const small = new SmallText(
      texts.map((t) => ({ t })),
      { typoTolerance: { enabled: false }, ...patch },
    )
    return [...small.graph(query)!.docs(small.ids).toArray()]
  }

  it('has synonyms if it has up to eight words', () => {
    const eight = 'questions that people like me very often ask'
    const synonyms = { [eight]: ['faq'], uno: [eight], 'the state of the art': ['best'] }
    expect(read(eight, { synonyms }, 'faq', 'x', eight)).toEqual([0, 2])
    expect(read(`our ${eight} again`, { synonyms }, 'our faq again')).toEqual([0])
    expect(read('uno', { synonyms }, eight, `${eight.slice(4)} x`)).toEqual([0])
    expect(read('s.w.a.t.', { synonyms: { 'S.W.A.T.': ['police'] } }, 'police')).toEqual([0])
  })

  it('keeps the stop words inside of a synonym', () => {
    const patch = { synonyms: { best: ['the state of the art'] }, stopWords: ['of', 'the'] }
    expect(read('best', patch, 'state of the art', 'state art', 'art the of state')).toEqual([0])
  })

  it('is read as one word, of up to five without a space', () => {
    expect(read('qx-12-700-b-4', {}, 'qx12700b4')).toEqual([0])
    expect(read('qx 12-700-b-4', {}, 'qx12700b4')).toEqual([])
  })
})

describe('a term', () => {
  it('read from several words allows fewer typos, and matches only tolerant words', () => {
    const index = new SmallText([{ t: 'starfish' }, { code: 'sunfishes' }], {
      typoTolerance: { disableOnAttributes: ['code'] },
    })
    const [, , joined] = index.graph('star fihs ')!.nodes
    expect([joined!.term.text, joined!.term.typosMax]).toEqual(['starfihs', 0])
    const [, , long] = index.graph('starlight fish ')!.nodes
    expect(long!.term.typosMax).toBe(1)
    const [, , exempt] = index.graph('sun fishes ')!.nodes
    expect(exempt!.term.docs(7, false).isEmpty).toBe(true)
  })

  it('longer than indexed words matches nothing', () => {
    const index = new SmallText([{ t: 'a'.repeat(250) }, { t: 'a'.repeat(240) }])
    expect(termOf(index, 'a'.repeat(250)).docs(7, false).size).toBe(1)
    const long = termOf(index, 'a'.repeat(251))
    expect([long.docs(7, false).size, long.one(), long.two()]).toEqual([
      0,
      { words: [], splits: [], parts: [], within: null },
      [],
    ])
  })

  it('matches only in the searched fields, except for phrases', () => {
    const index = new SmallText([
      { a: 'sun', b: 'moon' },
      { a: 'moon', b: 'sun sun' },
      { a: 'sun moon', b: 'sun moon' },
    ])
    const space = index.space(scopeOf([0]))
    expect([...termOf(index, 'sun', space).docs(7, false).toArray()]).toEqual([0, 2])
    const moon = space.index.word('moon')!
    expect([...space.index.docs(moon, EVERYWHERE).toArray()]).toEqual([0, 1, 2])
    expect([...space.phraseDocs(phraseOf(['sun', 'moon'])).toArray()]).toEqual([2])
  })

  it.each([
    ['12', true],
    ['1.5-7', true],
    ['٣', true],
    ['3d', false],
    ['½', true],
    ['-', true],
  ])('%j a number: %s', (text, expected) => {
    expect(isNumber(text)).toBe(expected)
  })
})

describe('a word that is a part of another one', () => {
  const documents = ['getElementById', 'an element', 'iPhone15Pro', 'elements', 'phone'].map(
    (t) => ({ t }),
  )

  it.each([
    ['element', [1, 3], [0, 1, 3]],
    ['element ', [1], [0, 1, 3]],
    ['elem', [1, 3], [0, 1, 3]],
    ['phone ', [4], [2, 4]],
    ['iphone ', [], [2]],
    ['15 ', [], [2]],
    ['id ', [], [0]],
    ['getelementbyid', [0], [0]],
  ])('%s is found as written in %j, and in %j', (query, written, all) => {
    const small = new SmallText(documents, {}, 2)
    const term = termOf(small, query)
    expect([...term.docs(1, false).toArray()]).toEqual(written)
    expect([...term.docs(0b111, false).toArray()]).toEqual(all)
    expect([...term.docs(0b111, true).toArray()]).toEqual(
      written.filter((id) => documents[id]!.t.toLowerCase().split(' ').includes(query.trim())),
    )
  })

  it('is found without typos too', () => {
    const small = new SmallText(documents, { typoTolerance: { enabled: false } })
    expect([...termOf(small, 'element').docs(0b111, false).toArray()]).toEqual([0, 1, 3])
  })

  it('is one of at most a thousand', () => {
    const letters = [...'abcdefghijk']
    const ends = letters.flatMap((a) => letters.flatMap((b) => letters.map((c) => a + b + c)))
    const small = new SmallText([{ t: ends.map((end) => `xPiano${end}`).join(' ') }])
    const begun = ends.slice(0, 1000).map((end) => partTerm(`piano${end}`))
    expect(texts(termOf(small, 'piano').one().parts)).toEqual(begun)
  })
})

it.each([
  [true, [1]],
  [false, [0, 1, 2]],
])('numbers match with typos unless they are excluded: %s', (disableOnNumbers, expected) => {
  const documents = [{ t: '12345' }, { t: '1234b' }, { t: '12346' }]
  const small = new SmallText(documents, { typoTolerance: { disableOnNumbers } })
  expect([...termOf(small, '1234a ').docs(0b111, false).toArray()]).toEqual(expected)
})

describe('splits in more than two words', () => {
  const splits = (small: SmallText, query: string) =>
    termOf(small, query)
      .one()
      .splits.map(({ words }) => words.join(' '))

  it.each([
    [SPLIT_RARE_DOCUMENTS_MAX, ['qx 12 700']],
    [SPLIT_RARE_DOCUMENTS_MAX + 1, []],
  ])('are those of a word of %i documents: %j', (count, expected) => {
    const whole = Array.from({ length: count }, () => ({ t: 'qx12700' }))
    expect(splits(new SmallText([{ t: 'qx 12 700' }, ...whole]), 'qx12700 ')).toEqual(expected)
  })

  it.each([
    [SPLIT_RUN_PARTS_MAX, true],
    [SPLIT_RUN_PARTS_MAX + 1, false],
  ])('are those in %i words of a script without spaces: %s', (count, isSplit) => {
    const words = [...'車火犬山川空雨風雪花月星海'].slice(0, count)
    const found = splits(new SmallText([{ t: words.join(' ') }]), words.join(''))
    expect(found).toEqual(isSplit ? [words.join(' ')] : [])
  })
})
