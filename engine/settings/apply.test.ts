// Merging changes: defaults, members, sets, and invariants of any sequence of changes.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CorruptionError } from '../../format/errors.ts'
import { EngineFault, FEATURES, type Features } from '../model/index.ts'
import {
  applyPatch,
  decodeSettings,
  defaultSettings,
  detailsOf,
  encodeSettings,
  exportSettings,
  type IndexSettings,
  resetPatch,
  SETTING_NAMES,
  SETTINGS,
  type SettingsPatch,
  settingNamed,
  settingsShown,
  transferSettings,
} from './index.ts'
import type { TextTools } from './schema/index.ts'

const text: TextTools = {
  decompose: (word) => word.normalize('NFKD'),
  normalise: (word) => word.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase(),
}
const apply = (current: IndexSettings, patch: SettingsPatch): IndexSettings =>
  applyPatch(current, patch, text).settings

const DEFAULT_TEXT =
  '{"displayedAttributes":null,"searchableAttributes":null,"filterableAttributes":[],' +
  '"sortableAttributes":[],"foreignKeys":[],"rankingRules":["words","typo","proximity",' +
  '"attributeRank","sort","wordPosition","exactness"],"stopWords":[],"nonSeparatorTokens":[],' +
  '"separatorTokens":[],"dictionary":[],"synonyms":{},"distinctAttribute":null,' +
  '"proximityPrecision":"byWord",' +
  '"typoTolerance":{"enabled":true,"minWordSizeForTypos":{"oneTypo":5,"twoTypos":9},' +
  '"disableOnWords":[],"disableOnAttributes":[],"disableOnNumbers":false},' +
  '"faceting":{"maxValuesPerFacet":100,"sortFacetValuesBy":{"*":"alpha"}},' +
  '"pagination":{"maxTotalHits":1000},"embedders":{},"searchCutoffMs":null,' +
  '"localizedAttributes":null,"facetSearch":true,"prefixSearch":"indexingTime","infixSearch":null,' +
  '"chat":{"description":"","documentTemplate":' +
  '"{% for field in fields %}{% if field.is_searchable and field.value != nil %}' +
  '{{ field.name }}: {{ field.value }}\\n{% endif %}{% endfor %}",' +
  '"documentTemplateMaxBytes":400,"searchParameters":{}},"expiresAtAttribute":null,' +
  '"attributeWeights":{},"similarity":{"k1":1.2,"b":0.75},"boosts":[]}'

describe('the stored text', () => {
  test('of the defaults', () => {
    expect(encodeSettings(defaultSettings())).toBe(DEFAULT_TEXT)
    expect(decodeSettings(DEFAULT_TEXT)).toEqual(defaultSettings())
  })

  test('may lack a setting, which then has its default', () => {
    expect(decodeSettings('{"stopWords":["a"]}')).toEqual({
      ...defaultSettings(),
      stopWords: ['a'],
    })
  })

  test.each([
    '',
    '{',
    '[]',
    'null',
    '{"stopWords":[1]}',
    '{"stopWords":null}',
    '{"vectorStore":null}',
    '{"__proto__":null}',
    '{"typoTolerance":{"enabled":true}}',
    '{"pagination":{"maxTotalHits":-1}}',
    '{"pagination":{"maxTotalHits":1,"x":1}}',
    '{"embedders":{"e":{}}}',
    '{"embedders":{"e":{"source":"x"}}}',
    '{"filterableAttributes":[{"attributePatterns":[]}]}',
    '{"chat":{"searchParameters":{}}}',
  ])('%s is refused', (stored) => {
    expect(() => decodeSettings(stored)).toThrow(CorruptionError)
  })

  test('damaged or cut anywhere gives a value or a CorruptionError', () => {
    const settings = apply(defaultSettings(), {
      synonyms: { a: ['b'] },
      filterableAttributes: ['a'],
      embedders: { e: { source: 'userProvided', dimensions: 2 } },
    })
    const whole = encodeSettings(settings)
    for (let i = 0; i < whole.length; i++) {
      const bent = [whole.slice(0, i), whole.slice(0, i) + whole.slice(i + 1)]
      for (const bit of [1, 2, 16]) {
        const character = String.fromCharCode(whole.charCodeAt(i) ^ bit)
        bent.push(whole.slice(0, i) + character + whole.slice(i + 1))
      }
      for (const stored of bent) {
        try {
          decodeSettings(stored)
        } catch (error) {
          expect(error).toBeInstanceOf(CorruptionError)
        }
      }
    }
  })
})

describe('a change', () => {
  test('changes only named settings, and returns which values changed', () => {
    const { settings, changed } = applyPatch(
      defaultSettings(),
      {
        searchableAttributes: ['b', 'a', 'b'],
        displayedAttributes: ['x', '*'],
        sortableAttributes: ['z', 'é', 'a', 'z', '😀', '\uffee'],
        stopWords: ['É', 'ＴＨＥ'],
        pagination: { maxTotalHits: 7 },
        facetSearch: true,
      },
      text,
    )
    expect(settings.searchableAttributes).toEqual(['b', 'a'])
    expect(settings.displayedAttributes).toBeNull()
    expect(settings.sortableAttributes).toEqual(['a', 'z', 'é', '\uffee', '😀'])
    expect(settings.stopWords).toEqual(['E\u0301', 'THE'])
    expect([...changed]).toEqual([
      'searchableAttributes',
      'sortableAttributes',
      'stopWords',
      'pagination',
    ])
    expect(settings.rankingRules).toBe(defaultSettings().rankingRules)
  })

  test('merges the members of an object, and resets one with null', () => {
    let settings = apply(defaultSettings(), {
      typoTolerance: { enabled: false, minWordSizeForTypos: { oneTypo: 2 } },
      faceting: { sortFacetValuesBy: { b: 'count' } },
    })
    settings = apply(settings, {
      typoTolerance: { enabled: null, disableOnWords: ['Boat', 'É'] },
      faceting: { maxValuesPerFacet: 3 },
    })
    expect(settings.typoTolerance).toEqual({
      enabled: true,
      minWordSizeForTypos: { oneTypo: 2, twoTypos: 9 },
      disableOnWords: ['boat', 'e'],
      disableOnAttributes: [],
      disableOnNumbers: false,
    })
    expect(settings.faceting).toEqual({
      maxValuesPerFacet: 3,
      sortFacetValuesBy: { '*': 'alpha', b: 'count' },
    })
    expect(apply(settings, { typoTolerance: null, faceting: null })).toEqual(defaultSettings())
  })

  test('that does not fit the stored settings is refused as a whole', () => {
    const settings = apply(defaultSettings(), {
      typoTolerance: { minWordSizeForTypos: { oneTypo: 0, twoTypos: 0 } },
    })
    const before = encodeSettings(settings)
    const patch: SettingsPatch = {
      stopWords: ['a'],
      typoTolerance: { minWordSizeForTypos: { oneTypo: 9 } },
    }
    expect(() => apply(settings, patch)).toThrow('but found `oneTypo: 9` and twoTypos: 0`.')
    expect(encodeSettings(settings)).toBe(before)
    expect(() => apply(settings, { rankingRules: ['attribute', 'wordPosition'] })).toThrow(
      EngineFault,
    )
  })

  test('that resets everything names every setting', () => {
    const details = detailsOf(resetPatch())
    expect(Object.keys(details)).toEqual(
      SETTING_NAMES.filter((name) => settingNamed(name).isLeftOutUnlessSet !== true),
    )
    expect(Object.keys(detailsOf({ infixSearch: null }))).toEqual(['infixSearch'])
    expect(details['searchableAttributes']).toEqual(['*'])
    expect(details['embedders']).toBeNull()
    expect(Object.keys(SETTINGS)).toEqual([...SETTING_NAMES])
  })
})

test('a setting that is left out unless set is in dumps, exports and answers only then', () => {
  const off = defaultSettings()
  const { settings: on } = applyPatch(off, { infixSearch: { attributes: ['a'] } })
  const value = { attributes: ['a'], minLength: 3 }
  const features = Object.fromEntries(FEATURES.map((name) => [name, true])) as Features
  const all = (settings: IndexSettings) => [
    transferSettings(settings)['infixSearch'],
    exportSettings(settings)['infixSearch'],
    settingsShown(transferSettings(settings), features)['infixSearch'],
  ]
  expect(all(off)).toEqual([undefined, undefined, undefined])
  expect(all(on)).toEqual([value, value, value])
})

const word = fc.constantFrom('a', 'b', 'É', 'Boat', '*', '', '__proto__', '10', '9')
const words = fc.array(word, { maxLength: 4 })
const orNull = <T>(arbitrary: fc.Arbitrary<T>): fc.Arbitrary<T | null> =>
  fc.option(arbitrary, { nil: null })
const size = orNull(fc.nat(12))
const patches: fc.Arbitrary<SettingsPatch> = fc.record(
  {
    displayedAttributes: orNull(words),
    searchableAttributes: orNull(words),
    filterableAttributes: orNull(words),
    stopWords: orNull(words),
    synonyms: orNull(fc.dictionary(word, words)),
    distinctAttribute: orNull(word),
    rankingRules: orNull(fc.subarray(['words', 'attribute', 'wordPosition', 'a:asc'])),
    typoTolerance: orNull(
      fc.record(
        {
          enabled: orNull(fc.boolean()),
          disableOnWords: orNull(words),
          minWordSizeForTypos: orNull(
            fc.record({ oneTypo: size, twoTypos: size }, { requiredKeys: [] }),
          ),
        },
        { requiredKeys: [] },
      ),
    ),
    faceting: orNull(
      fc.record(
        {
          maxValuesPerFacet: size,
          sortFacetValuesBy: orNull(fc.dictionary(word, fc.constantFrom('alpha', 'count'))),
        },
        { requiredKeys: [] },
      ),
    ),
    embedders: orNull(
      fc.dictionary(
        fc.constantFrom('e', 'f'),
        orNull(
          fc.record(
            {
              source: orNull(fc.constantFrom('openAi', 'userProvided', 'ollama', 'rest')),
              model: orNull(fc.constantFrom('text-embedding-3-small', 'm')),
              dimensions: size,
              binaryQuantized: orNull(fc.boolean()),
              url: orNull(fc.constantFrom('http://h/', 'nowhere')),
              request: fc.constantFrom(null, '{{text}}', ['{{text}}', '{{..}}'], {}),
              response: fc.constantFrom(null, '{{embedding}}', ['{{embedding}}', '{{..}}']),
              headers: orNull(fc.dictionary(word, word)),
              searchFragments: orNull(
                fc.dictionary(word, orNull(fc.record({ value: fc.jsonValue() }))),
              ),
            },
            { requiredKeys: [] },
          ),
        ),
      ),
    ),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<SettingsPatch>

test('after any changes settings are stored exactly, repeating the last one changes nothing, and a reset gives the defaults', () => {
  let applied = 0
  fc.assert(
    fc.property(fc.array(patches, { maxLength: 5 }), (sequence) => {
      let settings = defaultSettings()
      for (const patch of sequence) {
        let next: IndexSettings
        try {
          next = apply(settings, patch)
        } catch (error) {
          expect(error).toBeInstanceOf(EngineFault)
          continue
        }
        applied++
        settings = next
        const stored = encodeSettings(settings)
        expect(encodeSettings(decodeSettings(stored))).toBe(stored)
        expect(applyAgain(settings, patch)).toBe(stored)
      }
      expect(apply(settings, resetPatch())).toEqual(defaultSettings())
    }),
    { numRuns: 300 },
  )
  expect(applied).toBeGreaterThan(100)
})

/** Un-quantizing and similar changes are refused only the second time: such a change is skipped. */
const applyAgain = (settings: IndexSettings, patch: SettingsPatch): string => {
  try {
    return encodeSettings(apply(settings, patch))
  } catch (error) {
    expect(error).toBeInstanceOf(EngineFault)
    return encodeSettings(settings)
  }
}
