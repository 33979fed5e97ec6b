// Any bytes, read as UTF-8 and as UTF-16 units (including lone surrogates), give tokens without
// gaps and increasing positions, under any settings; never an error. The two ways of indexing
// agree.

import type { AnalyzerSettings } from '../engine/text/analyzer.ts'
import {
  Analyzer,
  DEFAULT_ANALYZER_SETTINGS,
  normalizeExemptWord,
  normalizeFacet,
  normalizeStopWord,
  normalizeWhole,
  originalPrefix,
  POSITIONS_MAX,
  sortedTermIds,
  TermIndexer,
} from '../engine/text/index.ts'
import { assert } from '../format/errors.ts'
import type { FuzzTarget } from './target.ts'

const SETTINGS: readonly Partial<AnalyzerSettings>[] = [
  {},
  { stopWords: ['the', 'é', ' ', '. ', ''] },
  { separatorTokens: ['x', 'é', '€'], nonSeparatorTokens: ['.', ' '] },
  { dictionary: ['a.b', '東京', '\ud800'], separatorTokens: ['<br>', '\udc00'] },
]
const LOCALES = [null, ['swe'], ['zho', 'eng'], ['pes'], [], ['deu']]

export const target: FuzzTarget = {
  name: 'text',
  seeds: () =>
    [
      'The quick, brown fox. Jumps! over 12.3 dogs_and "cats"',
      'Hauptbahnhof Straßenbah Lebensmittelgeschäfte 中华人民共和国人权 日本共産党は',
      'Crème brûlée ﬁne 20°C …—’ Ω ΣΑΣ москва́ Й',
      '我们在北京大学 東京に行く 한국어 ไทย ភាសា الكتاب שָׁלוֹם',
      '👩‍🚀\u0000\u0001\u200b\u00a0e\u0301\u{10100}𝒜 Երևան ＡＢＣ',
    ].map((text, i) => Uint8Array.of(i * 20, ...new TextEncoder().encode(text))),
  run,
  allows: () => false,
  inputBytesMax: 1024,
}

function run(input: Uint8Array): void {
  const choice = input[0] ?? 0
  const analyzer = new Analyzer({
    ...DEFAULT_ANALYZER_SETTINGS,
    ...SETTINGS[choice % SETTINGS.length],
  })
  const locales = LOCALES[(choice >> 2) % LOCALES.length]!
  const bytes = input.subarray(1)
  checkText(analyzer, new TextDecoder().decode(bytes), locales)
  checkText(analyzer, unitsOf(bytes), locales)
  checkIndexing(analyzer, bytes, locales)
}

function unitsOf(bytes: Uint8Array): string {
  let text = ''
  for (let i = 0; i + 1 < bytes.length; i += 2) {
    text += String.fromCharCode((bytes[i]! << 8) | bytes[i + 1]!)
  }
  return text
}

function checkText(analyzer: Analyzer, text: string, locales: readonly string[] | null): void {
  let [unit, byte] = [0, 0]
  for (const token of analyzer.tokenize(text, locales, { charMaps: true })) {
    assert(token.start === unit && token.end > unit, 'tokens are not empty and join without gaps')
    assert(token.byteStart === byte && token.byteEnd > byte, 'bytes join without gaps')
    const prefix = originalPrefix(token, 1 + (unit % 5))
    assert(prefix.bytes <= token.byteEnd - token.byteStart, 'a prefix lies inside its token')
    unit = token.end
    byte = token.byteEnd
  }
  assert(unit === text.length, 'tokens reach the end')
  assert(byte === new TextEncoder().encode(text).length, 'bytes reach the end')
  analyzer.words(text)
  normalizeExemptWord(text)
  normalizeStopWord(text)
  normalizeWhole(text, locales)
  normalizeFacet(text)
}

function checkIndexing(
  analyzer: Analyzer,
  bytes: Uint8Array,
  locales: readonly string[] | null,
): void {
  const indexer = new TermIndexer(analyzer)
  const start = bytes.length % 7 === 0 ? POSITIONS_MAX - 5 : bytes.length
  const last = indexer.index(bytes, 0, bytes.length, start, locales)
  let before = Math.min(start, POSITIONS_MAX - 1)
  for (let i = 0; i < indexer.count; i++) {
    assert(indexer.positions[i]! >= before, 'positions do not fall')
    before = indexer.positions[i]!
    assert(indexer.termIds[i]! < indexer.terms.termCount, 'ids are those of terms')
  }
  assert(before <= last || indexer.count === 0, 'the last position is returned')
  assert(last < POSITIONS_MAX, 'each position has a place')
  const other = new TermIndexer(analyzer)
  other.indexText(new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes), start, locales)
  assert(other.count === indexer.count, 'text and bytes give as many pairs')
  assert(sortedTermIds(indexer.terms).length === indexer.terms.termCount, 'all terms are sorted')
}
