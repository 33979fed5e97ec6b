// Texts inside of words: only the matched part is marked, in the fields of the setting.
import { describe, expect, it } from 'vitest'
import type { SettingsPatch } from '../../settings/index.ts'
import type { Json } from '../query-graph/test-support.ts'
import { SmallIndex } from './test-support.ts'

const INFIX: SettingsPatch = { infixSearch: { attributes: ['t'] } }

function format(text: Json, query: string, settings = INFIX) {
  const index = new SmallIndex([{ t: text, other: text }], settings)
  return index.format(index.matcher(query), { attributesToHighlight: ['*'] })[0]!
}
const marked = (text: Json, query: string): Json | undefined => format(text, query).formatted?.['t']

describe('inside of a word', () => {
  it('only the matched part is marked', () => {
    expect(marked('Ein Fußballtrikot, blau', 'trikot')).toBe('Ein Fußball<em>trikot</em>, blau')
    expect(marked('AB12XYZ6778', 'xyz6')).toBe('AB12<em>XYZ6</em>778')
    expect(marked('banana', 'ana')).toBe('b<em>ana</em>na')
    expect(marked('мотофутбол', 'футбол')).toBe('мото<em>футбол</em>')
    expect(marked('サッカートリコット', 'トリコ')).toBe('サッカー<em>トリコ</em>ット')
  })

  it('characters count that are partly in it', () => {
    expect(marked('Weißbier', 'ssbie')).toBe('Wei<em>ßbie</em>r')
    expect(marked('Weißbier', 'sbier')).toBe('Wei<em>ßbier</em>')
    expect(marked('Weißbier', 'eis')).toBe('W<em>eiß</em>bier')
    expect(marked('coöperatiön', 'perati')).toBe('coö<em>perati</em>ön')
    expect(marked('résumés', 'sume')).toBe('ré<em>sumé</em>s')
    expect(marked('足球ÉtudeReﬁnes', 'ﬁne')).toBe('足球ÉtudeRe<em>ﬁne</em>s')
  })

  it('whole words and prefixes come first, and other fields have none', () => {
    const { formatted, positions } = format('trikot Trikots Fußballtrikot', 'trikot')
    expect(formatted).toEqual({
      t: '<em>trikot</em> <em>Trikot</em>s Fußball<em>trikot</em>',
      other: '<em>trikot</em> <em>Trikot</em>s Fußballtrikot',
    })
    expect(positions['t']).toEqual([
      { start: 0, length: 6 },
      { start: 7, length: 6 },
      { start: 23, length: 6 },
    ])
    expect(positions['other']).toHaveLength(2)
  })

  it('of several words each is marked', () => {
    expect(marked('Fußballtrikot Rotwein', 'trik twei ')).toBe(
      'Fußball<em>trik</em>ot Ro<em>twei</em>n',
    )
  })

  it('texts with escapes, numbers and lists are marked', () => {
    expect(marked('a "Fußballtrikot"\n', 'trikot')).toBe('a "Fußball<em>trikot</em>"\n')
    expect(marked(1234567, '345')).toBe('12<em>345</em>67')
    expect(marked(['x', 'Fußballtrikot'], 'ball')).toEqual(['x', 'Fuß<em>ball</em>trikot'])
    const { positions } = format(['x', 'Fußballtrikot'], 'ball')
    expect(positions['t']).toEqual([{ start: 4, length: 4, indices: [1] }])
  })

  it('nothing is marked without the setting', () => {
    expect(format('Fußballtrikot', 'trikot', {}).formatted?.['t']).toBe('Fußballtrikot')
  })
})
