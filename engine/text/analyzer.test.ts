// The analyzer: separators, scripts, dictionaries and stop words, in examples and in generated
// texts.
import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import {
  Analyzer,
  type AnalyzerSettings,
  DEFAULT_ANALYZER_SETTINGS,
  normalizeExemptWord,
  normalizeStopWord,
  normalizeWhole,
  originalPrefix,
  type Token,
} from './analyzer.ts'
import { hasControls } from './normalize.ts'

const make = (settings: Partial<AnalyzerSettings> = {}): Analyzer =>
  new Analyzer({ ...DEFAULT_ANALYZER_SETTINGS, ...settings })

const plain = make()

/** Shows the lemmas, with `·` for a soft separator, `‖` for a hard one, `∅` for a stop word. */
function show(text: string, locales: readonly string[] | null = null, analyzer = plain): string {
  const signs = { word: '', stopWord: '∅', softSeparator: '·', hardSeparator: '‖' }
  return analyzer
    .tokenize(text, locales)
    .map((t) => (t.kind.endsWith('Separator') ? signs[t.kind] : `${signs[t.kind]}${t.lemma}`))
    .join(' ')
}

const lemma = (text: string, locales: readonly string[] | null = null): string =>
  plain
    .tokenize(text, locales)
    .map((token) => token.lemma)
    .join('|')

describe('separators', () => {
  it('are matched leftmost and longest', () => {
    expect(show('a.  b')).toBe('a ‖ · b')
    expect(show('north. south, east.west')).toBe('north ‖ south ‖ east · west')
    expect(show('-12 1,000 12.3')).toBe('· 12 · 1 · 000 · 12 · 3')
  })

  it('are soft or hard', () => {
    const soft = ' .,-:_/\\\'"(@#&*+%`\n\t—·«\u3000\u2002'
    const hard = '!?;¿¡。、،؟।'
    for (const char of soft) expect(show(`9${char}9`), char).toBe('9 · 9')
    for (const char of hard) expect(show(`9${char}9`), char).toBe('9 ‖ 9')
    expect(show('ok។ល។ok')).toBe('ok ‖ ok')
  })

  it('are all blanks, signs beside words and apostrophes', () => {
    const blanks = '\u000b\u000c\u0085\u00a0\u2000\u2028\u202f\u205f'
    const signs = '$<=>^|~€£¥°±¬®™©→↔∑√■●\u2011＄＋＜～´`'
    for (const char of blanks + signs) expect(show(`9${char}9`), char).toBe('9 · 9')
    expect(show('don´t don’t donʼt')).toBe('don · t · don · t · don · t')
    expect(show('zero\u200cjoin')).toBe('zero · join')
    expect(show('2\u00a03 \u00a0 4')).toBe('2 · 3 · · · 4')
  })

  it('are not invisible characters', () => {
    for (const char of '\u00ad\u034f\u061c\u180e\u200b\u200d\u200e\u202e\u2060\u2068\ufe0f\ufeff\u{e0041}') {
      for (const text of [`${char}win`, `wi${char}n`, `win${char}`]) {
        expect(show(text), JSON.stringify(text)).toBe('win')
      }
    }
    expect(show('окно\ufeff \u200eокно')).toBe('окно · окно')
  })

  it('are recognized by their normal form', () => {
    expect(show('north…south')).toBe('north ‖ south')
    expect(show('9‼9')).toBe('9 ‖ 9')
    expect(show('9﹖9')).toBe('9 ‖ 9')
    expect(show('＂quoted！＂')).toBe('· quoted ‖ ·')
    expect(plain.tokenize('＂', null)[0]!.lemma).toBe('"')
    expect(plain.tokenize('a\0b', null).map((t) => [t.kind, t.lemma])).toEqual([
      ['word', 'a'],
      ['word', ''],
      ['word', 'b'],
    ])
  })

  it('are recognized above the first plane', () => {
    expect(show('9\u{10100}9\u{1056f}9\u{10a50}9')).toBe('9 · 9 · 9 ‖ 9')
    expect(show('9\u{10100}9', null, make({ nonSeparatorTokens: ['\u{10100}'] }))).toBe(
      '9\u{10100}9',
    )
  })

  it('follow the settings', () => {
    const analyzer = make({
      separatorTokens: ['|', '::', '&', '', '\ud800'],
      nonSeparatorTokens: ['&', '.'],
    })
    expect(show('a|b::c&d.e. f', null, analyzer)).toBe('a · b · c&d.e ‖ f')
    expect(show('a:b', null, analyzer)).toBe('a · b')
    expect(show('\u{1f600}', null, analyzer)).toBe('\u{1f600}')
    expect(show('ʿali qurʾan a⁄b ฿5 c˚d ❝e❞ 〒1')).toBe(
      '· ali · qur · an · a · b · · 5 · c · d · · e · · · 1',
    )
    expect(show('a!b´c', null, make({ separatorTokens: ['!', '´'] }))).toBe('a ‖ b · c')
  })
})

describe('dictionary', () => {
  const analyzer = make({
    dictionary: ['J. R. R.', 'C++', 'new york', 'ice-cream', 'a.b', '红楼梦'],
  })
  it('matches its words in the text as written', () => {
    expect(show('J. R. R. Tolkien', null, analyzer)).toBe('j. r. r. · tolkien')
    expect(show('j. r. r.', null, analyzer)).toBe('j ‖ r ‖ r ·')
    expect(show('C++ c++', null, analyzer)).toBe('c++ · c · ·')
    expect(show('new yorker New York', null, analyzer)).toBe('new york er · new · york')
    expect(show('xa.bx', null, analyzer)).toBe('x a.b x')
    expect(lemma('《红楼梦》')).not.toBe('')
    expect(analyzer.tokenize('我的红楼梦', null).map((t) => t.end)).toContain(5)
    expect(analyzer.tokenize('红楼梦的', null)[0]!.end).toBe(3)
  })
  it('can hold separators and stop words', () => {
    const both = make({ dictionary: ['-', '--', 'x'], stopWords: ['x'] })
    expect(show('a-b--c', null, both)).toBe('a · b -- c')
    expect(show('axb', null, both)).toBe('a ∅x b')
  })
})

describe('normal forms', () => {
  it('of Latin words', () => {
    expect(lemma('Ŵôřlḑôle')).toBe('worldole')
    expect(lemma('Crème brûlée')).toBe('creme| |brulee')
    expect(lemma('Þórður Ægisson Œdipe')).toBe('thordur| |aegisson| |oedipe')
    expect(lemma('ﬁne ﬂour oﬃce')).toBe('fine| |flour| |office')
    expect(lemma('STRAẞE Straße Łódź Øre Ħamrun')).toBe('strasse| |strasse| |lodz| |ore| |hamrun')
    expect(lemma('Đorđe ð')).toBe('dorde| |d')
    expect(lemma('ISPARTA Iğdır İstanbul')).toBe('isparta| |igdir| |istanbul')
    expect(lemma('Ĳssel ŉ ſhort №5 ½x ²x')).toBe('ijssel| |n| |short| |no5| |1⁄2x| |2x')
    expect(lemma('⒈x ⑴ 5㏂ ℅ coŀlega ﷻ')).toBe('1x| |1| |5am| |co| |collega| |جلجلاله')
    expect(lemma('Ɓaƙi əliyev Eʋe Ittoĸĸor ꝛ')).toBe('baki| |eliyev| |eve| |ittoqqor| |ꝛ')
    expect(lemma('20℃ ㎆ 𝐍𝐞𝐰 Ⅳ')).toBe('20c| |mb| |new| |iv')
    expect(lemma('Tiếng Việt đường')).toBe('tieng| |viet| |duong')
    expect(lemma('cafe\u0301')).toBe('cafe')
    expect(lemma('tea\u200bcup\u0001')).toBe('teacup')
  })

  it('of other scripts', () => {
    expect(lemma('Мой ЙОД')).toBe('мои\u0306| |и\u0306од')
    expect(lemma('ΛΌΓΟΣ λόγος ς ας\u0301')).toBe('λογοσ| |λογοσ| |σ| |ας')
    expect(lemma('ᲗᲑᲘᲚᲘᲡᲘ')).toBe('თბილისი')
    expect(lemma('ёлка за\u0301мок Ї')).toBe('елка| |замок| |і')
    expect(lemma('ა ᲗᲑᲘ')).toBe('ა| |თბი')
    expect(lemma('ԵՐԵՎԱՆ և')).toBe('երեվան| |եւ')
    expect(lemma('שָׁלוֹם')).toBe('שלום')
    expect(lemma('हिन्दी')).toBe('हिन्दी')
    expect(lemma('مدرسة موسيقى أسلم كـــتاب كِتَاب')).toBe('مدرسه| |موسيقي| |اسلم| |كتاب| |كتاب')
    expect(lemma('ปี')).toBe('ป')
    expect(lemma('한')).toBe('\u1112\u1161\u11ab')
    expect(lemma('ＡＢＣ')).toBe('abc')
    expect(lemma('Ⓐ')).toBe('a')
    expect(lemma('Ⓐb')).toBe('ab')
    expect(lemma('龍', ['zho'])).toBe(lemma('龙', ['zho']))
    expect(lemma('雲')).not.toBe(lemma('云'))
    expect(lemma('龍', ['jpn'])).toBe('龍')
    expect(lemma('カタカナ', ['jpn'])).toBe('かたかな')
    expect(lemma('ガ', ['jpn'])).toBe('か\u3099')
    expect(lemma('カ', ['eng'])).toBe('カ')
  })

  it('of Swedish keep its letters', () => {
    expect(lemma('Smörgås Åre ängel', ['swe'])).toBe('smörgås| |åre| |ängel')
    expect(lemma('Smo\u0308rga\u030as Ång', ['swe'])).toBe('smörgås| |ång')
    expect(lemma('Müller ǻ é', ['swe'])).toBe('muller| |å| |e')
    expect(lemma('Smörgås')).toBe('smorgas')
  })

  it('of Persian unify letters', () => {
    expect(lemma('كي ۱۲', ['pes'])).toBe('کی| |12')
    expect(lemma('كي ۱۲')).toBe('كي| |۱۲')
  })

  it('of Chinese variants are equal, except in text that a setting declares Japanese', () => {
    const whole = (text: string, locales?: readonly string[]): string =>
      lemma(text, locales).replaceAll('|', '')
    expect(whole('進撃', ['cmn'])).toBe('進擊')
    expect(whole('进击', ['cmn'])).toBe('進擊')
    expect(whole('進撃')).toBe('進擊')
    expect(whole('進撃', ['jpn'])).toBe('進撃')
    expect(whole('国際へ', ['jpn', 'cmn'])).toBe('国際へ')
    expect(whole('国際', ['jpn', 'cmn'])).toBe('國際')
  })

  it('of variants are stable', () => {
    for (let point = 0x3400; point < 0x9fff; point++) {
      const form = normalizeWhole(String.fromCodePoint(point), ['zho'])
      expect(normalizeWhole(form, ['zho'])).toBe(form)
    }
  })

  it('hardly change when normalised again', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 12 }), (text) => {
        const once = normalizeWhole(text, ['swe'])
        expect(normalizeWhole(once, ['swe']).length).toBeLessThanOrEqual(once.length)
      }),
    )
  })
})

describe('segmenters', () => {
  it('split the article off Arabic words', () => {
    expect(show('الكتاب ال أل ٱلكتاب')).toBe('ال كتاب · ال · ال · ال كتاب')
    expect(show('كتاب\u200cها')).toBe('كتاب · ها')
    expect(show('الكتاب', ['urd'])).toBe('الكتاب')
  })

  it('of the platform are called once for all pieces of a run', () => {
    const text = 'ภาษาไทย ภาษาไทย, ภาษาไทย'
    const expected = plain.tokenize(text, null).map((t) => t.end)
    const segment = vi.spyOn(Intl.Segmenter.prototype, 'segment')
    expect(plain.tokenize(text, null).map((t) => t.end)).toEqual(expected)
    expect(segment).toHaveBeenCalledTimes(1)
    segment.mockRestore()
  })

  it('find words in Chinese, Japanese, Thai and Khmer', () => {
    expect(show('我们在北京大学')).toContain('北京')
    expect(show('北京大学', ['eng'])).toBe('北京大学')
    expect(show('12345号房间').split(' ')[0]).toBe('12345')
    expect(plain.tokenize('東京に行く', null).every((t) => t.language === 'jpn')).toBe(true)
    expect(plain.tokenize('東京', null)[0]!.language).toBe('cmn')
    // One in twenty characters may be a kana in Chinese text.
    for (const [han, language] of [
      [18, 'jpn'],
      [19, 'cmn'],
    ] as const) {
      expect(plain.tokenize(`${'国'.repeat(han)}の`, null)[0]!.language).toBe(language)
    }
    expect(plain.tokenize('東京', ['jpn', 'eng'])[0]!.language).toBe('jpn')
    expect(plain.tokenize('東京に行く', ['zho', 'eng'])[0]!.language).toBe('cmn')
    expect(show('เด็กกินข้าว').split(' ').length).toBeGreaterThan(1)
    expect(show('ខ្ញុំស្រឡាញ់ភាសា').split(' ').length).toBeGreaterThan(1)
    expect(show('ປະເທດລາວ').split(' ').length).toBeGreaterThan(1)
  })

  it('split laughter off Korean words', () => {
    const cuts = (text: string): number[] => plain.tokenize(text, null).map((t) => t.end)
    expect(cuts('진짜ㅋㅋ2회')).toEqual([2, 5, 6])
    expect(cuts('한국은 좋다!ㅠㅠ')).toEqual([3, 4, 6, 7, 9])
  })

  it('cut long runs like short ones', () => {
    for (const text of ['こんにちは世界', 'เด็กกินข้าว', 'ខ្ញុំស្រឡាញ់ភាសា']) {
      const whole = text.repeat(3000)
      const tokens = plain.tokenize(whole, null)
      const words = new Set(tokens.map(({ start, end }) => whole.slice(start, end)))
      expect(tokens.map(({ start, end }) => whole.slice(start, end)).join('')).toBe(whole)
      const some = plain.tokenize(text.repeat(9), null)
      expect([...words]).toEqual([
        ...new Set(some.map(({ start, end }) => text.repeat(9).slice(start, end))),
      ])
    }
  })

  it('leave numbers whole', () => {
    expect(show('ปี 2024')).toBe('ป · 2024')
    expect(show('年 １２')).toContain('12')
  })
})

describe('runs', () => {
  const runs = (text: string): string =>
    plain
      .tokenize(text, null)
      .map((t) => `${t.script}:${text.slice(t.start, t.end)}`)
      .join(' ')
  it('end at characters of another script', () => {
    expect(runs('abcмосква')).toBe('Latin:abc Cyrillic:москва')
    expect(runs('«мир»')).toBe('Latin:« Cyrillic:мир Latin:»')
    expect(runs('12 мир')).toBe('Cyrillic:12 Cyrillic:  Cyrillic:мир')
    expect(runs('12')).toBe('Other:12')
    expect(runs('')).toBe('')
    expect(runs('hi Երևան')).toBe('Armenian:hi Armenian:  Armenian:Երևան')
    expect(runs('hello Եր')).toBe('Latin:hello Latin:  Latin:Եր')
  })
})

describe('stop words', () => {
  it('do not depend on case', () => {
    const analyzer = make({ stopWords: ['the', 'à', 'É', 'ＴＨＥ'] })
    expect(show('the The THE à a é É', null, analyzer)).toBe(
      '∅the · ∅the · ∅the · ∅a · a · ∅e · ∅e',
    )
  })
  it('are returned as words if the option ignores them', () => {
    const analyzer = make({ stopWords: ['the', '&'] })
    const kinds = analyzer.tokenize('the&', null, { ignoreStopWords: true }).map((t) => t.kind)
    expect(kinds).toEqual(['word', 'softSeparator'])
    expect(analyzer.tokenize('the&', null).map((t) => t.kind)).toEqual(['stopWord', 'stopWord'])
  })
  it('apply to Swedish and Arabic text', () => {
    expect(show('för oss', ['swe'], make({ stopWords: ['för'] }))).toBe('∅för · oss')
    expect(show('في البيت', null, make({ stopWords: ['في'] }))).toBe('∅في · ال بيت')
    expect(show('في البيت', ['pes'], make({ stopWords: ['في'] }))).toBe('∅فی · ال بیت')
  })
  it('are stored decomposed', () => {
    expect(normalizeStopWord('É')).toBe('E\u0301')
    expect(normalizeStopWord('ＴＨＥ')).toBe('THE')
    expect(['ça', 'naïve', 'Ünit'].map(normalizeStopWord)).toEqual([
      'c\u0327a',
      'nai\u0308ve',
      'U\u0308nit',
    ])
  })
})

describe('offsets and maps', () => {
  it('have a map only where a character and its normal form differ in length', () => {
    const mapOf = (text: string) => plain.tokenize(text, null, { charMaps: true })[0]!.charMap
    expect(['Red', 'Été', 'мир'].map(mapOf)).toEqual([null, Uint8Array.of(2, 1, 1, 1, 2, 1), null])
  })

  it('join without gaps in three units', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 30 }), (text) => {
        const tokens = plain.tokenize(text, null, { charMaps: true })
        let [unit, char, byte] = [0, 0, 0]
        for (const token of tokens) {
          expect([token.start, token.charStart, token.byteStart]).toEqual([unit, char, byte])
          const raw = text.slice(token.start, token.end)
          unit = token.end
          char += [...raw].length
          byte += new TextEncoder().encode(raw).length
          expect([token.charEnd, token.byteEnd]).toEqual([char, byte])
          checkMap(token, raw)
        }
        expect(unit).toBe(text.length)
      }),
      { numRuns: 500 },
    )
  })

  function checkMap(token: Token, raw: string): void {
    const bytes = new TextEncoder().encode(token.lemma).length
    if (token.charMap === null) {
      expect(bytes).toBe(token.byteEnd - token.byteStart)
      return
    }
    expect(token.charMap.length).toBe([...raw].length * 2)
    const sum = (from: number): number =>
      token.charMap!.filter((_, i) => i % 2 === from).reduce((a, b) => a + b, 0)
    expect(sum(0)).toBe(token.byteEnd - token.byteStart)
    expect(sum(1)).toBe(bytes)
  }

  const prefix = (text: string, chars: number, locales: readonly string[] | null = null): number =>
    originalPrefix(plain.tokenize(text, locales, { charMaps: true })[0]!, chars).bytes

  it('map a prefix of the lemma back', () => {
    expect(prefix('Zürich', 3)).toBe(4)
    expect(prefix('ﬁnland', 1)).toBe(3)
    expect(prefix('ﬁnland', 2)).toBe(3)
    expect(prefix('ﬁnland', 3)).toBe(4)
    expect(prefix('cafe\u0301s', 4)).toBe(4)
    expect(prefix('cafe\u0301s', 5)).toBe(7)
    expect(prefix('zurich', 3)).toBe(3)
    expect(prefix('zurich', 30)).toBe(6)
    expect(prefix('كِتَاب', 4)).toBe(12)
    expect(prefix('كِتَاب', 99)).toBe(12)
    expect(prefix('a\u030angel', 2, ['swe'])).toBe(4)
  })

  it('stop at the maximum number of tokens', () => {
    expect(plain.tokenize('a b c d', null, { tokensMax: 3 })).toHaveLength(3)
    expect(plain.tokenize('aб'.repeat(50), null, { tokensMax: 7 })).toHaveLength(7)
  })

  it('read lone surrogates as replacement characters', () => {
    expect(plain.tokenize('a\ud800b', null).map((t) => t.lemma)).toEqual(['a\ufffdb'])
    expect(normalizeWhole('\udc00', null)).toBe('\ufffd')
  })
})

describe('whole texts', () => {
  it('become words of synonyms', () => {
    const analyzer = make({ stopWords: ['the'] })
    expect(analyzer.words('The New-York, the city')).toEqual(['new', 'york', 'city'])
    expect(analyzer.words('!!')).toEqual([])
    expect(analyzer.words('')).toEqual([])
    expect(analyzer.words('Café R&D')).toEqual(['cafe', 'r', 'd'])
  })
  it('become one token of a facet search', () => {
    expect(normalizeWhole('Cedar-Wood  Ègg', null)).toBe('cedar-wood  egg')
    expect(normalizeWhole('ÅRE', ['swe'])).toBe('åre')
    expect(normalizeWhole('ÅRE', ['swe', 'eng'])).toBe('are')
    expect(normalizeWhole('ÅRE', [])).toBe('are')
    expect(normalizeWhole('12', null)).toBe('12')
    expect(normalizeWhole('京', ['jpn'])).toBe('京')
  })
  it('are exempt from typos by their lemmas', () => {
    expect(['Kestrel', 'É', 'Boat', 'C++ x'].map(normalizeExemptWord)).toEqual([
      'kestrel',
      'e',
      'boat',
      'c++ x',
    ])
  })
})

it('control characters are those that are no space', () => {
  for (let unit = 0; unit < 0x300; unit++) {
    const char = String.fromCharCode(unit)
    const isControl = /\p{Cc}/u.test(char) && !/\p{White_Space}/u.test(char)
    expect([unit, hasControls(`a${char}b`)]).toEqual([unit, isControl])
  }
})
