// The built files of the pages. Each file is read at its first request.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { brotliCompressSync, gzipSync } from 'node:zlib'

const TYPES = {
  'page.html': 'text/html; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'markdown.js': 'text/javascript; charset=utf-8',
  'api.html': 'text/html; charset=utf-8',
  'api.css': 'text/css; charset=utf-8',
  'api.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
  'llms.txt': 'text/plain; charset=utf-8',
} as const
export type FileName = keyof typeof TYPES

export type PreviewFile = {
  readonly type: string
  /** The first 16 hexadecimal digits of its SHA-256; addresses of the file contain them. */
  readonly digest: string
  readonly bytes: Uint8Array
  readonly packed: { readonly br: Uint8Array; readonly gzip: Uint8Array }
}

/** Options of the launch that the page has to know. */
export type PageOptions = {
  /** True if the page offers no changes. */
  readonly isReadOnly: boolean
  /** Origins of the pictures that the page may show. */
  readonly images: readonly string[]
}

/**
 * Returns a function that reads files of `folder` and caches them. It rejects with the read error
 * if the build is not complete.
 */
export function previewFiles(
  folder: URL,
  options: PageOptions,
): (name: FileName) => Promise<PreviewFile> {
  const files = new Map<FileName, Promise<PreviewFile>>()
  return (name) => {
    let file = files.get(name)
    if (file === undefined) {
      file = readPreviewFile(folder, name, name === 'page.html' ? attributesOf(options) : '')
      files.set(name, file)
      // A failure is not cached: the next request reads the file again.
      file.catch(() => files.delete(name))
    }
    return file
  }
}

/** Returns the options as attributes of the page's first element, or an empty text. */
const attributesOf = ({ isReadOnly, images }: PageOptions): string =>
  (isReadOnly ? ' data-read-only' : '') +
  (images.length === 0 ? '' : ` data-images="${images.join(' ')}"`)

async function readPreviewFile(
  folder: URL,
  name: FileName,
  attributes: string,
): Promise<PreviewFile> {
  const [bytes, br, gzip] = await Promise.all(
    ['', '.br', '.gz'].map((ending) => readFile(new URL(name + ending, folder))),
  )
  if (attributes !== '') {
    const text = bytes!.toString().replace('<html lang="en">', `<html lang="en"${attributes}>`)
    return fileOf(name, Buffer.from(text), brotliCompressSync(text), gzipSync(text))
  }
  return fileOf(name, bytes!, br!, gzip!)
}

function fileOf(name: FileName, bytes: Buffer, br: Buffer, gzip: Buffer): PreviewFile {
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  return { type: TYPES[name], digest, bytes, packed: { br, gzip } }
}
