// The steps of `npm test` after packages are installed and `dist` is built: style, unused exports, types, and the
// tests, every fuzz target for a short time included, and those of disk, kills and the whole server
// once more without native packages. With arguments (`npm test -- server/log`) only the tests that
// vitest selects by them. Stops at the first failure. `--drills`: only the long tests, `*.drill.test.ts`.
// Plain JavaScript with Node's own modules.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { COMPILED, compileSources } from './test-compile.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const packages = join(root, 'node_modules')

const words = process.argv.slice(2)
const isDrills = words[0] === '--drills'
/** Files are chosen among these projects of `vitest.config.ts`. */
const PROJECTS = [
  'shared',
  'small-heaps',
  'alone',
  'simulation',
  'without-natives',
  'fuzz',
].flatMap((name) => ['--project', name])
/** Heading, program, arguments; programs are those of the installed packages. */
const all = [
  ['Style', '@biomejs/biome/bin/biome', ['check', '.']],
  ['Unused exports', 'knip/bin/knip.js', ['--no-progress']],
  ['Types', 'typescript/bin/tsc', ['--noEmit']],
  ['Types of the page', 'typescript/bin/tsc', ['--noEmit', '-p', 'server/page']],
  ['Tests', 'vitest/vitest.mjs', ['run', ...PROJECTS, ...words]],
]
const drills = ['Drills', 'vitest/vitest.mjs', ['run', '--project', 'drills', ...words.slice(1)]]
const chosen = words.length === 0 ? all : all.filter(([name]) => name === 'Tests')
const steps = isDrills ? [drills] : chosen

const env = { ...process.env, [COMPILED]: await compileSources(root) }

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`
const start = performance.now()
for (const [heading, program, args] of steps) {
  console.log(`\n── ${heading} ${'─'.repeat(Math.max(2, 76 - heading.length))}\n`)
  const stepStart = performance.now()
  const command = [join(packages, program), ...args]
  const done = spawnSync(process.execPath, command, { cwd: root, env, stdio: 'inherit' })
  const code = done.status ?? 1
  console.log(`\n${heading}: ${code === 0 ? 'fine' : 'FAILED'} after ${seconds(stepStart)}`)
  if (code !== 0) {
    if (done.error) console.error(done.error.message)
    console.log(`\nFAILED: ${heading}, ${seconds(start)} in all`)
    process.exit(code)
  }
}
console.log(`\nAll is well, ${seconds(start)} in all`)
