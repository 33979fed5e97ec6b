// A small handmade dump in the form of an older Meilisearch: an archive of files with the metadata,
// the settings and the documents of an index.
import { type NewEntry, packArchive } from '../../engine/backup/archive/index.ts'

export const DUMPED_INDEX = 'books'
const DATE = '2026-01-02T03:04:05Z'

const FILES: { readonly [path: string]: readonly object[] } = {
  'metadata.json': [{ dumpVersion: 'V6', dbVersion: '1.12.0', dumpDate: DATE }],
  'keys.jsonl': [],
  'tasks/queue.jsonl': [],
  'indexes/books/metadata.json': [
    { uid: DUMPED_INDEX, primaryKey: 'id', createdAt: DATE, updatedAt: DATE },
  ],
  'indexes/books/settings.json': [{ filterableAttributes: ['year'] }],
  'indexes/books/documents.jsonl': [
    { id: 1, title: 'One', year: 1950 },
    { id: 2, title: 'Two', year: 1960 },
  ],
}

export async function smallDump(): Promise<Uint8Array> {
  const entries = Object.entries(FILES).map(([path, values]): NewEntry => {
    const content = Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
    return { kind: 'file', path, bytes: content.length, content }
  })
  const chunks: Uint8Array[] = []
  for await (const chunk of packArchive(entries, { gzipLevel: 1, modifiedAt: new Date(DATE) })) {
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
