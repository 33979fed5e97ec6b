// The parts of a dump on their way into the archive. An archive tells the length of each part in
// front of it, so what is not known to be small goes to a file first, in a folder of the database
// that is swept at every start.
import type { NewEntry } from '../archive/index.ts'
import { type FileSystem, fileBytes } from '../storage/index.ts'
import { SPOOL_CHUNK_BYTES } from './limits.ts'

const encoder = new TextEncoder()

export class Spool {
  readonly #fs: FileSystem
  readonly #folder: string
  readonly #entries: (() => NewEntry)[] = []
  #files = 0

  /** `folder`: exists, and is the caller's to remove. */
  constructor(fs: FileSystem, folder: string) {
    this.#fs = fs
    this.#folder = folder
  }

  folder(path: string): void {
    this.#entries.push(() => ({ kind: 'folder', path }))
  }

  /** A part that is kept in memory. */
  small(path: string, content: string | Uint8Array): void {
    const bytes = typeof content === 'string' ? encoder.encode(content) : content
    this.#entries.push(() => ({ kind: 'file', path, bytes: bytes.length, content: bytes }))
  }

  /** A part that goes through a file; returns its bytes. @throws StorageError */
  async large(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
    const file = `${this.#folder}/${++this.#files}`
    const bytes = await this.#write(file, chunks)
    const content = (): AsyncIterable<Uint8Array> => fileBytes(this.#fs, file)
    this.#entries.push(() => ({ kind: 'file', path, bytes, content: content() }))
    return bytes
  }

  /** All parts, in the order in which they came. Each is opened when it is its turn. */
  *entries(): Iterable<NewEntry> {
    for (const entry of this.#entries) yield entry()
  }

  async #write(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
    const file = await this.#fs.openAsync(path, 'create')
    let at = 0
    try {
      for await (const chunk of chunks) {
        await file.writeAsync(at, chunk)
        at += chunk.length
      }
      return at
    } finally {
      file.close()
    }
  }
}

/** Values as lines of JSON, in chunks of some size. */
export async function* jsonLines(
  values: AsyncIterable<unknown> | Iterable<unknown>,
): AsyncGenerator<Uint8Array, void, undefined> {
  let lines: string[] = []
  let length = 0
  for await (const value of values) {
    const line = `${JSON.stringify(value)}\n`
    lines.push(line)
    length += line.length
    if (length < SPOOL_CHUNK_BYTES) continue
    yield encoder.encode(lines.join(''))
    lines = []
    length = 0
  }
  if (length > 0) yield encoder.encode(lines.join(''))
}
