// Collects the parts of a dump for the archive. An archive holds the length of each part before the
// part itself, so parts that may be large go to a file first: one file for all parts, in a folder
// of the database that is emptied at every start.

import { encoder } from '../../../format/bytes/index.ts'
import type { File, FileSystem } from '../../store/storage/index.ts'
import type { NewEntry } from '../archive/index.ts'
import { SPOOL_CHUNK_BYTES } from './limits.ts'

export class Spool {
  readonly #file: File
  readonly #entries: (() => NewEntry)[] = []
  #end = 0

  private constructor(file: File) {
    this.#file = file
  }

  /** `path`: a new file, which the caller removes after closing the spool. @throws StorageError */
  static async open(fs: FileSystem, path: string): Promise<Spool> {
    return new Spool(await fs.openAsync(path, 'create'))
  }

  close(): void {
    this.#file.close()
  }

  folder(path: string): void {
    this.#entries.push(() => ({ kind: 'folder', path }))
  }

  /** Adds a part that is kept in memory. */
  small(path: string, content: string | Uint8Array): void {
    const bytes = typeof content === 'string' ? encoder.encode(content) : content
    this.#entries.push(() => ({ kind: 'file', path, bytes: bytes.length, content: bytes }))
  }

  /** Adds a part through the file, one at a time. Returns its bytes. @throws StorageError */
  async large(path: string, chunks: AsyncIterable<Uint8Array>): Promise<number> {
    const begin = this.#end
    for await (const chunk of chunks) {
      await this.#file.writeAsync(this.#end, chunk)
      this.#end += chunk.length
    }
    const bytes = this.#end - begin
    this.#entries.push(() => ({ kind: 'file', path, bytes, content: this.#read(begin, bytes) }))
    return bytes
  }

  /** Yields all parts in the order of their addition. Each is read when it is consumed. */
  *entries(): Iterable<NewEntry> {
    for (const entry of this.#entries) yield entry()
  }

  async *#read(begin: number, bytes: number): AsyncGenerator<Uint8Array, void, undefined> {
    for (let at = 0; at < bytes; at += SPOOL_CHUNK_BYTES) {
      const chunk = new Uint8Array(Math.min(SPOOL_CHUNK_BYTES, bytes - at))
      const got = await this.#file.readAsync(begin + at, chunk)
      yield chunk.subarray(0, got)
    }
  }
}

/** Yields values as lines of JSON, collected into chunks. */
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
