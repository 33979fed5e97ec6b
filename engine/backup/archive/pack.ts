// Writing: entries in, the archive's bytes out, as slowly as they are taken.

import { pipeline } from 'node:stream/promises'
import { createGzip } from 'node:zlib'
import type { Pack } from 'tar-stream'
import { awaitedLater } from '../../model/index.ts'
import { CHUNK_BYTES } from './limits.ts'

export type NewEntry =
  | { readonly kind: 'folder'; readonly path: string }
  | {
      readonly kind: 'file'
      readonly path: string
      /** How many `content` has. */
      readonly bytes: number
      readonly content: Uint8Array | AsyncIterable<Uint8Array>
    }

export type PackOptions = {
  /** 0 to 9; null: not compressed. */
  readonly gzipLevel: number | null
  /** What every entry says of its time. */
  readonly modifiedAt: Date
}

/**
 * The bytes of an archive of `entries`, in their order. Compression happens on Node's own threads.
 * What an entry fails with is thrown to whoever takes the bytes; so is content that is not as long
 * as was said.
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
        // What it fails with, the callback hears.
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

/** Resolves when more may be written, or when nothing will be. */
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
