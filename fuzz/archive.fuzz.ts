// Fuzzes the reader of archives: any bytes give entries with safe paths, or a readable error. The
// first byte says whether the remaining bytes are a tar or must first be compressed with gzip.
import { gzipSync } from 'node:zlib'
import {
  ArchiveError,
  type NewEntry,
  packArchive,
  readArchive,
} from '../engine/backup/archive/index.ts'
import { assert } from '../format/errors.ts'
import type { FuzzTarget } from './target.ts'

const text = (words: string): Uint8Array => new TextEncoder().encode(words)
const file = (path: string, words: string): NewEntry => {
  const content = text(words)
  return { kind: 'file', path, bytes: content.length, content }
}

const SEEDS: readonly (readonly NewEntry[])[] = [
  [file('metadata.json', '{"dumpVersion":"V6"}')],
  [
    { kind: 'folder', path: './' },
    { kind: 'folder', path: 'tasks' },
    file('tasks/queue.jsonl', ''),
  ],
  [file(`indexes/${'long'.repeat(40)}/documents.jsonl`, '{"id":1}\n')],
]
const LIMITS = { entriesMax: 8, entryBytesMax: 4096, unpackedBytesMax: 65536, ratioMax: 100 }

async function tarOf(entries: readonly NewEntry[]): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  const modifiedAt = new Date(0)
  for await (const chunk of packArchive(entries, { gzipLevel: null, modifiedAt })) {
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
const TARS = await Promise.all(SEEDS.map(tarOf))

async function* inPieces(bytes: Uint8Array, pieceBytes: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield bytes.subarray(at, at + pieceBytes)
  }
}

export const target: FuzzTarget = {
  name: 'archive',
  seeds: () => TARS.flatMap((tar) => [0, 1].map((mode) => new Uint8Array([mode, ...tar]))),
  run: async (input) => {
    const mode = input[0] ?? 0
    const tar = input.subarray(1)
    const bytes = mode % 2 === 0 ? tar : gzipSync(tar, { level: 1 })
    const seen = new Set<string>()
    for await (const entry of readArchive(inPieces(bytes, 1 + mode * 8), LIMITS)) {
      const { path, kind, content } = entry
      assert(!seen.has(path) || path === '', 'every entry comes once')
      seen.add(path)
      const names = path.split('/')
      assert(!path.startsWith('/') && !names.includes('..'), 'a path stays inside')
      assert(path === '' ? kind === 'folder' : !names.includes(''), 'a file has a name')
      let got = 0
      for await (const chunk of content) got += chunk.length
      assert(got === entry.bytes, 'an entry is as long as it says')
    }
  },
  allows: (error) => error instanceof ArchiveError,
  inputBytesMax: 8192,
}
