// The details of scores that are not one number: scored words, two rankings, scaling, sorts.
import { describe, expect, it } from 'vitest'
import { boundedScore, type ScoreDetail } from '../rank/index.ts'
import { type DetailOptions, renderDetails, type Scaling } from './score-details.ts'

const OPTIONS: DetailOptions = { combinedAttribute: false, isDisplayed: () => true }
const shown = (
  details: readonly ScoreDetail[],
  options: Partial<DetailOptions> = {},
  scaling: Scaling | null = null,
): string => renderDetails(details, { ...OPTIONS, ...options }, scaling)

const share = { word: 'a"', idf: 2, frequency: 1, lengthNorm: 0.5, contribution: 1.5 }

describe('the details of a score', () => {
  it.each<[ScoreDetail, string]>([
    [
      { kind: 'bm25', score: 3, shares: () => [share, { ...share, word: 'b' }] },
      '{"bm25":{"order":0,"bm25":3.0,"words":[' +
        '{"word":"a\\"","idf":2.0,"frequency":1.0,"lengthNorm":0.5,"contribution":1.5},' +
        '{"word":"b","idf":2.0,"frequency":1.0,"lengthNorm":0.5,"contribution":1.5}],' +
        `"score":${boundedScore(3)}}}`,
    ],
    [
      { kind: 'fusion', wordsRank: 1, vectorRank: 7, score: 0.5 },
      '{"fusion":{"order":0,"wordsRank":1,"vectorRank":7,"score":0.5}}',
    ],
    [
      { kind: 'fusion', wordsRank: null, vectorRank: null, score: 1 },
      '{"fusion":{"order":0,"wordsRank":null,"vectorRank":null,"score":1.0}}',
    ],
    [{ kind: 'vectorSort', similarity: 0.25 }, '{"vectorSort":{"order":0,"similarity":0.25}}'],
    [
      { kind: 'geo', target: [1, 2.5], ascending: false, point: null, distance: null },
      '{"_geoPoint(1, 2.5):desc":{"order":0,"value":null,"distance":null}}',
    ],
    [
      { kind: 'geo', target: [-0, 2], ascending: true, point: [0, -1], distance: Infinity },
      '{"_geoPoint(-0, 2):asc":{"order":0,"value":{"lat":0.0,"lng":-1.0},"distance":null}}',
    ],
    [
      { kind: 'sort', field: 'a', ascending: false, value: 'x"' },
      '{"a:desc":{"order":0,"value":"x\\""}}',
    ],
    [
      { kind: 'sort', field: 'a', ascending: true, value: 9007199254740993n },
      '{"a:asc":{"order":0,"value":9007199254740993}}',
    ],
    [
      { kind: 'sort', field: 'a', ascending: true, value: null },
      '{"a:asc":{"order":0,"value":null}}',
    ],
    [
      { kind: 'exactAttribute', match: 'matchesStart' },
      '{"exactness":{"order":0,"matchType":"matchesStart","score":0.6666666666666666}}',
    ],
    [{ kind: 'attributeRank', rank: 1, max: 2 }, '{"attributeRank":{"order":0,"score":0.5}}'],
  ])('number %# are written as their parts', (detail, text) => {
    expect(shown([detail])).toBe(text)
  })

  it('have the other forms of words beside typos', () => {
    const typo = { kind: 'typo', typos: 0, typosMax: 1 } as const
    const forms = (otherForms: readonly string[]) => JSON.parse(shown([typo], { otherForms })).typo
    expect(forms(['a', 'b'])).toMatchObject({ otherForms: ['a', 'b'], score: 1 })
    expect(forms([])).not.toHaveProperty('otherForms')
  })

  it('of the combined rule have both parts, or the first alone', () => {
    const rank = { kind: 'attributeRank', rank: 1, max: 2 } as const
    const words = { kind: 'words', rank: 1, max: 1 } as const
    expect(JSON.parse(shown([rank, words], { combinedAttribute: true }))).toEqual({
      attribute: {
        order: 0,
        attributeRankingOrderScore: 0.5,
        queryWordDistanceScore: 0,
        score: 0.5,
      },
      words: { order: 1, matchingWords: 1, maxMatchingWords: 1, score: 1 },
    })
  })

  it('count entries, of which a later one with the same name takes the place', () => {
    const sort = (value: number) => ({ kind: 'sort', field: 'a', ascending: true, value }) as const
    const other = { kind: 'skipped' } as const
    expect(shown([sort(1), other, sort(2)])).toBe(
      '{"a:asc":{"order":2,"value":2.0},"skipped":{"order":1}}',
    )
  })

  it('end with the scaling', () => {
    const scaling = { rules: ['r"'], boosts: [], weight: 2 }
    expect(shown([], {}, scaling)).toBe('{"scale":{"order":0,"rules":["r\\""],"weight":2.0}}')
    const boosts = [
      { position: 0, factor: 1.5 },
      { position: 3, factor: 1 },
    ] as unknown as Scaling['boosts']
    expect(shown([{ kind: 'skipped' }], {}, { rules: [], boosts, weight: 1.5 })).toBe(
      '{"skipped":{"order":0},"scale":{"order":1,"rules":[],"boosts":[' +
        '{"position":0,"factor":1.5},{"position":3,"factor":1.0}],"weight":1.5}}',
    )
  })
})
