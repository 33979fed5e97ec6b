// `npm run near`: the tests beside the changes since a commit (default: the last one), in seconds.
// `vitest --changed` follows imports through the index files of folders, so a change reaches hundreds
// of test files. Plain JavaScript with Node's own modules.
import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const [commit = 'HEAD'] = process.argv.slice(2)

const lines = (...words) => {
  const { status, stdout, stderr } = spawnSync('git', words, { cwd: root, encoding: 'utf8' })
  if (status !== 0) throw new Error(stderr)
  return stdout.split('\n').filter((line) => line !== '')
}
const changed = [
  ...lines('diff', '--name-only', commit),
  ...lines('ls-files', '--others', '--exclude-standard'),
]
/** Pages of the root and of `docs` are tested by `scripts/docs`. */
const isPage = (file) => /^(?:[^/]*|docs\/.*)\.md$/.test(file)
const folderOf = (file) => (isPage(file) ? 'scripts/docs' : dirname(file))

/** Returns the tests that lie in a folder, or in the nearest one above it that has some. */
function testsOf(folder) {
  if (folder === '.') return []
  const path = join(root, folder)
  const names = existsSync(path) ? readdirSync(path).filter((name) => /\.test\.ts$/.test(name)) : []
  const tests = names.filter((name) => !name.endsWith('.drill.test.ts'))
  return tests.length > 0 ? tests.map((name) => `${folder}/${name}`) : testsOf(dirname(folder))
}

const tests = [...new Set(changed.map(folderOf))].flatMap(testsOf)
if (tests.length === 0) console.log(`no folder with tests has changed since ${commit}`)
else {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const projects = ['shared', 'small-heaps', 'alone', 'simulation'].flatMap((name) => [
    '--project',
    name,
  ])
  const words = [vitest, 'run', ...projects, ...new Set(tests)]
  const ofPages = changed.filter((file) => folderOf(file) === 'scripts/docs')
  // The examples of other pages take a minute.
  const only = ofPages.every(isPage) ? { SVC_TEST_PAGES: ofPages.join(',') } : {}
  const env = { ...process.env, ...only }
  process.exitCode =
    spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit', env }).status ?? 1
}
