// Runs the long versions of the tests under fire: `node tools/fire/run.mjs --help`. The server is
// the built one (`npm run build`); this bundles its driver into a file of its own first.
import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('../..', import.meta.url))
const folder = join(root, 'node_modules', '.svc-fire')
mkdirSync(folder, { recursive: true })
const outfile = join(folder, `fire-${process.pid}.mjs`)
process.once('exit', () => rmSync(outfile, { force: true }))

await build({
  absWorkingDir: root,
  entryPoints: ['tools/fire/main.ts'],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  sourcemap: 'inline',
  external: ['mmap-io', 'fs-ext', 'zstd-napi', 'roaring'],
  banner: {
    js:
      "import { createRequire as svcCreateRequire } from 'node:module';" +
      'const require = svcCreateRequire(import.meta.url);',
  },
  logLevel: 'warning',
})
await import(pathToFileURL(outfile).href)
