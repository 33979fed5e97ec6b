// The built files of the pages. Each file is read at its first request.
import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'

const TYPES = {
  'page.html': 'text/html; charset=utf-8',
  'page.css': 'text/css; charset=utf-8',
  'page.js': 'text/javascript; charset=utf-8',
  'api.html': 'text/html; charset=utf-8',
  'api.css': 'text/css; charset=utf-8',
  'api.js': 'text/javascript; charset=utf-8',
  'icon.svg': 'image/svg+xml',
} as const
export type FileName = keyof typeof TYPES

export type PreviewFile = {
  readonly type: string
  /** The first 16 hexadecimal digits of its SHA-256; addresses of the file contain them. */
  readonly digest: string
  readonly bytes: Uint8Array
  readonly packed: { readonly br: Uint8Array; readonly gzip: Uint8Array }
}

/**
 * Returns a function that reads files of `folder` and caches them. It rejects with the read error
 * if the build is not complete.
 */
export function previewFiles(folder: URL): (name: FileName) => Promise<PreviewFile> {
  const files = new Map<FileName, Promise<PreviewFile>>()
  return (name) => {
    let file = files.get(name)
    if (file === undefined) {
      file = readPreviewFile(folder, name)
      files.set(name, file)
      // A failure is not cached: the next request reads the file again.
      file.catch(() => files.delete(name))
    }
    return file
  }
}

async function readPreviewFile(folder: URL, name: FileName): Promise<PreviewFile> {
  const [bytes, br, gzip] = await Promise.all(
    ['', '.br', '.gz'].map((ending) => readFile(new URL(name + ending, folder))),
  )
  const digest = createHash('sha256').update(bytes!).digest('hex').slice(0, 16)
  return { type: TYPES[name], digest, bytes: bytes!, packed: { br: br!, gzip: gzip! } }
}
