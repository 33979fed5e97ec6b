// Stored documents: writing a segment, reading single documents, converting a record to JSON.

import { compress, decompress, randomOf } from '../../engine/store/storage/index.ts'
import {
  BlockCache,
  DocumentsReader,
  DocumentsWriter,
  encodeRecord,
  renderRecord,
} from '../../format/documents/index.ts'
import { JsonBuffer } from '../../format/json/index.ts'
import type { Bench, Benchmark, Work } from './benchmark.ts'
import { collector, makeDocuments } from './data.ts'

const DOCUMENTS = 20_000
const READS = 500
const COMPRESSION_LEVEL = 1

type Stored = { readonly externalId: Uint8Array; readonly record: Uint8Array }

function makeStored({ isSmoke }: Bench): Stored[] {
  const encoder = new TextEncoder()
  return makeDocuments(isSmoke ? 500 : DOCUMENTS).map((document) => ({
    externalId: encoder.encode(String(document.id)),
    record: encodeRecord(
      Object.values(document).map((value, i) => [i, encoder.encode(JSON.stringify(value))]),
    ),
  }))
}

function written(stored: readonly Stored[]): Uint8Array {
  const { sink, bytes } = collector()
  const writer = new DocumentsWriter(sink, (block) => compress(block, COMPRESSION_LEVEL))
  stored.forEach(({ externalId, record }, id) => {
    writer.add(id, externalId, record)
  })
  writer.finish()
  return bytes()
}

function write(bench: Bench): Work {
  const stored = makeStored(bench)
  const bytes = stored.reduce((sum, { record }) => sum + record.length, 0)
  return { operations: stored.length, bytes, run: () => written(stored).length }
}

/** Without a cache: every read decompresses its block. */
function read(bench: Bench, cacheBytes: number): Work {
  const stored = makeStored(bench)
  const reader = DocumentsReader.ofBytes(written(stored), decompress, new BlockCache(cacheBytes))
  const random = randomOf(17)
  const ids = Array.from({ length: READS }, () => random.below(stored.length))
  return {
    operations: ids.length,
    bytes: null,
    run: () => {
      let bytes = 0
      for (const id of ids) bytes += reader.record(id)!.length
      return bytes
    },
  }
}

function find(bench: Bench): Work {
  const stored = makeStored(bench)
  const reader = DocumentsReader.ofBytes(written(stored), decompress)
  const random = randomOf(19)
  const wanted = Array.from(
    { length: READS },
    () => stored[random.below(stored.length)]!.externalId,
  )
  return {
    operations: wanted.length,
    bytes: null,
    run: () => {
      let sum = 0
      for (const externalId of wanted) sum += reader.idOf(externalId)
      return sum
    },
  }
}

function render(bench: Bench): Work {
  const records = makeStored({ ...bench, isSmoke: true }).map(({ record }) => record)
  const [document] = makeDocuments(1)
  const encoder = new TextEncoder()
  const names = Object.keys(document!).map((name) => encoder.encode(JSON.stringify(name)))
  const out = new JsonBuffer(1 << 16)
  return {
    operations: records.length,
    bytes: records.reduce((sum, record) => sum + record.length, 0),
    run: () => {
      out.clear()
      for (const record of records) renderRecord(record, (id) => names[id]!, null, out)
      return out.length
    },
  }
}

export const DOCUMENTS_BENCHMARKS: readonly Benchmark[] = [
  { name: 'documents/write', about: 'a segment', operation: 'document', prepare: write },
  {
    name: 'documents/read',
    about: 'one here, one there, nothing cached',
    operation: 'document',
    prepare: (bench) => read(bench, 0),
  },
  {
    name: 'documents/read-cached',
    about: 'one here, one there, blocks cached',
    operation: 'document',
    prepare: (bench) => read(bench, 1 << 26),
  },
  { name: 'documents/find', about: 'by external id', operation: 'document', prepare: find },
  { name: 'documents/render', about: 'JSON of records', operation: 'document', prepare: render },
]
