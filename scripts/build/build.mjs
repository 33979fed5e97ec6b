// Bundles the TypeScript sources into `dist`: one self-contained file for the server and for each
// worker thread (for fast starts: every opened module takes time, and V8 caches the compiled form
// of a single file, see launch.cjs), and split bundles for the tools, which load optional parts on
// demand. Packages with native parts stay outside and are resolved at run time.
import { execFileSync } from 'node:child_process'
import { chmodSync, copyFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import tokens from 'js-tiktoken/ranks/cl100k_base'
import { commitOf } from './commit.mjs'
import { bundledAgain, embedBanner, writeCommonJs, writeDeclarations } from './embed.mjs'
import { thirdPartyLicences } from './licenses.mjs'
import { buildPreview, PREVIEW_LIBRARY } from './preview.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
const dist = join(root, 'dist')
rmSync(dist, { recursive: true, force: true })

const native = ['mmap-io', 'fs-ext', 'zstd-napi']
/**
 * Imports only the called operation: a module that is also loaded on demand is bundled with all its
 * imports, which would be 65 KB for the library's operations on values.
 */
const alias = {
  '@sinclair/typebox/value': './node_modules/@sinclair/typebox/build/esm/value/check/index.mjs',
}
/** The constants of `server/config/release.ts`. */
const commit = commitOf(root)
const named = {
  ...(commit && { SVC_BUILD_COMMIT_SHA: JSON.stringify(commit.sha) }),
  ...(commit?.date && { SVC_BUILD_COMMIT_DATE: JSON.stringify(commit.date) }),
}
/**
 * Large data that few programs need is in files of `dist/data`, which are read when they are first
 * needed. These modules, which have such data or find it in a package, are replaced.
 */
const fromData = {
  name: 'from-data',
  setup({ onLoad }) {
    const read = (name) => `readFileSync(new URL('../data/${name}', import.meta.url))`
    const replace = (filter, code) =>
      onLoad({ filter }, () => ({ contents: `import { readFileSync } from 'node:fs'\n${code}` }))
    replace(/[\\/]zstd-module\.ts$/, `export const zstdModule = () => ${read('zstd.wasm')}`)
    replace(/[\\/]cl100k_base\.js$/, `export default JSON.parse(${read('cl100k-base.json')})`)
    onLoad({ filter: /[\\/]stemmer-packages\.ts$/ }, () => ({ contents: STEMMERS }))
  },
}
/** Code, not data: it is required. */
const STEMMERS = `import { createRequire } from 'node:module'
export const stemmerNamed = (name) =>
  createRequire(new URL('../data/stemmers.cjs', import.meta.url))('./stemmers.cjs')[name]`
const ZSTD = 'node_modules/@bokuweb/zstd-wasm/dist/common/zstd.wasm'

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  logLevel: 'warning',
  metafile: true,
  // Paths of packages occur in comments and names: they must not depend on the location of
  // packages.
  preserveSymlinks: true,
  outdir: dist,
  plugins: [fromData],
  alias,
  define: named,
}

/** Bundled CommonJS packages call `require`, which ES modules do not have. */
const requireBanner =
  "import { createRequire as svcCreateRequire } from 'node:module';" +
  'const require = svcCreateRequire(import.meta.url);'

const modules = {
  ...common,
  format: 'esm',
  external: native,
  splitting: true,
  banner: { js: requireBanner },
}

/** A script has its own path under another name than a module. */
const urlBanner = "const svcUrl = require('node:url').pathToFileURL(__filename).href;"

const scripts = {
  ...common,
  format: 'cjs',
  // Short names make the text a third smaller; the maps have the long ones.
  minify: true,
  define: { ...named, 'import.meta.url': 'svcUrl' },
  banner: { js: urlBanner },
  // For tests and tools: a server has threads, and never loads it.
  external: [...native, './without-threads.ts', '../without-threads.ts'],
}

/** The HTTP client of calls to other servers, which many programs never make, is a file of its own. */
const undiciApart = {
  name: 'undici-apart',
  setup({ onLoad, onResolve }) {
    onLoad({ filter: /outbound[\\/]undici\.ts$/ }, () => ({
      contents: "export const undici = () => require('../server/undici.js')",
    }))
    onResolve({ filter: /\/server\/undici\.js$/ }, ({ path }) => ({ path, external: true }))
  },
}
const unusedInUndici = {
  name: 'unused-in-undici',
  setup({ onLoad }) {
    const filter = /undici[\\/]lib[\\/](?:dispatcher[\\/]client-h2|web[\\/]fetch[\\/]body)\.js$/
    onLoad({ filter }, () => ({ contents: '' }))
  },
}

/** The description of the API, which depends on nothing but the release, is made by the build. */
const apiFromData = {
  name: 'api-from-data',
  setup({ onLoad }) {
    onLoad({ filter: /openapi[\\/]describe-api\.ts$/ }, () => ({
      contents: `import { readFileSync } from 'node:fs'
export const describeApi = () =>
  JSON.parse(readFileSync(new URL('../data/openapi.json', import.meta.url)))`,
    }))
  },
}

/** Programs that run from their compiled form: the name in `dist`, and the source. */
const PROGRAMS = {
  'server/program': 'server/program.ts',
  'workers/search': 'engine/read/pool/worker.ts',
  'workers/index': 'engine/write/indexer/worker.ts',
  'workers/archive': 'engine/backup/snapshot/worker.ts',
  'workers/template': 'engine/ai/template/worker.ts',
  'workers/models': 'engine/ai/models/worker.ts',
  'workers/bodies': 'server/bodies-worker.ts',
}
const renamed = Object.entries(PROGRAMS).map(([name, source]) => [`${name}.script`, source])
const ownProgram = {
  name: 'own-program',
  setup({ onResolve }) {
    onResolve({ filter: /^\.\/program\.ts$/ }, () => ({ path: './program.js', external: true }))
  },
}

const [, ...built] = await Promise.all([
  buildPreview(root, join(dist, 'preview')),
  build({
    ...scripts,
    entryPoints: Object.fromEntries(renamed),
    plugins: [fromData, undiciApart, apiFromData],
  }),
  build({
    ...scripts,
    sourcemap: false,
    entryPoints: { 'server/undici': 'scripts/build/undici-client.mjs' },
    plugins: [unusedInUndici],
  }),
  build({
    ...scripts,
    sourcemap: false,
    entryPoints: { 'data/stemmers': 'scripts/build/stemmers.mjs' },
    outExtension: { '.js': '.cjs' },
  }),
  build({
    ...scripts,
    entryPoints: { 'server/main': 'server/main.ts' },
    plugins: [fromData, ownProgram],
    supported: { 'dynamic-import': false },
  }),
  build({
    ...modules,
    entryPoints: { 'tools/main': 'tools/main.ts' },
    chunkNames: 'tools/[name]-[hash]',
    plugins: [fromData, undiciApart],
  }),
  build({
    ...modules,
    entryPoints: { 'embed/index': 'server/embed/index.ts' },
    chunkNames: 'embed/chunks/[name]-[hash]',
    banner: { js: embedBanner },
    inject: ['scripts/build/location.mjs'],
    define: { ...named, 'import.meta.url': 'svcUrl' },
    plugins: [fromData, ...bundledAgain],
  }),
])

writeDeclarations(root, dist)
writeCommonJs(dist)

cpSync(join(root, 'engine/text/data'), join(dist, 'data'), { recursive: true })
copyFileSync(join(root, ZSTD), join(dist, 'data/zstd.wasm'))
writeFileSync(join(dist, 'data/cl100k-base.json'), JSON.stringify(tokens))
const tools = join(dist, 'tools/main.js')
const api = execFileSync(process.execPath, [tools, 'openapi'], { maxBuffer: Infinity })
writeFileSync(join(dist, 'data/openapi.json'), JSON.stringify(JSON.parse(api)))

for (const folder of ['server', 'workers']) {
  writeFileSync(join(dist, folder, 'package.json'), '{ "type": "commonjs" }\n')
}
copyFileSync(join(root, 'scripts/build/launch.cjs'), join(dist, 'launch.cjs'))
const { HEAD, TAIL } = createRequire(import.meta.url)('./launch.cjs')
/** The bundler leaves non-ASCII characters in regular expressions; pure ASCII is read fastest. */
const escaped = (text) =>
  text.replace(/[^\0-\x7f]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`)

for (const name of Object.keys(PROGRAMS)) {
  const path = join(dist, `${name}.script.js`)
  const text = `${HEAD}${readFileSync(path, 'utf8')}${TAIL}`
  writeFileSync(path, escaped(text))
  const script = `${name.split('/')[1]}.script.js`
  const launch = `module.exports = require('../launch.cjs').launch(\`\${__dirname}/${script}\`, require)`
  writeFileSync(join(dist, `${name}.js`), `'use strict'\n${launch}\n`)
}

/** Programs that `npm` links into the path begin with a line that names their interpreter. */
for (const name of ['server/main', 'tools/main']) {
  const path = join(dist, `${name}.js`)
  writeFileSync(path, `#!/usr/bin/env node\n${readFileSync(path, 'utf8')}`)
  chmodSync(path, 0o755)
  const map = JSON.parse(readFileSync(`${path}.map`, 'utf8'))
  writeFileSync(`${path}.map`, JSON.stringify({ ...map, mappings: `;${map.mappings}` }))
}

const inputs = [
  ZSTD,
  PREVIEW_LIBRARY,
  ...built.flatMap(({ metafile }) => Object.keys(metafile.inputs)),
]
writeFileSync(join(dist, 'THIRD-PARTY-LICENSES'), thirdPartyLicences(root, inputs))
