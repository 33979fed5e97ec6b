// Stems of known pairs of words in each language, and the keys of words.
import { describe, expect, test } from 'vitest'
import { Analyzer, DEFAULT_ANALYZER_SETTINGS } from './analyzer.ts'
import { STEMMED_LANGUAGES } from './stemming/index.ts'
import { Stemming, type StemOptions, stemOf, stemTerm } from './stems.ts'
import { TermIndexer } from './term-indexer.ts'

/** Words as written, each line of one stem and of no stem of another line. */
const FORMS: { readonly [language: string]: readonly string[] } = {
  eng: [
    'run runs running',
    'collect collection collected',
    'die dying dies',
    'generous generously',
  ],
  deu: ['Haus Häuser Häusern Hauses', 'Kind Kinder Kindern', 'wichtig wichtige wichtigen'],
  fra: ['continuer continué continuait', 'cheval', 'majestueux majestueuse majestueusement'],
  spa: ['canción canciones', 'cheques cheque', 'rápido rápida rápidos'],
  ita: ['abbandonare abbandonato abbandonava', 'libro libri', 'casa case'],
  por: ['quilo quilos', 'menino meninos menina', 'canção'],
  nld: ['boek boeken', 'lichamelijk lichamelijke', 'kat katten'],
  swe: ['klokast klokaste', 'jakten jakter', 'häst hästar hästen'],
  dan: ['indtage indtager', 'hund hunden hunde'],
  nob: ['havn havner havnen', 'hund hunden'],
  fin: ['talo talossa talot', 'edeltäjä edeltäjän'],
  hun: ['alma almák almát', 'ház házak'],
  ron: ['abatere abaterea', 'copil copilul'],
  rus: ['книга книги книгами', 'важный важная важного'],
  tur: ['ev evler evlerde', 'kitap kitaplar'],
  ara: ['كتاب الكتاب'],
  ell: ['άνθρωπος άνθρωποι'],
  ind: ['baca membaca dibaca'],
}

const tagged = (stemming: Stemming, word: string): string => stemming.keysOf(word).join()

describe('stems', () => {
  test.each(Object.entries(FORMS))('of %s are those of all forms of a word', (language, lines) => {
    const stemming = new Stemming([language], {})
    const sets = lines.map((line) => {
      const [first, ...forms] = line.split(' ')
      const shared = new Set(stemming.keysOf(first!))
      expect(shared.size).toBeGreaterThan(0)
      for (const form of forms) expect([form, stemming.hasKey(form, shared)]).toEqual([form, true])
      return shared
    })
    for (const [i, keys] of sets.entries()) {
      for (const line of lines.slice(i + 1)) {
        for (const form of line.split(' ')) expect(stemming.hasKey(form, keys)).toBe(false)
      }
    }
  })

  test.each(STEMMED_LANGUAGES)('of %s are loaded', (language) => {
    expect(tagged(new Stemming([language], {}), 'mania')).toMatch(new RegExp(`^${language}man`))
  })

  test('are those of each language, and of words of letters only', () => {
    const stemming = new Stemming(['eng', 'jpn', 'deu'], {})
    expect(stemming.keysOf('Kinder')).toEqual(['engkinder', 'deukind'])
    expect(stemming.keysOf('Kinder', ['deu'])).toEqual(['deukind'])
    for (const word of ['x', 'b2b', '15', '']) expect(stemming.keysOf(word)).toEqual([])
  })

  test('with and without marks are both keys', () => {
    const stemming = new Stemming(['spa'], {})
    const keys = stemming.keysOf('corrían')
    expect(keys).toEqual(['spacorr', 'spacorri'])
    expect(stemming.hasKey('corriendo', new Set(keys))).toBe(true)
    expect(stemming.hasKey('corrian', new Set(keys))).toBe(true)
  })

  test.each<[StemOptions, string, string]>([
    [{}, 'news', 'engnews'],
    [{}, 'Engines', 'engengin'],
    [{ exceptions: ['ENGINES'] }, 'Engines', 'engengines'],
    [{ dictionary: { Ran: 'running' } }, 'RAN', 'engrun'],
    [{ dictionary: { ran: 'run' }, exceptions: ['ran'] }, 'ran', 'engran'],
    [{ dictionary: { cafés: 'tea' } }, 'cafes', 'engtea'],
  ])('with %j: %s has %s', (options, word, key) => {
    expect(tagged(new Stemming(['eng'], options), word)).toBe(key)
  })
})

describe('an index', () => {
  const indexed = (text: string, stemming: Stemming | null, locales = ['eng']): string[] => {
    const indexer = new TermIndexer(new Analyzer(DEFAULT_ANALYZER_SETTINGS))
    const bytes = Buffer.from(text)
    indexer.index(bytes, 0, bytes.length, 0, locales, stemming)
    return Array.from(indexer.termIds.subarray(0, indexer.count), (id, i) => {
      const term = Buffer.from(indexer.terms.termBytes(id)).toString()
      return `${indexer.positions[i]} ${term}`
    })
  }
  const english = new Stemming(['eng'], {})

  test('has stems at the positions of words that differ from them', () => {
    expect(indexed('cats run, running', english)).toEqual([
      '0 cats',
      `0 ${stemTerm('engcat')}`,
      '1 run',
      '9 running',
      `9 ${stemTerm('engrun')}`,
    ])
    expect(indexed('cats', null)).toEqual(['0 cats'])
  })

  test('has them for words of any script and for parts of compounds', () => {
    expect(indexed('книги', new Stemming(['rus'], {}), ['rus'])).toContain(
      `0 ${stemTerm('rusкниг')}`,
    )
    const german = indexed('Kindergärten', new Stemming(['deu'], {}), ['deu'])
    expect(german).toContain(`1 ${stemTerm('deugart')}`)
  })

  test('keeps fields with and without stems, and with other stems, apart', () => {
    const indexer = new TermIndexer(new Analyzer(DEFAULT_ANALYZER_SETTINGS))
    const bytes = Buffer.from('cats')
    const counts = [null, english, new Stemming(['eng'], { exceptions: ['cats'] }), null, english]
    const pairs = counts.map((stemming) => {
      const before = indexer.count
      indexer.index(bytes, 0, bytes.length, 0, ['eng'], stemming)
      return [indexer.count - before, indexer.wordsFrom(before)]
    })
    expect(pairs).toEqual([
      [1, 1],
      [2, 1],
      [1, 1],
      [1, 1],
      [2, 1],
    ])
  })

  test('stores the stem of a word that equals its normal form unless it is its own stem', () => {
    const stemming = new Stemming(['eng'], { dictionary: { done: 'do', do: 'make' } })
    expect(stemming.storedKeysOf('done', 'done').map(stemOf)).toEqual(['do'])
    expect(stemming.storedKeysOf('do', 'do').map(stemOf)).toEqual(['make'])
    expect(stemming.storedKeysOf('make', 'make').map(stemOf)).toEqual([])
  })
})
