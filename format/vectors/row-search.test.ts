// Searching rows: the kernel computes the same similarities as plain code.

import { describe, expect, it } from 'vitest'
import { drawn, drawnRows, vectorOf } from '../../fixtures/format/vectors/model.ts'
import { RowSearch } from './index.ts'
import { SimilarityTo } from './similarity.ts'

describe('the kernel', () => {
  it('gives the same similarities as plain code', () => {
    for (const [dimensions, form] of [
      [1, undefined],
      [7, undefined],
      [16, undefined],
      [31, undefined],
      [32, undefined],
      [77, undefined],
      [64, 'nibbles'],
      [100, 'nibbles'],
    ] as const) {
      const rows = drawnRows(100, dimensions, form)
      const query = Float32Array.from(vectorOf(dimensions, drawn(3)))
      const plain = new SimilarityTo(query)
      const wanted = Uint32Array.from({ length: 100 }, (_, row) => row)
      const fast = new RowSearch(query).similarities(rows, wanted)
      for (const row of wanted) expect(fast[row]).toBe(plain.of(rows, row))
    }
  })
})
