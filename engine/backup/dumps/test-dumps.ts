// Handmade dumps for tests: files by their paths, packed into an archive in memory, or unpacked
// into a folder as an import finds them.

import { FakeDisk, type FileSystem } from '../../store/storage/index.ts'
import { type NewEntry, packArchive } from '../archive/index.ts'
import type { DumpFiles } from './lines.ts'

export type Files = { readonly [path: string]: string }

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)

/** Encodes values as lines. */
export const lines = (values: readonly unknown[]): string =>
  values.map((value) => `${JSON.stringify(value)}\n`).join('')

/** Returns all values. */
export async function collected<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const value of values) all.push(value)
  return all
}

export async function packed(files: Files): Promise<Uint8Array> {
  const entries = Object.entries(files).map(([path, text]): NewEntry => {
    const content = bytesOf(text)
    return { kind: 'file', path, bytes: content.length, content }
  })
  const chunks: Uint8Array[] = []
  for await (const chunk of packArchive(entries, { gzipLevel: 1, modifiedAt: new Date(0) })) {
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** Returns a file system with one file, the archive. */
export async function diskWith(files: Files, name = 'x.dump'): Promise<FileSystem> {
  const fs = new FakeDisk().mount()
  const file = fs.open(name, 'create')
  file.write(0, await packed(files))
  file.close()
  return fs
}

/** Returns the files in the form in which an import reads them. */
export function unpackedFiles(files: Files): DumpFiles {
  const fs = new FakeDisk().mount()
  const folder = 'in'
  const sizes = new Map<string, number>()
  fs.makeDirectory(folder)
  for (const [path, text] of Object.entries(files)) {
    const names = path.split('/')
    for (let i = 1; i < names.length; i++) {
      fs.makeDirectory(`${folder}/${names.slice(0, i).join('/')}`)
    }
    const bytes = bytesOf(text)
    const file = fs.open(`${folder}/${path}`, 'create')
    file.write(0, bytes)
    file.close()
    sizes.set(path, bytes.length)
  }
  return { fs, folder, sizes }
}

const DATE = '2026-01-02T03:04:05.123456789Z'

/** A small dump of the newest version; `more` replaces or adds files. */
export const smallDump = (more: Files = {}): Files => ({
  'metadata.json': JSON.stringify({ dumpVersion: 'V6', dbVersion: '1.50.0', dumpDate: DATE }),
  'keys.jsonl': '',
  'tasks/queue.jsonl': '',
  'indexes/books/metadata.json': JSON.stringify({
    uid: 'books',
    primaryKey: 'id',
    createdAt: DATE,
    updatedAt: '2026-01-03T03:04:05Z',
  }),
  'indexes/books/settings.json': JSON.stringify({ filterableAttributes: ['year'] }),
  'indexes/books/documents.jsonl': lines([
    { id: 1, title: 'One', year: 1950 },
    { id: 2, title: 'Two', year: 1960 },
  ]),
  ...more,
})
