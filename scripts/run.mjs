// Runs a house program written in TypeScript: `node scripts/run.mjs fire --help`. The program is
// the folder's `main.ts`, which is bundled into one file first. The server and tools that it starts
// must be built before (`npm run build`). Plain JavaScript.
import { cpSync, existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))
const [name = ''] = process.argv.splice(2, 1)
const program = join('scripts', name, 'main.ts')
if (!/^[a-z]+$/.test(name) || !existsSync(join(root, program))) {
  console.error(
    'usage: node scripts/run.mjs bench|bundles|coverage|demo|docs|fire|installs|mutate [arguments]',
  )
  process.exit(2)
}
const folder = join(root, 'node_modules', `.svc-${name}`, 'programs')
mkdirSync(folder, { recursive: true })
// Where the bundled code looks for it, as in `dist`.
cpSync(join(root, 'engine/text/data'), join(folder, '../data'), { recursive: true })
const outfile = join(folder, `${name}-${process.pid}.mjs`)
process.once('exit', () => rmSync(outfile, { force: true }))

await build({
  absWorkingDir: root,
  entryPoints: [program],
  outfile,
  bundle: true,
  platform: 'node',
  target: 'node20',
  format: 'esm',
  sourcemap: 'inline',
  external: ['mmap-io', 'fs-ext', 'zstd-napi', 'oxc-parser', 'vitest', 'esbuild'],
  banner: {
    js:
      "import { createRequire as svcCreateRequire } from 'node:module';" +
      'const require = svcCreateRequire(import.meta.url);',
  },
  logLevel: 'warning',
})
await import(pathToFileURL(outfile).href)
