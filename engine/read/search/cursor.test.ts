// Cursors: what they keep, and which searches they belong to.
import { describe, expect, it } from 'vitest'
import { xxh3 } from '../../../format/bytes/index.ts'
import { DEFAULT_SEARCH, EngineFault, type SearchRequest } from '../../model/index.ts'
import { defaultSettings } from '../../settings/index.ts'
import type { SearchableView } from '../jobs/index.ts'
import { type Cursor, cursorText, readCursor, searchKey } from './cursor.ts'

const keyOf = (more: Partial<SearchRequest>, index = 1, rankingRules = ['words', 'sort']): string =>
  searchKey(
    {
      ref: { index },
      settings: { ...defaultSettings(), rankingRules },
    } as unknown as SearchableView,
    { ...DEFAULT_SEARCH, ...more },
  )

describe('the key of a search', () => {
  const plain = keyOf({})

  it.each([
    { q: 'x' },
    { filter: 'a > 1' },
    { sort: ['a:asc'] },
    { distinct: 'a' },
    { matchingStrategy: 'all' },
    { attributesToSearchOn: ['a'] },
    { rankingScoreThreshold: 0.5 },
    { locales: ['fra'] },
    { hybrid: { embedder: 'e', semanticRatio: 0.5 } as unknown as SearchRequest['hybrid'] },
    { vector: Float64Array.of(1, 2) },
    { inlineRule: { actions: [] } as unknown as SearchRequest['inlineRule'] },
    { boosts: [{ attribute: 'a' }] as unknown as SearchRequest['boosts'] },
    { attributeWeights: { a: 2 } },
    { boostsNow: 5 },
    { media: { image: 'x' } },
    { sortScope: 'match' },
    { querySyntax: 'boolean' },
  ] satisfies Partial<SearchRequest>[])(
    'changes with %j, which decides about hits or their order',
    (more: Partial<SearchRequest>) => {
      expect(keyOf(more)).not.toBe(plain)
      expect(keyOf(more)).toBe(keyOf(structuredClone(more)))
    },
  )

  it('is that of earlier versions without members that they did not have', () => {
    expect(plain).toBe('54e9760774ec7f32')
  })

  it('changes with the index and its ranking rules', () => {
    expect(keyOf({}, 2)).not.toBe(plain)
    expect(keyOf({}, 1, ['sort', 'words'])).not.toBe(plain)
  })

  it.each([
    { limit: 7 },
    { searchAfter: 'x' },
    { attributesToRetrieve: ['a'] },
    { attributesToHighlight: ['*'] },
    { facets: ['a'] },
    { showRankingScore: true },
  ] satisfies Partial<SearchRequest>[])(
    'is the same with %j, which is about what is shown',
    (more: Partial<SearchRequest>) => {
      expect(keyOf(more)).toBe(plain)
    },
  )

  it('reads a filter in any form', () => {
    const sent = Buffer.from('["a > 1"]') as unknown as string
    expect(keyOf({ filter: sent })).toBe(keyOf({ filter: ['a > 1'] }))
  })
})

/** Returns a cursor with the right hash. */
function cursorOf(json: string): string {
  const bytes = Buffer.from(json)
  const hash = { high: 0, low: 0 }
  xxh3(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), bytes.length, hash)
  const text = [hash.high, hash.low].map((half) => half.toString(16).padStart(8, '0')).join('')
  return Buffer.from(text + json).toString('base64url')
}

describe('a cursor', () => {
  it.each<Cursor>([
    { place: { values: [null, 'é', -1.5, 2n ** 63n, -(2n ** 60n)], id: 7 } },
    { place: { values: [], id: 0 } },
    { count: { seen: 20, sequence: 5, found: 100 } },
    { count: { seen: 20, sequence: 5, found: 100, now: 1_700_000_000_000 } },
  ])('keeps what it was made of (%#)', (cursor) => {
    expect(readCursor(cursorText('k', cursor), 'k')).toEqual(cursor)
    expect(() => readCursor(cursorText('k', cursor), 'l')).toThrow('comes from another search')
  })

  it.each<readonly [content: readonly unknown[], cursor: Cursor]>([
    [[1, 'k', [], 0], { place: { values: [], id: 0 } }],
    [
      [1, 'k', [null, 'é', 0.5, ['-12345678901234567890']], 7],
      { place: { values: [null, 'é', 0.5, -12345678901234567890n], id: 7 } },
    ],
    [[1, 'k', 0, 0, 0], { count: { seen: 0, sequence: 0, found: 0 } }],
    [[1, 'k', 3, 2, 1, 0], { count: { seen: 3, sequence: 2, found: 1, now: 0 } }],
  ])('is read from the content %j', (content, cursor) => {
    expect(readCursor(cursorOf(JSON.stringify(content)), 'k')).toEqual(cursor)
  })

  it.each<readonly [json: string]>([
    ['{'],
    ['{}'],
    ['null'],
    ['[]'],
    ['[0,"k",[],7]'],
    ['[2,"k",[],7]'],
    ['[1,"k",[]]'],
    ['[1,"k",[],7,0]'],
    ['[1,"k",[],-1]'],
    ['[1,"k",[],1.5]'],
    ['[1,"k",[],"7"]'],
    ['[1,"k",[],9007199254740992]'],
    ['[1,"k",[true],7]'],
    ['[1,"k",[null,{}],7]'],
    ['[1,"k",[[]],7]'],
    ['[1,"k",[[5]],7]'],
    ['[1,"k",[["x"]],7]'],
    ['[1,"k",[["123456789012345678901"]],7]'],
    ['[1,"k",3,2]'],
    ['[1,"k",-1,2,1]'],
    ['[1,"k",3,-1,1]'],
    ['[1,"k",3,2,-1]'],
    ['[1,"k",3,2,1,-1]'],
    ['[1,"k",3,2,1,null]'],
    ['[1,"k",3,2,1,0,0]'],
  ])('with the content %s is refused, although its hash is right', (json) => {
    expect(() => readCursor(cursorOf(json), 'k')).toThrow(
      new EngineFault(
        'invalid_search_search_after',
        'Invalid value at `.searchAfter`: it is not a cursor of an answer.',
      ),
    )
  })

  it('of another search is refused', () => {
    expect(() => readCursor(cursorOf('[1,"l",[],7]'), 'k')).toThrow(
      new EngineFault(
        'invalid_search_search_after',
        'Invalid value at `.searchAfter`: it comes from another search: only the page size and ' +
          'what hits show may differ.',
      ),
    )
  })

  it('is read up to 16,384 characters', () => {
    const textOf = (units: number): string =>
      cursorText('k', { place: { values: ['x'.repeat(units)], id: 7 } })
    // Four characters for three bytes.
    const units = (16_384 / 4) * 3 - (textOf(0).length * 3) / 4
    const [longest, longer] = [textOf(Math.floor(units)), textOf(Math.floor(units) + 1)]
    expect([longest.length, longer.length]).toEqual([16_384, 16_386])
    expect(readCursor(longest, 'k')).toMatchObject({ place: { id: 7 } })
    expect(() => readCursor(longer, 'k')).toThrow('is not a cursor')
  })
})
