// Vectors segments with right checksums and any content: the input is the sections, and the frame
// is built around it here, so changes reach the decoders behind the checksums.

import { encodeVectors } from '../fixtures/format/vectors/model.ts'
import { ByteReader, ByteWriter } from '../format/bytes/index.ts'
import { CorruptionError, VersionError } from '../format/errors.ts'
import { Frame } from '../format/frame/index.ts'
import { encodeFrame } from '../format/frame/writer-v1.ts'
import {
  Candidates,
  checkVectors,
  type EmbedderRows,
  entriesAt,
  RowSearch,
  VectorsReader,
} from '../format/vectors/index.ts'
import { SimilarityTo } from '../format/vectors/similarity.ts'
import type { FuzzTarget } from './target.ts'

const SECTIONS = ['ROWS', 'EMBS', 'DOCS', 'STAT', 'FRAG', 'CODE', 'LIST'] as const
const OPTIONAL: ReadonlySet<string> = new Set(['FRAG', 'CODE', 'LIST'])
const READ_MAX = 20
const NOTHING = new Uint8Array(0)

/** Returns a segment of `count` documents, as an input of the target. */
function seed(
  count: number,
  step: number,
  withFragments: boolean,
  rowsMin = Number.POSITIVE_INFINITY,
): Uint8Array {
  const documents = Array.from({ length: count }, (_, i) => ({
    id: i * step,
    entries: [
      {
        embedder: 'main',
        vectors: i % 4 === 3 ? [] : [[i, 1, -i, 0.5]],
        regenerates: i % 2 === 0,
        ...(withFragments && i % 4 !== 3 ? { fragments: Uint8Array.of(i % 3) } : {}),
      },
      ...(i % 3 === 0
        ? [{ embedder: 'bits', form: 'nibbles' as const, vectors: [[i, -1, 2]] }]
        : []),
    ],
  }))
  const frame = Frame.open(encodeVectors(documents, { rowsMin, shareMax: 1 }), 'VECT')
  const out = new ByteWriter(1024)
  for (const tag of SECTIONS) {
    const bytes = frame.has(tag) ? frame.section(tag, 1, 2).bytes : NOTHING
    out.varint(bytes.length)
    out.bytes(bytes)
  }
  return out.finish()
}

function frameOf(input: Uint8Array): Uint8Array {
  const reader = new ByteReader(input, 'input')
  // Inputs that were found before there were lists end before them.
  const sections = SECTIONS.map(
    (tag) => [tag, reader.left === 0 ? NOTHING : reader.take(reader.varint())] as const,
  )
  const hasLists = sections.some(([tag, bytes]) => tag === 'LIST' && bytes.length > 0)
  return encodeFrame('VECT', (writer) => {
    for (const [tag, bytes] of sections) {
      if (!OPTIONAL.has(tag) || bytes.length > 0)
        writer.section(tag, tag === 'EMBS' && hasLists ? 2 : 1, bytes)
    }
  })
}

/** Scans codes, which may give any estimates; rows must be those of the segment. */
function scan(rows: EmbedderRows, query: Float32Array): void {
  const candidates = new Candidates(READ_MAX)
  const search = new RowSearch(query)
  search.scan(rows, 0, candidates, null)
  for (const found of candidates.take().values()) search.similarities(rows, found)
}

function run(input: Uint8Array): void {
  const frame = Frame.open(frameOf(input), 'VECT')
  const reader = VectorsReader.open(frame)
  for (const id of reader.ids.first(READ_MAX)) entriesAt(reader, reader.placeOf(id))
  for (const rows of reader.embedders) {
    const query = new Float32Array(rows.dimensions).fill(1)
    const similarity = new SimilarityTo(query)
    if (rows.codes !== null) scan(rows, query)
    for (let row = 0; row < Math.min(rows.count, READ_MAX); row++) similarity.of(rows, row)
    rows.idsWhere((_, count) => count > 0)
    rows.idsOfFragment(1)
  }
  checkVectors(frame)
}

export const target: FuzzTarget = {
  name: 'vectors',
  seeds: () => [
    seed(1, 1, false),
    seed(7, 1, true),
    seed(30, 3, false),
    seed(400, 2, true),
    seed(300, 1, false, 100),
  ],
  run,
  allows: (error) => error instanceof CorruptionError || error instanceof VersionError,
  inputBytesMax: 65536,
}
