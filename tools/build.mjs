// Bundles the TypeScript sources into `dist`: one self-contained file for each worker thread
// (start-up time is a feature: every module opened costs), and split bundles for the server and the
// tools, which load on demand what they may not need. Packages with native parts stay outside and are resolved at
// run time.
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const dist = join(root, 'dist')
rmSync(dist, { recursive: true, force: true })

/** Bundled CommonJS packages call `require`, which an ES module does not have of its own. */
const requireBanner =
  "import { createRequire as svcCreateRequire } from 'node:module';" +
  'const require = svcCreateRequire(import.meta.url);'

const common = {
  absWorkingDir: root,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  sourcemap: 'linked',
  sourcesContent: false,
  legalComments: 'none',
  external: ['mmap-io', 'fs-ext', 'zstd-napi', 'roaring'],
  banner: { js: requireBanner },
  logLevel: 'warning',
}

await Promise.all([
  build({
    ...common,
    entryPoints: { 'server/main': 'server/main.ts' },
    outdir: dist,
    splitting: true,
    chunkNames: 'server/chunks/[name]-[hash]',
    // For tests and tools: a server has threads, and never asks for it.
    external: [...common.external, './without-threads.ts'],
  }),
  build({
    ...common,
    entryPoints: {
      'workers/search': 'engine/search-worker.ts',
      'workers/index': 'engine/index-worker.ts',
    },
    outdir: dist,
  }),
  build({
    ...common,
    entryPoints: { 'tools/main': 'tools/main.ts', 'tools/demo': 'tools/demo.ts' },
    outdir: dist,
    splitting: true,
    chunkNames: 'tools/chunks/[name]-[hash]',
  }),
])
