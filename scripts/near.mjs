// `npm run near`: the tests beside the changes since a commit (default: the last one), in seconds.
// `vitest --changed` follows imports through the index files of folders, so a change reaches hundreds
// of test files. Plain JavaScript with Node's own modules.
import { spawnSync } from 'node:child_process'
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
const folderOf = (file) => (/^(?:[^/]*|docs\/.*)\.md$/.test(file) ? 'scripts/docs' : dirname(file))
const folders = [...new Set(changed.map(folderOf))].filter((folder) => folder !== '.')
if (folders.length === 0) console.log(`nothing in a folder has changed since ${commit}`)
else {
  const vitest = join(root, 'node_modules/vitest/vitest.mjs')
  const projects = ['shared', 'alone'].flatMap((name) => ['--project', name])
  const filters = folders.map((folder) => `${folder}/`)
  const words = [vitest, 'run', '--passWithNoTests', ...projects, ...filters]
  process.exitCode = spawnSync(process.execPath, words, { cwd: root, stdio: 'inherit' }).status ?? 1
}
