// Builds the preview page and the page of the API out of `server/page`: for each a script, a style
// sheet and a page, and one icon; and the list of the documentation for language models. Each is
// also written compressed, so that the server only reads files. Addresses carry a digest of the file
// they name, and may be cached without end.
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { build } from 'esbuild'

/** Name of a page, its style sheet and its script → where the script begins. */
const PAGES = { page: 'index.ts', api: 'api.ts' }

/** The library in `markdown.js`. */
export const PREVIEW_LIBRARY = 'node_modules/marked/lib/marked.esm.js'

/** Leaves the script that shows Markdown out of the page's script. */
const markdownApart = {
  name: 'markdown-apart',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/markdown\.ts$/ }, () => ({ path: './markdown.js', external: true }))
  },
}

const SCRIPT = { format: 'esm', target: 'es2022' }

/** Fills `folder`; resolves to file name → its bytes, and when packed by Brotli. */
export async function buildPreview(root, folder) {
  const source = (name) => join(root, 'server/page', name)
  const files = new Map([['icon.svg', readFileSync(source('icon.svg'))]])
  await Promise.all(
    Object.entries(PAGES).map(async ([name, entry]) => {
      const [script, style] = await Promise.all([
        bundled(source(entry), { ...SCRIPT, plugins: [markdownApart] }),
        bundled(source(`${name}.css`), { external: ['./icon.svg'] }),
      ])
      files.set(`${name}.js`, script).set(`${name}.css`, style)
    }),
  )
  // The page loads it when a chat answers.
  files.set('markdown.js', await bundled(source('search/markdown.ts'), SCRIPT))
  for (const name of Object.keys(PAGES)) {
    const text = readFileSync(source(`${name}.html`), 'utf8')
    const page = text.replace(
      /preview\/([a-z]+\.[a-z]+)/g,
      (address, file) => `${address}?v=${digest(files.get(file))}`,
    )
    files.set(`${name}.html`, Buffer.from(page))
  }
  files.set('llms.txt', Buffer.from(listOfPages(root)))
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

/** The list in docs/, with the pages of this release. */
function listOfPages(root) {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const list = readFileSync(join(root, 'docs/llms.txt'), 'utf8')
  return list.replaceAll('/main/docs/', `/v${version}/docs/`)
}

async function bundled(entry, options) {
  const common = { bundle: true, minify: true, write: false, legalComments: 'none' }
  const { outputFiles } = await build({ ...common, ...options, entryPoints: [entry] })
  return Buffer.from(outputFiles[0].contents)
}

/** As `server/preview` makes it out of a file. */
const digest = (bytes) => createHash('sha256').update(bytes).digest('hex').slice(0, 16)
