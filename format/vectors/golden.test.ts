// The annotated bytes of a small segment: three documents, two embedders.
import { describe, expect, it } from 'vitest'
import { encodeVectors, openVectors } from '../../fixtures/format/vectors/model.ts'
import { expectGolden } from '../../fixtures/golden.ts'
import type { Note } from '../annotate/index.ts'
import { frameNotes, type SectionNotes } from '../frame/test-notes.ts'
import { VECTORS_KIND } from './vectors-v1.ts'

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
function notes(...lines: readonly (readonly [number, string])[]): Note[] {
  let at = 0
  return lines.map(([length, text]) => {
    at += length
    return { from: at - length, to: at, text }
  })
}

const INSIDE: SectionNotes = new Map([
  [
    'ROWS',
    notes(
      [8, 'ROWS: embedder a, row 0: 1, -0.5'],
      [8, 'row 1: 0, 2'],
      [8, 'row 2: 3, 4'],
      [8, 'embedder bits, row 0: the step, then 1, -1, 0.25 in nibbles and zeros'],
    ),
  ],
  [
    'EMBS',
    notes(
      [1, 'EMBS: 2 embedders'],
      [5, '"a": 2 dimensions, floats with fragments, 3 rows'],
      [8, '"bits": 3 dimensions, nibbles, 1 row'],
    ),
  ],
  ['DOCS', notes([12, 'DOCS: 3 documents, from 10 to 13'], [22, 'their ids: {10, 11, 13}'])],
  [
    'STAT',
    notes(
      [12, 'STAT: embedder a, first rows of 10, 11, 13: 0, 1, 1'],
      [4, 'number of its rows'],
      [3, 'flags: brought, brought, regenerated'],
      [1, 'padding'],
      [12, 'embedder bits, first rows of 10, 11, 13: 0, 0, 1'],
      [4, 'number of its rows'],
      [3, 'flags: no entry, an entry, no entry'],
      [1, 'padding'],
    ),
  ],
  ['FRAG', notes([3, 'FRAG: embedder a, fragments of its rows: none, 0, 2'])],
])

describe('bytes of a vectors segment', () => {
  it('are as described', () => {
    const bytes = encodeVectors(DOCUMENTS)
    const shown = expectGolden(
      'vectors/v1/three-documents',
      bytes,
      frameNotes(bytes, VECTORS_KIND, INSIDE),
    )
    const a = openVectors(shown).embedder('a')!
    expect([...a.starts]).toEqual([0, 1, 1, 3])
    expect([...a.fragments()!]).toEqual([255, 0, 2])
  })
})
