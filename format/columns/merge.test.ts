// Merging gives the same bytes as building.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  anyView,
  collect,
  docOf,
  encodeDocs,
  readerOf,
} from '../../fixtures/format/columns/model.ts'
import { IdSet } from '../idset/index.ts'
import { mergeColumns } from './index.ts'

describe('merging columns', () => {
  it('gives the same bytes as building', () => {
    fc.assert(
      fc.property(anyView(30), ({ docs, segments }) => {
        let summary: unknown
        const merged = collect((sink) => {
          summary = mergeColumns(segments, sink)
        })
        expect(Buffer.compare(merged, encodeDocs(docs))).toBe(0)
        expect(summary).toEqual({ docCount: docs.length, bytes: merged.length })
      }),
      { numRuns: 120 },
    )
  })

  it('does not depend on the order of inputs', () => {
    const segments = [0, 1, 2].map((s) =>
      readerOf(
        Array.from({ length: 1000 }, (_, i) =>
          docOf(i * 3 + s, {
            1: [`Tag ${i % 50}`, `tag ${i % 7}`],
            2: i % 2 ? i : i / 3,
            5: `T${i}`,
          }),
        ),
      ),
    )
    const inputs = segments.map((reader) => ({ reader, dead: IdSet.empty }))
    const once = collect((sink) => mergeColumns(inputs, sink))
    const other = collect((sink) => mergeColumns([...inputs].reverse(), sink))
    expect(Buffer.compare(once, other)).toBe(0)
  })

  it('writes nothing when nothing is live', () => {
    const reader = readerOf([docOf(3, { 0: 1 })])
    let calls = 0
    expect(mergeColumns([{ reader, dead: IdSet.of([3]) }], () => calls++)).toBeNull()
    expect(calls).toBe(0)
  })

  it('refuses two live copies of a document', () => {
    const reader = readerOf([docOf(3, { 0: 1 })])
    const input = { reader, dead: IdSet.empty }
    expect(() => mergeColumns([input, input], () => undefined)).toThrow(/in one segment only/)
  })
})
