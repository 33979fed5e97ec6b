// Settings from dumps: older names and forms, absent members, and problems of values.
import { describe, expect, test } from 'vitest'
import { dumpedPatch, dumpedPatchProblem, newerSettings, type SettingsPatch } from './index.ts'

describe('settings of an older dump', () => {
  test.each([
    [
      { attributesForFaceting: ['a'], other: 1 },
      { filterableAttributes: ['a'], other: 1 },
    ],
    [
      { attributesForFaceting: ['a'], filterableAttributes: ['b'] },
      { filterableAttributes: ['b'] },
    ],
    [{ attributesForFaceting: ['a'], filterableAttributes: null }, { filterableAttributes: ['a'] }],
    [{ attributesForFaceting: undefined, stopWords: undefined }, {}],
    [
      { rankingRules: ['typo', 'wordsPosition', 'asc(price)', 'desc(a.b)', 'up(x)'] },
      { rankingRules: ['typo', 'price:asc', 'a.b:desc', 'up(x)'] },
    ],
    [{ rankingRules: 'typo', stopWords: null }, { stopWords: null }],
  ])('%j is now %j', (given, newer) => {
    const before = JSON.stringify(given)
    expect(newerSettings(given)).toStrictEqual(newer)
    expect(JSON.stringify(given)).toBe(before)
  })
})

test('a dump sets known settings only, with absent members filled in', () => {
  const given = {
    filterableAttributes: ['a', { attributePatterns: ['b'] }],
    stopWords: null,
    pagination: { maxTotalHits: 7 },
    dictionary: undefined,
    attributesForFaceting: ['c'],
    other: 1,
  }
  const features = { facetSearch: false, filter: { equality: true, comparison: false } }
  expect(dumpedPatch(given)).toStrictEqual({
    filterableAttributes: ['a', { attributePatterns: ['b'], features }],
    stopWords: null,
    pagination: { maxTotalHits: 7 },
  })
})

test.each<[SettingsPatch, string | null]>([
  [{}, null],
  [{ rankingRules: null, stopWords: ['_geo:asc'] }, null],
  [{ rankingRules: ['words', 'a:asc'] }, null],
  [
    { rankingRules: ['words', '_geo:asc', '_geojson:asc'] },
    "`_geo` is a reserved keyword and thus can't be used as a ranking rule",
  ],
])('the problem of the dumped change %j', (patch, problem) => {
  expect(dumpedPatchProblem(patch)).toBe(problem)
})
