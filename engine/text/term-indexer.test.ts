// Terms and positions of values, in examples and compared with the analyzer.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  Analyzer,
  type AnalyzerSettings,
  DEFAULT_ANALYZER_SETTINGS,
  type Token,
} from './analyzer.ts'
import { ByteClasses, GLUE, LETTER, SOFT, WORD } from './byte-classes.ts'
import { trimWhitespace, wellFormed } from './characters/index.ts'
import { ELEMENT_END } from './element-end.ts'
import { spellingOf, spellingTerm } from './spelling.ts'
import { stopTerm } from './stop-term.ts'
import { TermIndexer } from './term-indexer.ts'
import { partsOf, partTerm } from './word-parts.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

const make = (settings: Partial<AnalyzerSettings> = {}): Analyzer =>
  new Analyzer({ ...DEFAULT_ANALYZER_SETTINGS, ...settings })

/** Returns the pairs of the values of one field, as `term@position` words. */
function pairsOf(
  indexer: TermIndexer,
  values: readonly (string | Uint8Array)[],
  locales: readonly string[] | null = null,
): string[] {
  indexer.clear()
  let start = 0
  for (const value of values) {
    const bytes = typeof value === 'string' ? encoder.encode(`<${value}>`) : value
    const [from, to] = typeof value === 'string' ? [1, bytes.length - 1] : [0, bytes.length]
    start = indexer.index(bytes, from, to, start, locales) + 8
  }
  return Array.from(
    indexer.termIds.subarray(0, indexer.count),
    (id, i) => `${decoder.decode(indexer.terms.termBytes(id))}@${indexer.positions[i]}`,
  )
}

/** The reference: counts tokens of the analyzer by the documented rules. */
/** Returns the term of the spelling of a token, or null if it has none of its own. */
function spelledTerm(
  analyzer: Analyzer,
  text: string,
  { kind, lemma, start, end, script, language }: Token,
): string | null {
  const raw = wellFormed(text.slice(start, end))
  const { latin } = new ByteClasses(analyzer)
  const classOf = (char: string): number => latin[encoder.encode(char)[0] ?? 0]!
  let to = end
  while (to < text.length && classOf(text[to]!) === GLUE) to++
  const before = text.slice(0, start)
  const isDotted =
    before.endsWith('.') &&
    new ByteClasses(analyzer).dot === SOFT &&
    latin[encoder.encode(raw)[0]!] === WORD &&
    (start === 1 || (analyzer.patterns.isSeparator([...before].at(-2)!) && !before.endsWith('..')))
  const dot = isDotted ? '.' : ''
  const isGlued = to === text.length || (classOf(text[to]!) !== WORD && classOf(text[to]!) < LETTER)
  const glue = isGlued ? text.slice(end, to) : ''
  const isLatin =
    script === 'Latin' && language !== 'swe' && encoder.encode(raw).length > raw.length
  if (kind !== 'word' || (glue + dot === '' && !isLatin)) return null
  const word = trimWhitespace(lemma)
  const spelling = dot + spellingOf(raw) + glue
  const term = spellingTerm(word, spelling)
  return spelling === word || encoder.encode(term).length > 250 ? null : term
}

function pairsByTokens(
  analyzer: Analyzer,
  values: readonly string[],
  locales: readonly string[] | null = null,
): string[] {
  const pairs: string[] = []
  let start = 0
  for (const value of values) {
    if (start >= 65536) break
    let last = start
    let begun = false
    let wide = false
    for (const token of analyzer.tokenize(value, locales)) {
      if (token.kind === 'hardSeparator') wide = true
      if (token.kind === 'hardSeparator' || token.kind === 'softSeparator') continue
      if (token.lemma === '') continue
      const position: number = begun ? last + (wide ? 8 : 1) : start
      if (position >= 65536) break
      begun = true
      wide = false
      last = position
      const word = trimWhitespace(token.lemma)
      const raw = value.slice(token.start, token.end)
      const spelled = spelledTerm(analyzer, value, token)
      const isSeparator = token.kind === 'stopWord' && analyzer.patterns.isSeparator(raw)
      const term = token.kind === 'stopWord' ? stopTerm(word) : word
      if (word === '' || isSeparator || encoder.encode(term).length > 250) continue
      pairs.push(`${term}@${position}`)
      if (spelled !== null) pairs.push(`${spelled}@${position}`)
      const isPlain = encoder.encode(raw).length === raw.length
      const isLatin = isPlain || (token.script === 'Latin' && token.language !== 'swe')
      if (token.kind === 'stopWord' || !isLatin) continue
      const parts = new Set(partsOf(wellFormed(raw)).map(({ lemma }) => partTerm(lemma)))
      for (const part of parts) pairs.push(`${part}@${position}`)
    }
    start = last + 8
  }
  return pairs
}

const pairs = (
  values: string | readonly string[],
  settings: Partial<AnalyzerSettings> = {},
): string =>
  pairsOf(new TermIndexer(make(settings)), typeof values === 'string' ? [values] : values).join(' ')

describe('positions', () => {
  it('counts words, hard separators and values', () => {
    expect(pairs('red fox. big')).toBe('red@0 fox@1 big@9')
    expect(pairs(['red fox. big', 'dog'])).toBe('red@0 fox@1 big@9 dog@17')
    expect(pairs('a, b')).toBe('a@0 b@8')
    expect(pairs('a,b')).toBe('a@0 b@1')
    expect(pairs("it's 29.3°F!")).toBe('it@0 s@1 29@2 3@3 f@4')
    expect(pairs('snake_case kebab-case camelCase')).toBe(
      `snake@0 case@1 kebab@2 case@3 camelcase@4 ${partTerm('camel')}@4 ${partTerm('case')}@4`,
    )
    expect(pairs('Thé œuvre')).toBe(
      `the@0 ${spellingTerm('the', 'thé')}@0 oeuvre@1 ${spellingTerm('oeuvre', 'œuvre')}@1`,
    )
    expect(pairs('12.5')).toBe('12@0 5@1')
    expect(pairs('true')).toBe('true@0')
    expect(pairs('wow! ? ok')).toBe('wow@0 ok@8')
    expect(pairs('the cat The dog', { stopWords: ['the'] })).toBe(
      `${stopTerm('the')}@0 cat@1 ${stopTerm('the')}@2 dog@3`,
    )
    expect(pairs('quick brown fox jumps over')).toBe('quick@0 brown@1 fox@2 jumps@3 over@4')
  })

  it('ignores leading separators, and a soft one does not undo a hard one', () => {
    expect(pairs('!? a! b')).toBe('a@0 b@8')
    expect(pairs('a! - "b"')).toBe('a@0 b@8')
    expect(pairs('a.  b')).toBe('a@0 b@8')
    expect(pairs('a .b')).toBe(`a@0 b@1 ${spellingTerm('b', '.b')}@1`)
    expect(pairs('a.')).toBe('a@0')
    expect(pairs('a. ')).toBe('a@0')
  })

  it('starts the next value 8 further, also after a value without words', () => {
    expect(pairs(['', 'a', '!', 'b'])).toBe('a@8 b@24')
  })

  it('puts a wide gap at an ellipsis', () => {
    expect(pairs('north…south')).toBe('north@0 south@8')
  })

  it('counts neighbours without a separator as adjacent', () => {
    expect(pairs('abcмосква')).toBe('abc@0 москва@1')
    expect(pairs('Xенон')).toBe('x@0 енон@1')
    expect(pairs('USB-кабель 3м')).toBe('usb@0 кабель@1 3м@2')
  })

  it('counts compounds once, also before text of a script that is not scanned', () => {
    const indexer = new TermIndexer(make())
    expect(pairsOf(indexer, ['Bahnhof 北京'], ['deu'])).toEqual(['bahn@0', 'hof@1', '北京@2'])
    const cutShort = Uint8Array.of(...encoder.encode('bahnho\u0000'), 0xaf)
    expect(pairsOf(indexer, [cutShort], ['deu'])).toEqual(['bahn@0', 'ho@1', '\ufffd@2'])
  })

  it('skips empty lemmas, and counts positions of words that are too long', () => {
    expect(pairs('a \u0301 b')).toBe('a@0 b@1')
    expect(pairs('a\0b')).toBe('a@0 b@1')
    expect(pairs(`a ${'x'.repeat(250)} b`)).toBe(`a@0 ${'x'.repeat(250)}@1 b@2`)
    expect(pairs(`a ${'x'.repeat(251)} b`)).toBe('a@0 b@2')
    expect(pairs(`a ${'é'.repeat(250)} b`)).toBe(`a@0 ${'e'.repeat(250)}@1 b@2`)
    expect(pairs(`a ${'é'.repeat(251)} b`)).toBe('a@0 b@2')
    expect(pairs(`a ${'e\u0301'.repeat(200)} b`)).toBe(`a@0 ${'e'.repeat(200)}@1 b@2`)
    expect(pairs(`a ${'\u0301'.repeat(2000)} b`)).toBe('a@0 b@1')
  })

  it('trims blanks that are not separators from a term', () => {
    const kept = new TermIndexer(make({ nonSeparatorTokens: ['\u000b'] }))
    expect(pairsOf(kept, ['north\u000bsouth', '\u000bsouth \u000b west'])).toEqual([
      'north\u000bsouth@0',
      'south@8',
      'west@10',
    ])
  })

  it('gives all words behind position 65,535 this position', () => {
    const indexer = new TermIndexer(make())
    const bytes = encoder.encode('a '.repeat(70_000))
    expect(indexer.index(bytes, 0, bytes.length, 0, null)).toBe(65535)
    expect(indexer.count).toBe(70_000)
    expect(indexer.positions[65534]).toBe(65534)
    expect(new Set(indexer.positions.subarray(65535, 70_000))).toEqual(new Set([65535]))
    indexer.clear()
    const wide = encoder.encode('a! b C++')
    expect(indexer.index(wide, 0, wide.length, 65530, null)).toBe(65535)
    expect([...indexer.positions.subarray(0, indexer.count)]).toEqual([65530, 65535, 65535, 65535])
    indexer.clear()
    expect(indexer.index(wide, 0, wide.length, 70_000, null)).toBe(65535)
  })

  it('has the parts of a word, and its spelling, at its place', () => {
    const at = (place: number, ...parts: string[]): string =>
      parts.map((part) => `${partTerm(part)}@${place}`).join(' ')
    expect(pairs('new HTTPServer end')).toBe(`new@0 httpserver@1 ${at(1, 'http', 'server')} end@2`)
    expect(pairs('éBay')).toBe(`ebay@0 ${spellingTerm('ebay', 'ébay')}@0 ${at(0, 'bay')}`)
    expect(pairs('toTo')).toBe(`toto@0 ${at(0, 'to')}`)
    expect(pairs('iOS', { stopWords: ['ios'] })).toBe(`${stopTerm('ios')}@0`)
    expect(pairs('ИмяФото')).toBe('имяфото@0')
    const long = 'aB'.repeat(125)
    expect(pairs(long).startsWith(`${long.toLowerCase()}@0`)).toBe(true)
    // Some of their spellings are as long as terms may be, some longer.
    const lengths = Array.from({ length: 12 }, (_, i) => {
      const word = `${'é'.repeat(1 + (i % 2))}${'x'.repeat(116 + (i >> 1))}`
      expect(pairs(word)).toBe(pairsByTokens(make(), [word]).join(' '))
      const lemma = word.replaceAll('é', 'e')
      return Buffer.byteLength(spellingTerm(lemma, spellingOf(word)))
    })
    expect(lengths).toEqual(expect.arrayContaining([250, 252]))
  })

  it('has the dot before a word in its spelling', () => {
    const dotted = `${spellingTerm('net', '.net')}@`
    for (const text of ['.NET', 'x .net', '(.Net)', '—.net', '"/.net']) {
      expect(pairs(text), text).toContain(dotted)
    }
    for (const text of ['asp.net', '..net', '. net', 'a. net', '.-net', '.']) {
      expect(pairs(text), text).not.toContain(dotted)
    }
    expect(pairs('.C++')).toBe(`c@0 ${spellingTerm('c', '.c++')}@0`)
    expect(pairs('C++.net')).toBe(
      `c@0 ${spellingTerm('c', 'c++')}@0 net@1 ${spellingTerm('net', '.net')}@1`,
    )
    expect(pairs('.net', { nonSeparatorTokens: ['.'] })).toBe('.net@0')
  })

  it('puts the end of an element behind its last word, where there is a place', () => {
    const indexer = new TermIndexer(make())
    indexer.endElement(7)
    indexer.endElement(65_534)
    indexer.endElement(65_535)
    expect([...indexer.positions.subarray(0, indexer.count)]).toEqual([8, 65_535])
    expect(indexer.wordsFrom(2)).toBe(0)
    const end = decoder.decode(indexer.terms.termBytes(indexer.termIds[0]!))
    expect(end).toBe(ELEMENT_END)
    indexer.reset()
    indexer.endElement(0)
    expect(indexer.terms.termCount).toBe(1)
  })

  it('reads numbers and booleans from strings', () => {
    const indexer = new TermIndexer(make())
    expect(indexer.indexText('-12.5', 8, null)).toBe(9)
    expect(indexer.indexText('é'.repeat(200), 17, null)).toBe(17)
    expect([...indexer.positions.subarray(0, 3)]).toEqual([8, 9, 17])
  })
})

describe('custom separators and stop words', () => {
  const custom = {
    separatorTokens: ['|', '::', '<br>', '\u00a0', 'x'],
    nonSeparatorTokens: ['@', '-', '.'],
  }
  it('cuts at the effective separators', () => {
    const indexer = new TermIndexer(make(custom))
    const of = (text: string): string => pairsOf(indexer, [text]).join(' ')
    expect(of('blue|red')).toBe('blue@0 red@1')
    expect(of('blue@red')).toBe('blue@red@0')
    expect(of('blue::red')).toBe('blue@0 red@1')
    expect(of('blue<br>red')).toBe('blue@0 red@1')
    expect(of('blue\u00a0red')).toBe('blue@0 red@1')
    expect(of('bluexred')).toBe('blue@0 red@1')
    expect(of('blue.red')).toBe('blue.red@0')
    expect(of('blue. red')).toBe('blue@0 red@8')
    expect(of('blue, red')).toBe('blue@0 red@8')
  })

  it('finds single custom separators by scanning', () => {
    const settings = { separatorTokens: ['|', 'x', '´'], nonSeparatorTokens: ['@', '.', ' '] }
    expect(make(settings).isPlain).toBe(true)
    expect(pairs('a|b c@dxe.f. g, h ,i', settings)).toBe('a@0 b c@d@1 e.f@2 g@10 h@18 i@19')
  })

  it('ends a word at the signs of its spelling before a dot or comma of a word', () => {
    const settings = { nonSeparatorTokens: ['.', ','] }
    const signed = `c@0 ${spellingTerm('c', 'c++')}@0`
    for (const [text, expected] of [
      ['C++.', `${signed} .@1`],
      ['C++,', `${signed} ,@1`],
      ['C++.x', `${signed} .x@1`],
      ['C++. x', `${signed} x@8`],
      ['C.', 'c.@0'],
    ] as const) {
      expect(pairs(text, settings), text).toBe(expected)
    }
  })

  it('keeps signs that belong to the word itself', () => {
    const signed = `c+@0 ${spellingTerm('c+', 'c+#')}@0`
    expect(pairs('C+#', { nonSeparatorTokens: ['+'] })).toBe(signed)
    expect(pairs('C+#', { dictionary: ['C+'] })).toBe(signed)
  })

  it('accepts a separator as a stop word', () => {
    expect(pairs('a&b', { stopWords: ['&'] })).toBe('a@0 b@2')
    expect(pairs('a. b', { stopWords: ['. '] })).toBe('a@0 b@2')
    expect(pairs('a.b', { stopWords: ['.'] })).toBe('a@0 b@2')
  })
})

describe('the two ways', () => {
  const pieces = fc.oneof(
    { weight: 6, arbitrary: fc.stringMatching(/^[A-Za-z0-9]{1,12}$/) },
    {
      weight: 6,
      arbitrary: fc.constantFrom(
        ' ',
        ' ',
        '. ',
        ', ',
        '.',
        ',',
        '!',
        '?',
        '-',
        "'",
        '"',
        '_',
        '  ',
      ),
    },
    {
      weight: 4,
      arbitrary: fc.constantFrom(
        'é',
        'É',
        'œ',
        'Æ',
        'ﬁ',
        'ß',
        'Ł',
        'đ',
        'ı',
        'İ',
        'e\u0301',
        '\u0301',
        '’',
        '“',
        '…',
        '—',
        '\u00a0',
        '\u200b',
        '\u200c',
        '\u2003',
        '\u3000',
        '°',
        '½',
        '€',
        '№',
        '«',
        '»',
        '´',
        '\u2028',
        '😀',
        '👩‍🚀',
        '🇫🇷',
        '𝒜',
        '𐄀',
        'Ⓐ',
        '‼',
        '﹖',
        '︰',
        '\0',
        '\u0001',
        '\u000b',
        '\u0085',
        '\ufeff',
        'Λόγος',
        'ΣΑΣ',
        'ς',
        'ας\u0301',
        'Москва',
        'Й',
        'თბილისი',
        'שָׁלוֹם',
        'भारत',
        'Երևան',
        '՞',
        '東京',
        '中国',
        '共産党',
        'だ',
        'カタカナ',
        '한국어',
        'ＡＢＣ',
        'ไทย',
        'ខ្មែរ',
        'الكتاب',
        'كتاب',
        '۱۲',
        'ລາວ',
        '។ល។',
      ),
    },
    {
      weight: 1,
      arbitrary: fc.constantFrom('Bahn', 'hof', 'Hauptbahnhof', 'straßen', 'Schulbücher'),
    },
    { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 6 }) },
    { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 6 }) },
    { weight: 1, arbitrary: fc.constantFrom('C++', 'C#', 'a+b', '++', '#', 'é#', 'F#)') },
    { weight: 1, arbitrary: fc.constantFrom('x'.repeat(251), 'É'.repeat(130), 'the', 'The', 'à') },
  )
  const texts = fc.array(pieces, { maxLength: 14 }).map((parts) => parts.join(''))
  const settings: readonly Partial<AnalyzerSettings>[] = [
    {},
    { stopWords: ['the', 'à', 'a', '&', '.', ' ', 'ς', '東京', '', 'Bahn', 'bücher'] },
    { separatorTokens: ['|', 'x', 'é', '\u00a0', '€'], nonSeparatorTokens: ['.', '-', '…', '+'] },
    { separatorTokens: ['ab', '😀'], nonSeparatorTokens: ['. ', ', '] },
    { nonSeparatorTokens: ['. ', ', ', ',', ' '] },
    { dictionary: ['a.b', 'é', 'C++', 'a+', '東京都', '12 3'] },
  ]
  const locales = [null, [], ['eng'], ['swe'], ['deu'], ['jpn'], ['zho', 'eng'], ['ara'], ['pes']]

  it.each(settings)('agree with the tokens: %o', (changes) => {
    const analyzer = make(changes)
    const indexer = new TermIndexer(analyzer)
    fc.assert(
      fc.property(
        fc.array(texts, { maxLength: 3 }),
        fc.constantFrom(...locales),
        (values, allowed) => {
          expect(pairsOf(indexer, values, allowed)).toEqual(
            pairsByTokens(analyzer, values, allowed),
          )
        },
      ),
      { numRuns: 400 },
    )
  })

  it('put the signs around a compound into the spellings of its first and last part', () => {
    expect(pairsOf(new TermIndexer(make()), ['.BahnhofC++'], ['deu'])).toEqual([
      'bahn@0',
      `${spellingTerm('bahn', '.bahn')}@0`,
      'hof@1',
      'c@2',
      `${spellingTerm('c', 'c++')}@2`,
    ])
  })

  it('keep German words and the words of other fields apart', () => {
    const indexer = new TermIndexer(make({ stopWords: ['bahn'] }))
    for (let i = 0; i < 2; i++) {
      expect(pairsOf(indexer, ['Hauptbahnhof am Straßenende'], ['deu'])).toEqual([
        'haupt@0',
        `${stopTerm('bahn')}@1`,
        'hof@2',
        'am@3',
        'strassenende@4',
        `${spellingTerm('strassenende', 'straßenende')}@4`,
      ])
      expect(pairsOf(indexer, ['Hauptbahnhof'], null)).toEqual(['hauptbahnhof@0'])
      indexer.reset()
    }
  })

  it('leave no term without a pair', () => {
    fc.assert(
      fc.property(texts, (value) => {
        const indexer = new TermIndexer(make())
        pairsOf(indexer, [value])
        const used = new Set(indexer.termIds.subarray(0, indexer.count))
        expect(used.size).toBe(indexer.terms.termCount)
      }),
      { numRuns: 400 },
    )
  })

  it('read any bytes as UTF-8 with replacements', () => {
    const analyzer = make()
    const indexer = new TermIndexer(analyzer)
    fc.assert(
      fc.property(
        fc.array(
          fc.oneof(
            fc.uint8Array({ maxLength: 4 }),
            fc.constantFrom(' a', 'é', '…', '東', '😀').map((text) => encoder.encode(text)),
          ),
          { maxLength: 8 },
        ),
        (parts) => {
          const bytes = Uint8Array.from(parts.flatMap((part) => [...part]))
          expect(pairsOf(indexer, [bytes])).toEqual(
            pairsByTokens(analyzer, [decoder.decode(bytes)]),
          )
        },
      ),
      { numRuns: 1000 },
    )
  })
})

describe('reset', () => {
  it('drops terms and keeps stop words', () => {
    const indexer = new TermIndexer(make({ stopWords: ['stopper'] }))
    expect(pairsOf(indexer, ['one stopper two'])).toEqual([
      'one@0',
      `${stopTerm('stopper')}@1`,
      'two@2',
    ])
    indexer.reset()
    expect(indexer.terms.termCount).toBe(0)
    expect(pairsOf(indexer, ['two Stopper'])).toEqual(['two@0', `${stopTerm('stopper')}@1`])
    expect(indexer.terms.termCount).toBe(2)
  })
})
