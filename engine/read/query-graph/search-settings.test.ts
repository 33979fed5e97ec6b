// Settings in the form that searches use: weights, searched attributes, languages, exempt words.
import { describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { applyPatch, defaultSettings, type SettingsPatch } from '../../settings/index.ts'
import { SearchSettings } from './search-settings.ts'

const FIELDS = ['id', 'title', 'about', 'about.lead', 'aside', '_geo', '_geo.lat', '_vectors']
const settingsOf = (patch: SettingsPatch = {}): SearchSettings =>
  new SearchSettings(applyPatch(defaultSettings(), patch).settings, FIELDS)
const weights = (patch: SettingsPatch): (number | null)[] => {
  const search = settingsOf(patch)
  return FIELDS.map((_, id) => search.weightOf(id))
}

describe('weights', () => {
  it('are equal without an order', () => {
    const none = [0, 0, 0, 0, 0, null, null, null]
    expect(weights({})).toEqual(none)
    expect(weights({ searchableAttributes: ['title', '*'] })).toEqual(none)
    expect(settingsOf().searchableFields()).toEqual([0, 1, 2, 3, 4])
  })

  it('are positions in the list; nested fields have that of their parent', () => {
    const patch = { searchableAttributes: ['about', 'title', 'about.lead', '_geo'] }
    expect(weights(patch)).toEqual([null, 1, 0, 0, null, null, null, null])
    expect(settingsOf(patch).weightMax).toBe(1)
    expect(settingsOf({ searchableAttributes: ['none'] }).weightMax).toBe(0)
  })
})

describe('attributes to search on', () => {
  const scope = (names: readonly string[] | null, patch: SettingsPatch = {}) =>
    settingsOf(patch).scope(asIndexUid('films'), names)?.fields ?? null

  it('are names and patterns of searchable fields', () => {
    expect(scope(null)).toBe(null)
    expect(scope(['title'])).toEqual([1])
    expect(scope(['about'])).toEqual([2, 3])
    expect(scope(['a*', 'title'])).toEqual([1, 2, 3, 4])
    expect(scope(['title', '*'])).toBe(null)
    expect(scope(['nothing'])).toEqual([])
    expect(scope([])).toEqual([])
  })

  it('that are not searchable are refused with a list of searchable ones', () => {
    const patch = { searchableAttributes: ['title', 'about', 'later'] }
    expect(scope(['later'], patch)).toEqual([])
    const refused = (more: SettingsPatch) => () => scope(['*', 'aside'], { ...patch, ...more })
    expect(refused({})).toThrow(
      'Index `films`: Attribute `aside` is not searchable. ' +
        'Available searchable attributes are: `about, about.lead, title`.',
    )
    expect(refused({ displayedAttributes: ['title'] })).toThrow('`title, <..hidden-attributes>`')
  })
})

describe('languages of a query', () => {
  const patch = {
    localizedAttributes: [
      { attributePatterns: ['title'], locales: ['jpn'] },
      { attributePatterns: ['about*'], locales: ['deu', 'jpn'] },
    ],
  }
  const locales = (requested: readonly string[] | null, names: readonly string[] | null) => {
    const search = settingsOf(patch)
    return search.locales(requested, search.scope(asIndexUid('films'), names))
  }

  it('are the requested ones, else those of the searched fields', () => {
    expect(locales(['fra'], null)).toEqual(['fra'])
    expect(locales([], null)).toBe(null)
    expect(locales(null, null)).toEqual(['jpn', 'deu'])
    expect(locales(null, ['title'])).toEqual(['jpn'])
    expect(locales(null, ['aside'])).toBe(null)
    expect(settingsOf().locales(null, null)).toBe(null)
  })
})

describe('rules for terms', () => {
  it('come from the settings', () => {
    const { rules } = settingsOf({
      typoTolerance: {
        minWordSizeForTypos: { oneTypo: 2, twoTypos: 3 },
        disableOnWords: ['Çava'],
        disableOnAttributes: ['about'],
        disableOnNumbers: true,
      },
      proximityPrecision: 'byAttribute',
      synonyms: { 'New-York': ['b', 'a', '?'], 'new york': ['c'] },
    })
    expect(rules).toMatchObject({ typosEnabled: true, oneTypoChars: 2, twoTyposChars: 3 })
    expect([...rules.disabledWords]).toEqual(['cava'])
    expect(rules).toMatchObject({ exactFields: [2, 3], exactNumbers: true, pairsByWord: false })
    expect([...rules.synonyms]).toEqual([['new\u0000york', [['a'], ['b'], ['c']]]])
  })

  it.each([
    ['a word of 498 bytes', 'x'.repeat(498), true],
    ['a word of 499 bytes', 'x'.repeat(499), false],
    ['two words of 497 bytes', `x ${'y'.repeat(496)}`, true],
    ['two words of 498 bytes', `x ${'y'.repeat(497)}`, false],
  ])('synonyms of %s: %#', (_what, key, isKept) => {
    expect(settingsOf({ synonyms: { [key]: ['a'] } }).rules.synonyms.size).toBe(isKept ? 1 : 0)
  })
})
