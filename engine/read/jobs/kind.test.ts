// The kind of a search, and the parameters that contradict each other.
import { describe, expect, it } from 'vitest'
import { DEFAULT_SEARCH, type Features, type SearchRequest } from '../../model/index.ts'
import { isBlank, kindOf } from './kind.ts'

const WITH = { multimodal: true } as Features
const WITHOUT = { multimodal: false } as Features
const ratio = (semanticRatio: number) => ({ hybrid: { embedder: 'e', semanticRatio } })
const vector = { vector: Float64Array.of(1) }
const media = { media: { image: 'x' } }
const of = (request: object, features = WITH) =>
  kindOf({ ...DEFAULT_SEARCH, ...request } as SearchRequest, features)

describe('the kind', () => {
  it.each([
    [{}, 'keyword'],
    [{ q: 'a' }, 'keyword'],
    [{ q: 'a', ...ratio(0) }, 'keyword'],
    [{ q: 'a', ...ratio(0), ...vector }, 'keyword'],
    [{ q: 'a', ...ratio(0.1) }, 'hybrid'],
    [{ q: 'a', ...ratio(0.9), ...vector }, 'hybrid'],
    [{ q: 'a', ...ratio(0.9), ...media }, 'hybrid'],
    [{ q: 'a', ...ratio(1) }, 'semantic'],
    [{ q: ' ', ...ratio(0.5) }, 'keyword'],
    [{ q: null, ...ratio(1) }, 'keyword'],
    [{ q: ' ', ...ratio(0.5), ...vector }, 'semantic'],
    [{ q: null, ...ratio(0.5), ...media }, 'semantic'],
  ])('of %j is %s', (request, kind) => {
    expect(of(request)).toBe(kind)
  })

  it.each([
    [{ ...ratio(1), ...vector, ...media }, WITH, 'invalid_search_media_and_vector'],
    [vector, WITH, 'missing_search_hybrid'],
    [media, WITHOUT, 'missing_search_hybrid'],
    [{ ...ratio(1), ...media }, WITHOUT, 'feature_not_enabled'],
  ])('of %j is refused', (request, features, code) => {
    expect(() => of(request, features)).toThrow(expect.objectContaining({ code }))
  })

  it('takes only white space for blank', () => {
    expect([null, '', ' \t\n\u3000'].map(isBlank)).toEqual([true, true, true])
    expect(['a', ' a ', '\u200b'].some(isBlank)).toBe(false)
  })
})
