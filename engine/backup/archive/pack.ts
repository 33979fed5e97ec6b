// Writes archives: turns entries into the archive's bytes, at the speed of the consumer.
import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Pack } from 'tar-stream'
import { awaitedLater } from '../../time/index.ts'
import { CHUNK_BYTES } from './limits.ts'

export type NewEntry =
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 'file'
      readonly path: string
      /** Bytes of `content`. */
      readonly bytes: number
      readonly content: Uint8Array | AsyncIterable<Uint8Array>
    }

export type PackOptions = {
  /** 0 to 9; null means that the archive is not compressed. */
  readonly gzipLevel: number | null
  /** The modification time of every entry. */
  readonly modifiedAt: Date
}

/**
 * Yields the bytes of an archive of `entries`, in their order. Compression runs on Node's own
 * threads. The consumer gets the error of an entry, also if its content does not have the announced
 * length.
 */
export async function* packArchive(
  entries: AsyncIterable<NewEntry> | Iterable<NewEntry>,
  { gzipLevel, modifiedAt }: PackOptions,
): AsyncGenerator<Uint8Array, void, undefined> {
  const packed = tarred(entries, modifiedAt)
  if (gzipLevel === null) {
    yield* packed
    return
  }
  const gzip = createGzip({ level: gzipLevel, chunkSize: CHUNK_BYTES })
  const fed = awaitedLater(pipeline(packed, gzip))
  try {
    for await (const chunk of gzip) yield chunk as Uint8Array
    await fed
  } finally {
    gzip.destroy()
  }
}

async function* tarred(
  entries: AsyncIterable<NewEntry> | Iterable<NewEntry>,
  modifiedAt: Date,
): AsyncGenerator<Uint8Array, void, undefined> {
  const { pack: newPack } = await import('./tar-layer.ts')
  const pack = newPack()
  const fed = feed(pack, entries, modifiedAt)
  fed.catch((error: unknown) => pack.destroy(error as Error))
  try {
    for await (const chunk of pack) yield chunk as Uint8Array
    await fed
  } finally {
    pack.destroy()
  }
}

async function feed(
  pack: Pack,
  entries: AsyncIterable<NewEntry> | Iterable<NewEntry>,
  mtime: Date,
): Promise<void> {
  for await (const entry of entries) {
    if (pack.destroying) return
    const { path: name } = entry
    await new Promise<void>((resolve, reject) => {
      const end = (error?: Error | null): void => {
        if (error) reject(error)
        else resolve()
      }
      if (entry.kind === 'folder') {
        pack.entry({ name, type: 'directory', mode: 0o700, mtime }, end)
      } else {
        const sink = pack.entry({ name, type: 'file', size: entry.bytes, mode: 0o600, mtime }, end)
        // The callback receives the error.
        sink.on('error', () => undefined)
        fill(sink, entry.content).catch((error: unknown) => sink.destroy(error as Error))
      }
    })
  }
  pack.finalize()
}

async function fill(
  sink: ReturnType<Pack['entry']>,
  content: Uint8Array | AsyncIterable<Uint8Array>,
): Promise<void> {
  for await (const chunk of content instanceof Uint8Array ? [content] : content) {
    if (sink.destroying) return
    if (chunk.length > 0 && !sink.write(chunk)) await drained(sink)
  }
  sink.end(undefined)
}

/** Resolves when more may be written, or when the stream has ended. */
export function drained(stream: {
  once(event: 'drain' | 'close', listener: () => void): unknown
  off(event: 'drain' | 'close', listener: () => void): unknown
  readonly destroyed: boolean
}): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      stream.off('drain', end)
      stream.off('close', end)
      resolve()
    }
    stream.once('drain', end)
    stream.once('close', end)
    if (stream.destroyed) end()
  })
}
