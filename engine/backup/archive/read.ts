// Reads archives: turns the archive's bytes into entries, one after another. The input is not
// trusted: entries other than plain files and folders, paths that leave the folder, and bombs are
// refused as soon as they are read.
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Extract, Header } from 'tar-stream'
import { StorageError } from '../../model/index.ts'
import { awaitedLater } from '../../time/index.ts'
import { ArchiveError } from './archive-error.ts'
import { EntryNames, entryPath, shownName } from './entry-path.ts'
import { ARCHIVE_LIMITS, type ArchiveLimits, CHUNK_BYTES, RATIO_FROM_BYTES } from './limits.ts'
import { drained } from './pack.ts'

export type ArchiveEntry = {
  /** Relative, safe; `''` for the archive's root folder. */
  readonly path: string
  readonly kind: 'file' | 'folder'
  /** Bytes of the content. */
  readonly bytes: number
  /** Must be read before the next entry is requested; the unread part is skipped. */
  readonly content: AsyncIterable<Uint8Array>
}

/**
 * Yields the entries of an archive, compressed by gzip or not, in their order.
 * @throws ArchiveError, and errors of `source`
 */
export async function* readArchive(
  source: AsyncIterable<Uint8Array>,
  limits: ArchiveLimits = ARCHIVE_LIMITS,
): AsyncGenerator<ArchiveEntry, void, undefined> {
  const { extract: newExtract } = await import('./tar-layer.ts')
  const extract = newExtract()
  const gate = new Gate(limits)
  const fed = feed(extract, unpacked(source, limits))
  fed.catch((error: unknown) => extract.destroy(error as Error))
  try {
    for await (const entry of extract) {
      const header = entry.header as Header
      const { path, kind } = gate.admit(header)
      const chunks = entry[Symbol.asyncIterator]() as AsyncIterator<Uint8Array>
      const content = exactly(chunks, header.size, path)
      yield { path, kind, bytes: header.size, content }
      while ((await content.next()).done !== true);
    }
    await fed
  } catch (error) {
    throw inWords(error)
  } finally {
    extract.destroy()
  }
  if (gate.entries === 0) throw new ArchiveError('damaged', 'it is empty')
}

/** Counts entries and bytes and checks them against the limits. */
class Gate {
  readonly #limits: ArchiveLimits
  readonly #names = new EntryNames()
  entries = 0

  constructor(limits: ArchiveLimits) {
    this.#limits = limits
  }

  /** @throws ArchiveError */
  admit({ name, type, size, linkname }: Header): Pick<ArchiveEntry, 'path' | 'kind'> {
    const { entriesMax, entryBytesMax } = this.#limits
    if (++this.entries > entriesMax) {
      throw new ArchiveError('too_large', `it has more than ${entriesMax} entries`)
    }
    const shown = shownName(name)
    if (type !== 'file' && type !== 'directory') {
      const words = `the entry \`${shown}\` is neither a file nor a folder (${type ?? 'unknown'})`
      throw new ArchiveError('unsafe', words)
    }
    const isFolder = type === 'directory' || name.endsWith('/')
    if ((linkname ?? '') !== '' || (isFolder && size !== 0)) {
      throw new ArchiveError('unsafe', `the header of the entry \`${shown}\` contradicts itself`)
    }
    if (!Number.isSafeInteger(size) || size > entryBytesMax) {
      const words = `the entry \`${shown}\` has ${size} bytes, at most ${entryBytesMax} are allowed`
      throw new ArchiveError('too_large', words)
    }
    const path = entryPath(name)
    if (path === '' && !isFolder) {
      throw new ArchiveError('unsafe', `the entry \`${shown}\` is a file without a name`)
    }
    const kind = isFolder ? 'folder' : 'file'
    if (path !== '') this.#names.add(path, kind)
    return { path, kind }
  }
}

/** Yields the content; throws if it is shorter than its header says. */
async function* exactly(
  chunks: AsyncIterator<Uint8Array>,
  bytes: number,
  path: string,
): AsyncGenerator<Uint8Array, void, undefined> {
  let got = 0
  for (;;) {
    const next = await chunks.next().catch((error: unknown) => {
      throw inWords(error)
    })
    if (next.done === true) break
    got += next.value.length
    yield next.value
  }
  if (got === bytes) return
  const words = `the entry \`${path}\` has ${got} bytes, its header says ${bytes}`
  throw new ArchiveError('damaged', words)
}

async function feed(extract: Extract, source: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of source) {
    if (extract.destroying) return
    if (!extract.write(chunk)) await drained(extract)
  }
  extract.end(undefined)
}

/** Yields the bytes of the tar: decompressed if necessary, never more than the limit. */
async function* unpacked(
  source: AsyncIterable<Uint8Array>,
  { unpackedBytesMax, ratioMax }: ArchiveLimits,
): AsyncGenerator<Uint8Array, void, undefined> {
  let packedBytes = 0
  let bytes = 0
  async function* counted(): AsyncGenerator<Uint8Array, void, undefined> {
    for await (const chunk of source) {
      packedBytes += chunk.length
      yield chunk
    }
  }
  for await (const chunk of decompressed(counted())) {
    bytes += chunk.length
    if (bytes > unpackedBytesMax) {
      throw new ArchiveError('too_large', `it unpacks to more than ${unpackedBytesMax} bytes`)
    }
    if (bytes > RATIO_FROM_BYTES && bytes > packedBytes * ratioMax) {
      const words = `it unpacks to more than ${ratioMax} times its size, as only bombs do`
      throw new ArchiveError('too_large', words)
    }
    yield chunk
  }
}

async function* decompressed(
  source: AsyncGenerator<Uint8Array, void, undefined>,
): AsyncGenerator<Uint8Array, void, undefined> {
  const first = await source.next()
  if (first.done === true) return
  const head = first.value
  async function* whole(): AsyncGenerator<Uint8Array, void, undefined> {
    yield head
    yield* source
  }
  if (head[0] !== 0x1f || head[1] !== 0x8b) {
    yield* whole()
    return
  }
  const gunzip = createGunzip({ chunkSize: CHUNK_BYTES })
  const fed = awaitedLater(pipeline(whole(), gunzip))
  try {
    for await (const chunk of gunzip) yield chunk as Uint8Array
    await fed
  } finally {
    gunzip.destroy()
  }
}

/** Turns errors of the libraries into an ArchiveError; returns errors of the source unchanged. */
function inWords(error: unknown): unknown {
  if (error instanceof ArchiveError || error instanceof StorageError) return error
  if (!(error instanceof Error)) return error
  const code = 'code' in error ? String(error.code) : ''
  // tar-stream has no error code for it.
  if (code === 'Z_BUF_ERROR' || error.message === 'Unexpected end of data') {
    return new ArchiveError('damaged', 'it ends early', { cause: error })
  }
  if (code.startsWith('Z_')) {
    const words = `its compression is damaged (${error.message})`
    return new ArchiveError('damaged', words, { cause: error })
  }
  if (error.constructor !== Error) return error
  return new ArchiveError('damaged', 'it is not a tar archive, or it is damaged', { cause: error })
}
