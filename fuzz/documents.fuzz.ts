// Any sections under right checksums, opened as a documents segment: every method returns in
// bounded time or throws a typed error. The input is the sections one after another, each after its
// length in two bytes. Page: format/documents/DOCUMENTS.md

import {
  compressRuns,
  decompressRuns,
  reframed,
  sectionsOf,
} from '../fixtures/format/documents/stand-ins.ts'
import {
  DocumentsReader,
  DocumentsWriter,
  encodeRecord,
  mergeDocuments,
  RecordFields,
  renderRecord,
} from '../format/documents/index.ts'
import { documentsNotes } from '../format/documents/test-notes.ts'
import { assert, CorruptionError } from '../format/errors.ts'
import { IdSet } from '../format/idset/index.ts'
import { JsonBuffer } from '../format/json/index.ts'
import type { FuzzTarget } from './target.ts'

const TAGS = ['BLKS', 'BIDX', 'RUNS', 'XIDS', 'XEND', 'XHSH']
const IDS_ASKED = 200

export const target: FuzzTarget = {
  name: 'documents',
  seeds: () => [seed([]), seed([1, 2, 3]), seed([7, 9, 10, 4000000000]), seed(many(120))],
  run,
  allows: (error) => error instanceof CorruptionError,
  inputBytesMax: 8192,
}

const many = (n: number): number[] => Array.from({ length: n }, (_, i) => i * 2)

function seed(ids: readonly number[]): Uint8Array {
  const parts: Uint8Array[] = []
  const writer = new DocumentsWriter((bytes) => parts.push(bytes.slice()), compressRuns)
  const text = new TextEncoder()
  for (const id of ids) {
    const value = text.encode(`"${'x'.repeat(id % 100)}"`)
    writer.add(
      id,
      text.encode(`id-${id}`),
      encodeRecord([
        [id % 5, value],
        [7, text.encode('1')],
      ]),
    )
  }
  writer.finish()
  const out: number[] = []
  for (const section of sectionsOf(new Uint8Array(Buffer.concat(parts))).values()) {
    out.push(section.length & 255, section.length >>> 8, ...section)
  }
  return Uint8Array.from(out)
}

function run(input: Uint8Array): void {
  const sections = new Map<string, Uint8Array>()
  let at = 0
  for (const tag of TAGS) {
    const length = (input[at] ?? 0) | ((input[at + 1] ?? 0) << 8)
    sections.set(tag, input.subarray(at + 2, at + 2 + length))
    at += 2 + length
  }
  const frame = reframed(sections)
  const reader = DocumentsReader.ofBytes(frame, decompressRuns)
  askAll(reader)
  reader.verifyAll()
  // A segment that passed the full check is sound: a merge writes its documents again.
  assert(
    documentsNotes(frame, decompressRuns).at(-1)!.to === frame.length,
    'every byte is explained',
  )
  const writer = new DocumentsWriter(() => undefined, compressRuns)
  mergeDocuments([{ reader, dead: IdSet.empty }], writer)
  writer.finish()
  assert(writer.count === reader.count, 'nothing is lost in a merge')
}

function askAll(reader: DocumentsReader): void {
  const fields = new RecordFields()
  const out = new JsonBuffer()
  const ids = reader.idSet().first(IDS_ASKED)
  for (const id of ids) {
    assert(reader.has(id), 'an id of the set is there')
    const record = reader.record(id)
    assert(record !== null, 'an id of the set has a record')
    fields.read(record)
    out.clear()
    renderRecord(record, () => record, null, out)
    const externalId = reader.externalId(id)
    assert(externalId !== null && externalId.length > 0, 'an id of the set has an external id')
    reader.idOf(externalId)
  }
}
