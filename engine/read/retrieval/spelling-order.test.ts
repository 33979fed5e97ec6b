// Documents that are equal otherwise: those with the spelling of the query come first.
import { describe, expect, it } from 'vitest'
import type { SettingsPatch } from '../../settings/index.ts'
import { SmallText } from '../query-graph/test-support.ts'
import { spelledWords, spellingOrder } from './spelling-order.ts'

function ordered(texts: readonly string[], query: string, settings: SettingsPatch = {}): number[] {
  const small = new SmallText(
    texts.map((t) => ({ t })),
    settings,
    2,
  )
  const words = spelledWords(query, small.search.analyzer.tokenize(query, null))
  const order = spellingOrder(words, small.space())
  return order === null ? [] : [...order.first(small.ids, texts.length)]
}

describe('the order of spellings', () => {
  it.each([
    ['märe', [1, 0, 2]],
    ['mare', [0, 2, 1]],
    ['MÄRE ', [1, 0, 2]],
  ])('of %s prefers its marks', (query, ids) => {
    expect(ordered(['Mare', 'Märe', 'mare'], query)).toEqual(ids)
  })

  it.each([
    ['c++', [2, 0, 1, 3]],
    ['C#', [1, 0, 2, 3]],
    ['c', [0, 3, 1, 2]],
  ])('of %s prefers its signs', (query, ids) => {
    expect(ordered(['C for all', 'C#, for all', 'C++', 'c+d'], query)).toEqual(ids)
  })

  it.each([
    ['.net', [1, 3, 4, 0, 2, 5, 6, 7]],
    ['(.NET)', [1, 3, 4, 0, 2, 5, 6, 7]],
    ['net', [0, 2, 5, 6, 7, 1, 3, 4]],
    ['..net', [0, 2, 5, 6, 7, 1, 3, 4]],
  ])('of %s prefers its dot', (query, ids) => {
    const texts = ['Net', '.NET', 'asp.net', '“.NET”', 'a /.net', 'a. net', '...net', '. net']
    expect(ordered(texts, query)).toEqual(ids)
    const cut = texts.map((text) => `${text} 北京`)
    expect(ordered(cut, query)).toEqual(ids)
  })

  it('counts the words', () => {
    const texts = ['cafe resume', 'café resume', 'café résumé', 'cafe résumé']
    expect(ordered(texts, 'café résumé')).toEqual([2, 1, 3, 0])
    expect(ordered(texts, 'cafe résumé')).toEqual([3, 0, 2, 1])
  })

  it('orders any number of documents', () => {
    const texts = Array.from({ length: 70_000 }, (_, i) => (i === 69_999 ? 'märe' : 'mare'))
    expect(ordered(texts, 'märe').slice(0, 2)).toEqual([69_999, 0])
  })

  it.each([
    [100, [100, 0]],
    [101, [100, 101]],
  ])('leaves out at most a hundred other spellings: %i', (count, first) => {
    const marked = [...'àáâãäåā'].flatMap((a) =>
      [...'rŕř'].flatMap((r) => [...'eèéêëē'].map((e) => `m${a}${r}${e}`)),
    )
    const others = marked.sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
    expect(ordered([...others.slice(0, count), 'mare'], 'mare').slice(0, 2)).toEqual(first)
  })

  it('decides nothing where the index has no other spelling', () => {
    expect(ordered(['mare', 'Mare'], 'märe')).toEqual([])
    expect(ordered(['mare', 'C+D'], 'c mare')).toEqual([])
    expect(ordered(['märe', 'märe'], 'mâre')).toEqual([])
  })

  it('leaves signs in words to the settings', () => {
    expect(ordered(['C', 'C++'], 'c++', { nonSeparatorTokens: ['+'] })).toEqual([])
  })
})
