// Formatted hits: written expectations for each rule, and properties of any text.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Document } from '../query-graph/test-support.ts'
import { formatText, type Positions, SmallIndex } from './test-support.ts'

const HIGHLIGHT = { attributesToHighlight: ['*'] }

/** The bytes of a text at its positions. */
const markedParts = (text: string, positions: Positions[string] | undefined): string[] => {
  const bytes = Buffer.from(text)
  return (positions ?? []).map(({ start, length }) =>
    bytes.subarray(start, start + length).toString(),
  )
}

describe('highlighting', () => {
  it.each([
    ['The Quick fox', 'quick', 'The <em>Quick</em> fox'],
    ['sunflower sun', 'sun', '<em>sun</em>flower <em>sun</em>'],
    ['sunflower sun', 'sun ', 'sunflower <em>sun</em>'],
    ['Élan vital', 'elan', '<em>Élan</em> vital'],
    ['œuvre', 'oe', '<em>œ</em>uvre'],
    ['quick brown fox', '"quick brown"', '<em>quick brown</em> fox'],
    ['quick, brown fox', '"quick brown"', '<em>quick, brown</em> fox'],
    ['quick red brown fox', '"quick brown"', 'quick red brown fox'],
    ['quick-brown fox', '"quick brown"', '<em>quick-brown</em> fox'],
    ['quick brown', 'brown quick', '<em>quick</em> <em>brown</em>'],
    ['sunflower', 'sun flower', '<em>sunflower</em>'],
    ['sun flower', 'sunflower', '<em>sun flower</em>'],
    ['wonderful', 'wonderfull', '<em>wonderful</em>'],
    ['wonderland', 'wonderlnd', '<em>wonderlan</em>d'],
    ['extraordinary', 'extrordinry ', '<em>extraordinary</em>'],
    ['red fox', 'red -fox', '<em>red</em> fox'],
    ['no match', 'zebra', 'no match'],
    ['<b>&amp;</b> fox', 'fox', '<b>&amp;</b> <em>fox</em>'],
    ['tab\tand "quotes"', 'quotes', 'tab\tand "<em>quotes</em>"'],
    ['日本 sun 日本', 'sun', '日本 <em>sun</em> 日本'],
    ['', 'a', ''],
    ['привет мир', 'привет', '<em>привет</em> мир'],
    ['a😀b sun', 'sun', 'a😀b <em>sun</em>'],
    ['best pizza🍕!', '"best pizza"', '<em>best pizza</em>🍕!'],
    ['pizza🍕 🍕day', '🍕 ', 'pizza<em>🍕</em> <em>🍕</em>day'],
    ['go👩‍🚀go', '👩‍🚀', 'go<em>👩‍🚀</em>go'],
    ['getElementById', 'element', 'get<em>Element</em>ById'],
    ['getElementById', 'id elem', 'get<em>Elem</em>entBy<em>Id</em>'],
    ['getElementById', 'get ', '<em>get</em>ElementById'],
    ['iPhone15Pro iPhone', 'iphone ', '<em>iPhone</em>15Pro <em>iPhone</em>'],
    ['iPhone15Pro', 'phone', 'i<em>Phone</em>15Pro'],
    ['übergrößeÄrmel', 'größe arm', 'übergrößeÄrmel'.replace('Ärm', '<em>Ärm</em>')],
    ['seiteGröße', 'grosse ', 'seite<em>Größe</em>'],
    ['北京 getElement', 'element', '北京 get<em>Element</em>'],
    ['a "getElement"', 'element', 'a "get<em>Element</em>"'],
    ['iPhone15Pro', 'ph 15 ', 'iPhone<em>15</em>Pro'],
    ['sun \u00a0 flower', '"sun flower"', '<em>sun \u00a0 flower</em>'],
    ['мир\u00a0мир', 'мир', '<em>мир</em>\u00a0<em>мир</em>'],
    ['мир + \u207a \u2011 sun', '"мир sun"', '<em>мир + \u207a \u2011 sun</em>'],
  ])('%j under %j is %j', (text, query, formatted) => {
    expect(formatText(text, query)).toBe(formatted)
  })

  it('uses the requested tags unchanged', () => {
    const request = { ...HIGHLIGHT, highlightPreTag: '"<', highlightPostTag: '\\n' }
    expect(formatText('a sun', 'sun', request)).toBe('a "<sun\\n')
  })

  it('includes synonyms, and typos only if a rule has looked them up', () => {
    const synonyms = { car: ['motor vehicle'] }
    expect(formatText('a motor vehicle', 'car', HIGHLIGHT, { synonyms })).toBe(
      'a <em>motor vehicle</em>',
    )
    const index = new SmallIndex([{ t: 'wonderful' }])
    const at = (lazy: boolean) =>
      index.format(index.matcher('wonderfull', lazy), HIGHLIGHT)[0]!.formatted
    expect([at(true), at(false)]).toEqual([{ t: 'wonderful' }, { t: '<em>wonderful</em>' }])
  })

  it('marks stop words in phrases only', () => {
    const settings = { stopWords: ['of'] }
    expect(formatText('lord of rings', 'lord of', HIGHLIGHT, settings)).toBe(
      '<em>lord</em> of rings',
    )
    expect(formatText('lord of rings', '"lord of rings"', HIGHLIGHT, settings)).toBe(
      '<em>lord of rings</em>',
    )
  })

  it('marks nothing for a prefix of very many words that is not a word itself', () => {
    const words = Array.from({ length: 120 }, (_, i) => `zo${String(i).padStart(3, '0')}`)
    expect(formatText(`${words.join(' ')}`, 'zo')).toBe(words.join(' '))
    expect(formatText(`zo ${words.join(' ')}`, 'zo')).toMatch(/^<em>zo<\/em> <em>zo<\/em>000/)
  })
})

describe('cropping', () => {
  const TEXT = 'The quick brown fox jumps over the lazy dog'
  const crop = (query: string, words: number, text = TEXT) =>
    formatText(text, query, { attributesToCrop: ['t'], cropLength: words })

  it.each([
    ['fox', 4, '…quick brown fox jumps…'],
    ['fox', 1, '…fox…'],
    ['fox', 100, TEXT],
    ['fox', 0, TEXT],
    ['zebra', 3, 'The quick brown…'],
    ['dog', 3, '…the lazy dog'],
    ['the', 2, 'The quick…'],
    ['"quick brown fox"', 2, 'The quick brown…'],
    ['quick lazy dog', 3, '…the lazy dog'],
    ['fox jumps dog', 3, '…brown fox jumps…'],
  ])('to %s within %i words: %s', (query, words, cropped) => {
    expect(crop(query, words)).toBe(cropped)
  })

  it('reads on behind a beginning of separators', () => {
    const signs = '- '.repeat(60)
    expect(crop('zebra', 2, `日本 ${signs}b c d`)).toBe(`日本 ${signs}b…`)
    expect(crop('zebra', 3, `日本 ${signs}b c`)).toBe(`日本 ${signs}b c`)
  })

  it('keeps to sentences if possible', () => {
    expect(crop('fox', 3, 'One two. Red fox ran. Three four')).toBe('…Red fox ran…')
  })

  it('uses lengths by name, and the requested marker', () => {
    const index = new SmallIndex([{ a: TEXT, b: TEXT, c: TEXT }])
    const request = { attributesToCrop: ['*', 'a:2', 'c:x'], cropLength: 3, cropMarker: '[…]' }
    expect(index.format(index.matcher('fox'), request)[0]!.formatted).toEqual({
      a: '[…]brown fox[…]',
      b: '[…]brown fox jumps[…]',
      c: '[…]brown fox jumps[…]',
    })
  })

  it('clips marks at its edges', () => {
    const request = { ...HIGHLIGHT, attributesToCrop: ['t'], cropLength: 2 }
    expect(formatText(TEXT, '"quick brown fox"', request)).toBe('The <em>quick brown</em>…')
  })
})

describe('a document', () => {
  const DOCUMENT: Document = {
    id: 7,
    title: 'sun rise',
    tags: ['sun', 'moon', ['sun set']],
    about: { lead: 'the sun', pages: 12, done: true, none: null, list: [] },
    parts: [{ name: 'sun' }, { name: 'x', size: 1.5 }],
  }
  const index = new SmallIndex([DOCUMENT])
  const format = (query: string, request: object, fields = {}) =>
    index.format(index.matcher(query), request, fields)[0]!

  it('keeps its shape; numbers become texts', () => {
    expect(format('sun', HIGHLIGHT).formatted).toEqual({
      id: '7',
      title: '<em>sun</em> rise',
      tags: ['<em>sun</em>', 'moon', ['<em>sun</em> set']],
      about: { lead: 'the <em>sun</em>', pages: '12', done: true, none: null, list: [] },
      parts: [{ name: '<em>sun</em>' }, { name: 'x', size: '1.5' }],
    })
  })

  it('has matches in numbers as well', () => {
    const { formatted, positions } = format('12', HIGHLIGHT)
    expect(formatted?.['about']).toMatchObject({ pages: '<em>12</em>' })
    expect(positions).toEqual({ 'about.pages': [{ start: 0, length: 2 }] })
  })

  it('reports positions of matches in bytes, with positions in arrays', () => {
    expect(format('sun', {}).positions).toEqual({
      'about.lead': [{ start: 4, length: 3 }],
      'parts.name': [{ start: 0, length: 3, indices: [0] }],
      tags: [{ start: 0, length: 3, indices: [2, 0] }],
      title: [{ start: 0, length: 3 }],
    })
    expect(format('set', {}).positions['tags']).toEqual([{ start: 4, length: 3, indices: [2, 0] }])
  })

  it('has no `_formatted` if nothing was requested, or nothing of it is shown', () => {
    expect(format('sun', {}).formatted).toBe(null)
    expect(format('sun', { attributesToHighlight: ['nothing'] }).formatted).toBe(null)
    const hidden = { displayed: new Set(['title']), retrieved: ['title'] }
    expect(format('sun', { attributesToHighlight: ['tags'] }, hidden).formatted).toBe(null)
    expect(format('sun', {}, hidden).positions).toEqual({ title: [{ start: 0, length: 3 }] })
  })

  it('shows retrieved and formatted fields', () => {
    const request = { attributesToHighlight: ['about.lead'] }
    expect(format('sun', request, { retrieved: ['title'] }).formatted).toEqual({
      title: 'sun rise',
      about: { lead: 'the <em>sun</em>' },
    })
    expect(format('sun', { attributesToHighlight: ['parts.size'] }).formatted).toMatchObject({
      parts: [{ name: 'sun' }, { name: 'x', size: '1.5' }],
    })
  })

  it('leaves out values around names that they do not have', () => {
    const names = ['about.lead', 'parts.size', 'other.x']
    const nested = [1, false, null, 'a', { name: 'x' }, [{ size: 2, name: 'y' }], {}, []]
    const small = new SmallIndex([
      { about: false, parts: [1, { name: 'x' }], other: {} },
      { about: 7, parts: nested, other: { x: false, y: 1 } },
    ])
    const hits = small.format(
      small.matcher('sun'),
      { attributesToHighlight: names },
      { retrieved: [] },
    )
    expect(hits.map(({ formatted }) => formatted)).toEqual([
      null,
      { parts: [[{ size: '2' }]], other: { x: false } },
    ])
  })

  it('leaves out the field `without`', () => {
    const without = index.text.search.fieldId('parts')!
    const { formatted, positions } = format('sun', HIGHLIGHT, { without })
    expect([Object.keys(formatted!), positions['parts.name']]).toEqual([
      ['id', 'title', 'tags', 'about'],
      undefined,
    ])
  })
})

const WORDS = ['sun', 'Sunny', 'flower', 'sunflower', 'Été', 'ete', 'straße', 'мир', '日本', '12']
const anyPiece = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 3, arbitrary: fc.constantFrom(' ', ', ', '. ', '-', '"', '\\', '\n', '😀', '') },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 3 }) },
)
const anyText = fc.array(anyPiece, { maxLength: 14 }).map((pieces) => pieces.join(''))
const anyQuery = fc
  .array(fc.constantFrom(...WORDS, '"sun flower"', 'su', 'flowr', '"été', 'sunflowr'), {
    minLength: 1,
    maxLength: 3,
  })
  .map((words) => words.join(' '))
/** Tags that do not occur in any text here. */
const TAGS = { highlightPreTag: '\u0001', highlightPostTag: '\u0002' }
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' })
/**
 * How many words the character at a cropped side may add, because it is shown whole: one for each
 * code point behind its first one.
 */
function joinedAt(place: 0 | -1, text: string, marker: string): number {
  const character = [...segmenter.segment(text)].at(place)?.segment ?? ''
  return marker === '' ? 0 : Math.max(0, [...character].length - 1)
}
const clean = (text: string): string => text.replaceAll(/[\u0001\u0002]/g, '')

describe('any text', () => {
  it('is unchanged without the tags, which are at the reported positions', () => {
    fc.assert(
      fc.property(fc.array(anyText, { minLength: 1, maxLength: 4 }), anyQuery, (texts, query) => {
        const wellFormed = texts.map((text) => clean(text))
        const index = new SmallIndex(wellFormed.map((t) => ({ t })))
        const hits = index.format(index.matcher(query), { ...HIGHLIGHT, ...TAGS })
        hits.forEach(({ formatted, positions }, i) => {
          const text = formatted?.['t'] as string
          expect(text.replaceAll(/[\u0001\u0002]/g, '')).toBe(wellFormed[i])
          const parts = [...text.matchAll(/\u0001([^\u0001\u0002]*)\u0002/g)].map(
            ([, part]) => part,
          )
          expect(parts).toEqual(markedParts(wellFormed[i]!, positions['t']))
          expect(text.match(/[\u0001\u0002]/g) ?? []).toHaveLength(parts.length * 2)
        })
      }),
      { numRuns: 60 },
    )
  })

  it('has tags around exactly the words of the query', () => {
    const anyWords = fc.array(fc.constantFrom('sun', 'moon', 'star', 'sky'), { maxLength: 6 })
    fc.assert(
      fc.property(anyWords, anyWords, (words, queryWords) => {
        const text = words.join(' ')
        const query = `${queryWords.join(' ')} `
        const shown = words.map((word) => (queryWords.includes(word) ? `<em>${word}</em>` : word))
        expect(formatText(text, query)).toBe(shown.join(' '))
      }),
    )
  })

  it('is cropped to a part of itself, with a marker on each cropped side', () => {
    const anyCase = [anyText, anyQuery, fc.integer({ min: 1, max: 6 })] as const
    fc.assert(
      fc.property(...anyCase, (raw, query, cropLength) => {
        const text = clean(raw)
        const index = new SmallIndex([{ t: text }])
        const request = { attributesToCrop: ['t'], cropLength, cropMarker: '\u0001' }
        const matcher = index.matcher(query)
        const [hit] = index.format(matcher, request)
        const cropped = hit!.formatted?.['t'] as string
        const [, before, inside, after] = /^(\u0001?)([^\u0001]*)(\u0001?)$/.exec(cropped)!
        if (before === '') expect(text.startsWith(inside!)).toBe(true)
        if (after === '') expect(text.endsWith(inside!)).toBe(true)
        expect(text).toContain(inside)
        const words = index.text.search.analyzer.words(inside!).length
        const most = cropLength + joinedAt(0, inside!, before!) + joinedAt(-1, inside!, after!)
        if (`${before}${after}` !== '') expect(words).toBeLessThanOrEqual(most)
        // Highlighting does not change the text that is shown.
        const marked = index.format(matcher, { ...request, ...HIGHLIGHT })[0]!.formatted
        expect(String(marked?.['t']).replaceAll(/<\/?em>/g, '')).toBe(cropped)
      }),
      { numRuns: 60 },
    )
  })

  it('is formatted in the same way with and without escapes', () => {
    const index = new SmallIndex([{ t: 'sun "flower" sun' }, { t: 'sun flower sun' }])
    const [escaped, plain] = index.format(index.matcher('flower'), HIGHLIGHT)
    expect(escaped!.formatted).toEqual({ t: 'sun "<em>flower</em>" sun' })
    expect(escaped!.positions).toEqual({ t: [{ start: 5, length: 6 }] })
    expect(plain!.positions).toEqual({ t: [{ start: 4, length: 6 }] })
  })
})
