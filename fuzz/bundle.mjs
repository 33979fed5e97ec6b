// Bundles `run.ts` and `worker.ts` with all targets, as Node 20 runs no TypeScript. Plain JavaScript.
import { cpSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Resolves to the addresses of both programs, which are removed when this process ends. */
export async function bundleFuzzer() {
  // Inside node_modules, so that packages which stay outside of the bundle are found.
  const out = join(root, 'node_modules', '.cache', 'svc-fuzz', String(process.pid))
  const programs = join(out, 'programs')
  mkdirSync(programs, { recursive: true })
  // Where the bundled code looks for it, as in `dist`.
  cpSync(join(root, 'engine/text/data'), join(out, 'data'), { recursive: true })
  process.once('exit', () => rmSync(out, { recursive: true, force: true }))
  await build({
    absWorkingDir: root,
    entryPoints: { run: 'fuzz/run.ts', worker: 'fuzz/worker.ts' },
    outdir: programs,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    sourcemap: 'linked',
    sourcesContent: false,
    external: ['mmap-io', 'fs-ext', 'zstd-napi', 'roaring'],
    banner: {
      js:
        "import { createRequire as svcCreateRequire } from 'node:module';" +
        'const require = svcCreateRequire(import.meta.url);',
    },
    logLevel: 'warning',
  })
  const address = (name) => pathToFileURL(join(programs, name))
  return { run: address('run.mjs'), worker: address('worker.mjs') }
}
