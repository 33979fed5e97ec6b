// The steps of `npm test` after packages are installed and `dist` is built: style, unused exports, types, and the
// tests, every fuzz target for a short time included. Tests of disk, kills and the whole server run
// once more without native packages. With arguments (`npm test -- server/log`) only the tests that
// vitest selects by them. Stops at the first failure. `--drills`: only the long tests, `*.drill.test.ts`.
// Plain JavaScript with Node's own modules.
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const packages = join(root, 'node_modules')

/** Tests in which native packages matter. */
const NATIVE_TESTS = [
  'engine/store/storage/file-system',
  'engine/store/storage/zstd',
  'engine/store/catalog/kill',
  'engine/write/indexer/pool',
  'server/testing/main.test',
  'server/embed/embed.test',
  'scripts/fire/kill/kill.test',
]

const words = process.argv.slice(2)
const isDrills = words[0] === '--drills'
/** Files are chosen among these projects of `vitest.config.ts`. */
const PROJECTS = ['--project', 'shared', '--project', 'alone', '--project', 'fuzz']
/**
 * Heading, program, arguments, and environment variables if there are any; programs are those of
 * the installed packages.
 */
const all = [
  ['Style', '@biomejs/biome/bin/biome', ['check', '.']],
  ['Unused exports', 'knip/bin/knip.js', ['--no-progress']],
  ['Types', 'typescript/bin/tsc', ['--noEmit']],
  ['Types of the page', 'typescript/bin/tsc', ['--noEmit', '-p', 'server/page']],
  ['Tests', 'vitest/vitest.mjs', ['run', ...PROJECTS, ...words]],
  [
    'Tests without native packages',
    'vitest/vitest.mjs',
    ['run', '--project', 'shared', ...NATIVE_TESTS],
    { SVC_NATIVES: 'off' },
  ],
]
const drills = ['Drills', 'vitest/vitest.mjs', ['run', '--project', 'drills', ...words.slice(1)]]
const chosen = words.length === 0 ? all : all.filter(([name]) => name === 'Tests')
const steps = isDrills ? [drills] : chosen

const seconds = (since) => `${((performance.now() - since) / 1000).toFixed(1)} s`
const start = performance.now()
for (const [heading, program, args, variables] of steps) {
  console.log(`\n── ${heading} ${'─'.repeat(Math.max(2, 76 - heading.length))}\n`)
  const stepStart = performance.now()
  const command = [join(packages, program), ...args]
  const env = { ...process.env, ...variables }
  const done = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit', env })
  const code = done.status ?? 1
  console.log(`\n${heading}: ${code === 0 ? 'fine' : 'FAILED'} after ${seconds(stepStart)}`)
  if (code !== 0) {
    if (done.error) console.error(done.error.message)
    console.log(`\nFAILED: ${heading}, ${seconds(start)} in all`)
    process.exit(code)
  }
}
console.log(`\nAll is well, ${seconds(start)} in all`)
