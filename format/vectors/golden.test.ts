// The annotated bytes of a small segment: three documents, two embedders.
import { describe, it } from 'vitest'
import { encodeVectors } from '../../fixtures/format/vectors/model.ts'
import { expectGolden } from '../../fixtures/golden.ts'
import type { Note } from '../annotate/index.ts'

const DOCUMENTS = [
  { id: 10, entries: [{ embedder: 'a', vectors: [[1, -0.5]] }] },
  {
    id: 11,
    entries: [
      { embedder: 'a', vectors: [] },
      { embedder: 'bits', form: 'nibbles' as const, vectors: [[1, -1, 0.25]], isOwn: false },
    ],
  },
  {
    id: 13,
    entries: [
      {
        embedder: 'a',
        regenerates: true,
        isOwn: false,
        fragments: Uint8Array.of(0, 2),
        vectors: [
          [0, 2],
          [3, 4],
        ],
      },
    ],
  },
]

/** Notes that follow one another without gaps: lengths and meanings. */
function notes(lines: readonly (readonly [number, string])[]): Note[] {
  let at = 0
  return lines.map(([length, text]) => {
    at += length
    return { from: at - length, to: at, text }
  })
}

const NOTES = notes([
  [16, 'frame header: "SVCF", kind "VECT", version 1'],
  [8, 'ROWS: embedder a, row 0: 1, -0.5'],
  [8, 'row 1: 0, 2'],
  [8, 'row 2: 3, 4'],
  [8, 'embedder bits, row 0: the step, then 1, -1, 0.25 in nibbles and zeros'],
  [1, 'EMBS: 2 embedders'],
  [5, '"a": 2 dimensions, floats with fragments, 3 rows'],
  [8, '"bits": 3 dimensions, nibbles, 1 row'],
  [2, 'padding'],
  [12, 'DOCS: 3 documents, from 10 to 13'],
])

describe('bytes of a vectors segment', () => {
  it('are as described', () => {
    expectGolden('vectors/v1/three-documents', encodeVectors(DOCUMENTS), NOTES)
  })
})
