// Facet search over numbers, compared with a walk over plain documents.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  anyView,
  compareUtf8,
  docOf,
  FIELD_IDS,
  numbersOf,
  readerOf,
  stringsOf,
  textOf,
} from '../../../fixtures/format/columns/model.ts'
import { exactText } from '../../../format/bytes/index.ts'
import { asSegmentNo } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { normalizeWhole } from '../../text/index.ts'
import { FoldedCache } from './facet-values-folded.ts'
import type { FacetValueQuery } from './facet-values-match.ts'
import { searchFacetValues } from './facet-values-numbers.ts'
import type { ColumnsSegment } from './segments.ts'

const prefix = (text: string): FacetValueQuery => ({ kind: 'prefix', text, typosMax: 0 })

function search(
  segments: readonly ColumnsSegment[],
  fieldId: number,
  candidates: IdSet,
  query: FacetValueQuery,
  { limit = 100, order = 'alpha' as 'alpha' | 'count' } = {},
): [string, number][] {
  return searchFacetValues(
    segments.map((segment, i) => ({ ...segment, ref: { segment: asSegmentNo(i + 1) } })),
    fieldId,
    candidates,
    {
      query,
      order,
      limit,
      folding: { key: '', fold: (text) => normalizeWhole(text, null) },
      cache: new FoldedCache(1 << 20),
      pause: () => undefined,
    },
  ).map(({ count, value }) => [textOf(value), count])
}

describe('numbers in a facet search', () => {
  const values = [[19], [1990], [19.5], [2019], [9007199254740993n], [1990, -19], ['19th'], ['19']]
  const docs = [...values, [9007199254740992n], [19, '19'], [1e21]].map((one, id) =>
    docOf(id, { 3: one }),
  )
  const segments = [docs.slice(0, 5), docs.slice(5)].map((some) => ({
    reader: readerOf(some),
    dead: null,
  }))
  const all = IdSet.of(docs.map(({ id }) => id))
  const found = (query: FacetValueQuery, options = {}) => search(segments, 3, all, query, options)

  it('are found by the beginning of their text', () => {
    expect(found(prefix('19'))).toEqual([
      ['19', 3],
      ['19.5', 1],
      ['1990', 2],
      ['19th', 1],
    ])
    expect(found(prefix('19.'))).toEqual([['19.5', 1]])
    expect(found(prefix('-'))).toEqual([['-19', 1]])
    expect(found({ kind: 'whole', text: '19' })).toEqual([['19', 3]])
    expect(found(prefix('91'))).toEqual([])
  })

  it('keep all digits', () => {
    expect(found(prefix('90071992547409'))).toEqual([
      ['9007199254740992', 1],
      ['9007199254740993', 1],
    ])
    expect(found(prefix('1000000000000000000000'))).toHaveLength(1)
  })

  it('stand in the order of the facet, within the limit', () => {
    expect(found({ kind: 'any' }, { order: 'count', limit: 3 })).toEqual([
      ['19', 3],
      ['1990', 2],
      ['9007199254740993', 1],
    ])
    expect(found({ kind: 'any' }, { limit: 2 })).toEqual([
      ['-19', 1],
      ['1000000000000000000000', 1],
    ])
  })

  it('are counted among candidates', () => {
    const some = IdSet.of([0, 5, 9])
    expect(search(segments, 3, some, prefix('19'))).toEqual([
      ['19', 2],
      ['1990', 1],
    ])
  })

  it('are those of a walk over the documents', () => {
    fc.assert(
      fc.property(anyView(30), fc.constantFrom('', '1', '-', '0'), ({ docs, segments }, query) => {
        const candidates = IdSet.of(docs.map(({ id }) => id))
        for (const fieldId of FIELD_IDS) {
          const counts = new Map<string, number>()
          for (const { fields } of docs) {
            const field = fields.get(fieldId)
            const texts = numbersOf(field).map(exactText)
            for (const text of new Set(texts)) counts.set(text, (counts.get(text) ?? 0) + 1)
          }
          const strings = new Set(
            docs.flatMap(({ fields }) => [...stringsOf(fields.get(fieldId)).values()]),
          )
          const wanted = [...counts].filter(
            ([text]) => text.startsWith(query) && !strings.has(text),
          )
          const got = search(segments, fieldId, candidates, prefix(query), { limit: 10_000 })
          expect(got.filter(([text]) => !strings.has(text))).toEqual(
            wanted.sort(([a], [b]) => compareUtf8(a, b)),
          )
        }
      }),
    )
  })
})
