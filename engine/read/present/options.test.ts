// Names and languages of formatted fields, and texts that are long, dense, or cut by dictionaries.
import { describe, expect, it } from 'vitest'
import { applyPatch, defaultSettings, type SettingsPatch } from '../../settings/index.ts'
import { FieldTree, type FieldTreeSource, LEFT_OUT, PARTLY } from './field-tree.ts'
import { FormatOptions, type FormatRequest } from './format-options.ts'
import { otherForms } from './other-forms.ts'
import { Selection } from './selection.ts'
import { formatText, SmallIndex } from './test-support.ts'

const REQUEST: FormatRequest = {
  attributesToHighlight: null,
  attributesToCrop: null,
  cropLength: 9,
  cropMarker: '',
  highlightPreTag: '',
  highlightPostTag: '',
  locales: null,
}
const optionsOf = (
  attributesToHighlight: readonly string[] | null,
  attributesToCrop: readonly string[] | null = null,
  displayed = ['a', 'a.b', 'a.b.c', 'ab', 'd.e'],
) => new FormatOptions({ ...REQUEST, attributesToHighlight, attributesToCrop }, displayed)

describe('the format of a text', () => {
  const of = (options: FormatOptions, ...names: string[]) =>
    names.map((name) => {
      const { cropWords, highlight } = options.textFormat(name)
      return `${highlight ? 'h' : '-'}${cropWords}`
    })

  it('is that of its name, of names around it and inside of it', () => {
    const inner = optionsOf(['a.b'])
    expect([...inner.names]).toEqual(['a.b'])
    const found = of(inner, 'a', 'a.b', 'a.b.c', 'a.x', 'ab', 'd')
    expect(found).toEqual(['h0', 'h0', 'h0', '-0', '-0', '-0'])
    expect(of(optionsOf(['.a'], null, ['.a']), '', '.a', 'a')).toEqual(['h0', 'h0', '-0'])
    expect(of(optionsOf(['d.e']), 'd', 'd.e', 'd.x', 'a')).toEqual(['h0', 'h0', '-0', '-0'])
    expect(of(optionsOf(['lacking']), 'lacking', 'a')).toEqual(['-0', '-0'])
    expect(optionsOf(['lacking']).names.size).toBe(0)
  })

  it.each<[readonly string[], readonly string[]]>([
    [['a:3'], ['-3', '-3', '-3', '-0']],
    [['a.b:3'], ['-3', '-3', '-3', '-0']],
    // The first displayed name decides.
    [
      ['a.b:3', 'a:4'],
      ['-4', '-4', '-4', '-0'],
    ],
    [
      ['a.b.c:3', 'a.b:4'],
      ['-4', '-4', '-4', '-0'],
    ],
    [['ab:3'], ['-0', '-0', '-0', '-3']],
    [['*'], ['-9', '-9', '-9', '-9']],
    [
      ['*:2', 'ab:0'],
      ['-2', '-2', '-2', '-0'],
    ],
    [
      ['ab:', 'a:-1', 'a.b:1x'],
      ['-9', '-9', '-9', '-9'],
    ],
  ])('cropped by %j is %j', (crops, formats) => {
    expect(of(optionsOf(null, crops), 'a', 'a.b', 'a.b.c', 'ab')).toEqual(formats)
  })

  it('may be highlighted and cropped by different names', () => {
    const both = optionsOf(['a.b'], ['a:3'])
    expect(of(both, 'a', 'a.b', 'a.x')).toEqual(['h3', 'h3', '-3'])
    expect([...both.names]).toEqual(['a', 'a.b'])
  })
})

describe('a tree of names', () => {
  const treeOf = (patch: SettingsPatch, more: Partial<FieldTreeSource> = {}) =>
    new FieldTree({
      fieldNames: ['a', 'b'],
      chosen: null,
      options: optionsOf(null),
      settings: applyPatch(defaultSettings(), patch).settings,
      locales: null,
      ...more,
    })
  const localized = [{ attributePatterns: ['a*'], locales: ['jpn'] }]

  it('shows chosen names, and parts of those around them', () => {
    const tree = treeOf({}, { chosen: new Set(['a.b.c']) })
    const top = tree.field(0)
    expect(tree.field(0)).toBe(top)
    const below = (...path: string[]) =>
      path.reduce((node, key) => node.child(Buffer.from(`-${key}`), 1, key.length + 1), top)
    const shown = [
      top,
      below('b'),
      below('b', 'c'),
      below('b', 'c', 'd'),
      below('x'),
      tree.field(1),
    ]
    expect(shown.map((node) => node.shown)).toEqual([PARTLY, PARTLY, 1, 1, LEFT_OUT, LEFT_OUT])
    expect(below('b', 'c').name).toBe('a.b.c')
    expect(below('b')).toBe(below('b'))
    expect(treeOf({}).field(1).shown).toBe(1)
  })

  it.each<[SettingsPatch, readonly string[] | null, (readonly string[] | null)[]]>([
    [{}, null, [null, null]],
    [{ localizedAttributes: localized }, null, [['jpn'], null]],
    [{ localizedAttributes: localized }, ['deu'], [['deu'], ['deu']]],
    [{ localizedAttributes: localized }, [], [null, null]],
  ])('with the settings %j and the request %j has the languages %j', (patch, locales, all) => {
    const tree = treeOf(patch, { locales })
    expect([0, 1].map((field) => tree.field(field).locales)).toEqual(all)
  })

  it('has the stems and the texts inside of words of the settings', () => {
    const stems = [{ attributePatterns: ['a'], locales: ['eng'], stemming: true }]
    const tree = treeOf({ localizedAttributes: stems, infixSearch: { attributes: ['b'] } })
    expect([0, 1].map((field) => tree.field(field).stemming !== null)).toEqual([true, false])
    expect([0, 1].map((field) => tree.field(field).isInfixSearched)).toEqual([false, true])
  })
})

it('a selection takes the fields of its names and of names around them', () => {
  const selection = new Selection(['a', 'b.c'], ['a', 'b', 'c', 'b.d'])
  expect([0, 1, 2, 3, 9].map((field) => selection.takes(field))).toEqual([
    true,
    true,
    false,
    false,
    false,
  ])
  expect([selection.has('b'), selection.has('b.c')]).toEqual([false, true])
})

it('without a query no word has another form', () => {
  expect(otherForms(null)(1)).toEqual([])
})

describe('a text', () => {
  const HIGHLIGHT = { attributesToHighlight: ['*'] }

  it.each([31, 33, 100, 300])('with %i matches has them all', (count) => {
    const text = new Array(count).fill('sun').join(' ')
    expect(formatText(text, 'sun ')).toBe(text.replaceAll('sun', '<em>sun</em>'))
    const cropped = { ...HIGHLIGHT, attributesToCrop: ['t'], cropLength: count }
    expect(formatText(text, 'sun ', cropped)).toBe(text.replaceAll('sun', '<em>sun</em>'))
    expect(formatText(`${text} moon`, 'moon ', { ...cropped, cropLength: 1 })).toBe(
      '…<em>moon</em>',
    )
  })

  it.each([511, 512, 513, 700])('with a word of %i letters marks its beginning', (length) => {
    const word = `sun${'x'.repeat(length - 3)}`
    expect(formatText(`${word} sun`, 'sun')).toBe(`<em>sun</em>${word.slice(3)} <em>sun</em>`)
    expect(formatText(`日本 ${word} sun`, 'sun')).toBe(
      `日本 <em>sun</em>${word.slice(3)} <em>sun</em>`,
    )
  })

  // Text in some languages, and with signs of others, is tokenized instead of scanned.
  it.each([[null], [[]], [['deu']], [['swe']], [['eng']], [['jpn']]])(
    'in the languages %j has the same matches',
    (locales) => {
      const request = { ...HIGHLIGHT, locales }
      expect(formatText('Der "Sun" flower, sunny', 'sun', request)).toBe(
        'Der "<em>Sun</em>" flower, <em>sun</em>ny',
      )
      const cropped = { attributesToCrop: ['t'], cropLength: 2, locales }
      expect(formatText('one two. Sun three four', 'sun', cropped)).toBe('…Sun three…')
      expect(formatText('one two. three four', 'zebra', cropped)).toBe('one two…')
      expect(formatText('one', 'zebra', cropped)).toBe('one')
    },
  )

  it.each([
    [1, '東…'],
    [2, '東京都…'],
    [60, '東京都に住む人々 and others'],
  ])('without spaces and matches is cropped to %i words: %s', (cropLength, shown) => {
    const request = { attributesToCrop: ['t'], cropLength }
    const found = formatText('東京都に住む人々 and others', 'zebra', request)
    expect(found).toBe(shown)
  })

  it('of a field with other languages is marked by the same words', () => {
    const localizedAttributes = [{ attributePatterns: ['t'], locales: ['swe'] }]
    const settings = { localizedAttributes }
    const index = new SmallIndex([{ t: 'öl sun', u: 'öl sun' }], settings)
    expect(index.format(index.matcher('sun '), HIGHLIGHT)[0]!.formatted).toEqual({
      t: 'öl <em>sun</em>',
      u: 'öl <em>sun</em>',
    })
  })
})
