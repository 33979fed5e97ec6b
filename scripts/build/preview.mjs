// Builds the preview page out of `server/page`: one script, one style sheet, one page, one icon,
// each packed as well as can be beside it, so that the server only hands them out. Addresses carry
// a digest of what they lead to, and may be kept for ever.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** Fills `folder`; resolves to file name → its bytes, and when packed by Brotli. */
export async function buildPreview(root, folder) {
  const source = (name) => join(root, 'server/page', name)
  const common = { bundle: true, minify: true, write: false, legalComments: 'none' }
  const [script, style] = await Promise.all([
    build({ ...common, entryPoints: [source('index.ts')], format: 'esm', target: 'es2022' }),
    build({ ...common, entryPoints: [source('page.css')], external: ['/preview/*'] }),
  ])
  const files = new Map([
    ['page.js', Buffer.from(script.outputFiles[0].contents)],
    ['page.css', Buffer.from(style.outputFiles[0].contents)],
    ['icon.svg', readFileSync(source('icon.svg'))],
  ])
  const page = readFileSync(source('page.html'), 'utf8').replace(
    /\/preview\/([a-z]+\.[a-z]+)/g,
    (address, name) => `${address}?v=${digest(files.get(name))}`,
  )
  files.set('page.html', Buffer.from(page))
  mkdirSync(folder, { recursive: true })
  const sizes = new Map()
  for (const [name, bytes] of files) {
    const options = { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }
    const packed = brotliCompressSync(bytes, options)
    writeFileSync(join(folder, name), bytes)
    writeFileSync(join(folder, `${name}.br`), packed)
    writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes, { level: 9 }))
    sizes.set(name, { bytes: bytes.length, packed: packed.length })
  }
  return sizes
}

/** As `server/preview` makes it out of a file. */
const digest = (bytes) => createHash('sha256').update(bytes).digest('hex').slice(0, 16)
