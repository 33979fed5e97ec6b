// JSON as bytes: checking an upload, writing values in their canonical form.
import { KiB } from '../../format/bytes/index.ts'
import { Canonical, JsonBuffer, JsonScanner } from '../../format/json/index.ts'
import type { Bench, Benchmark, Work } from './benchmark.ts'
import { linesOf, makeDocuments } from './data.ts'

const DOCUMENTS = 2_000
const CHUNK_BYTES = 64 * KiB

const linesFor = ({ isSmoke }: Bench): Uint8Array =>
  linesOf(makeDocuments(isSmoke ? 50 : DOCUMENTS))

/** Scans like an upload: in chunks, with a call per document. */
function scan(bench: Bench): Work {
  const bytes = linesFor(bench)
  const run = (): number => {
    const scanner = new JsonScanner('stream')
    let documents = 0
    for (let at = 0; at < bytes.length; at += CHUNK_BYTES) {
      scanner.feed(bytes.subarray(at, at + CHUNK_BYTES))
      while (scanner.next()) documents++
    }
    if (scanner.finish()) documents++
    return documents
  }
  return { operations: run(), bytes: bytes.length, run }
}

function canonical(bench: Bench): Work {
  const bytes = linesFor(bench)
  const writer = new Canonical()
  const out = new JsonBuffer(bytes.length * 2)
  let documents = 0
  for (const byte of bytes) if (byte === 10) documents++
  return {
    operations: documents,
    bytes: bytes.length,
    run: () => {
      out.clear()
      for (let at = 0; at < bytes.length; ) at = writer.write(bytes, at, out) + 1
      return out.length
    },
  }
}

export const JSON_BENCHMARKS: readonly Benchmark[] = [
  { name: 'json/scan', about: 'checking an upload', operation: 'document', prepare: scan },
  {
    name: 'json/canonical',
    about: 'writing the canonical form',
    operation: 'document',
    prepare: canonical,
  },
]
