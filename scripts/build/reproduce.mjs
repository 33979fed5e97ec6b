// Builds the sources of this checkout in a folder of its own, so that builds can be compared:
//
//   node scripts/build/reproduce.mjs            builds twice, in folders of other names and depths; 1: differ
//
// What a build depends on is the sources and the packages installed, not the folder, the time, or
// what was there before.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { commitOf } from './commit.mjs'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The inputs of a build and a package. */
const SOURCES = [
  'engine',
  'format',
  'server',
  'tools',
  'scripts',
  'docs',
  'packaging',
  'package.json',
  'tsconfig.json',
  'README.md',
  'CHANGELOG.md',
  'SECURITY.md',
  'LICENSE',
]

/** Copies the checkout to `folder` and builds it. */
export function buildIn(folder) {
  mkdirSync(folder, { recursive: true })
  for (const name of SOURCES) cpSync(join(root, name), join(folder, name), { recursive: true })
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  const commit = commitOf(root)
  const named = commit && {
    SVC_BUILD_COMMIT_SHA: commit.sha,
    SVC_BUILD_COMMIT_DATE: commit.date ?? '',
  }
  const { status } = spawnSync(process.execPath, ['scripts/build/build.mjs'], {
    cwd: folder,
    stdio: 'inherit',
    env: { ...process.env, ...named },
  })
  if (status !== 0) throw new Error(`the build in ${folder} failed`)
}

/** Path → SHA-256, for all built files in a folder. */
export function sumsOf(folder) {
  const dist = join(folder, 'dist')
  const files = readdirSync(dist, { recursive: true, encoding: 'utf8' })
    .map((name) => join(dist, name))
    .filter((path) => statSync(path).isFile() && !path.endsWith('.compiled'))
  const sums = files.map((path) => [
    relative(dist, path),
    createHash('sha256').update(readFileSync(path)).digest('hex'),
  ])
  return new Map(sums.sort(([a], [b]) => (a < b ? -1 : 1)))
}

/** Paths whose bytes differ. */
export const differences = (one, other) =>
  [...new Set([...one.keys(), ...other.keys()])].filter((path) => one.get(path) !== other.get(path))

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const folder = mkdtempSync(join(tmpdir(), 'svc-reproduce-'))
  try {
    const folders = [join(folder, 'one'), join(folder, 'somewhere/else/again')]
    for (const one of folders) buildIn(one)
    const [first, second] = folders.map(sumsOf)
    const found = differences(first, second)
    for (const path of found) process.stdout.write(`differs: dist/${path}\n`)
    process.stdout.write(`${first.size} files, ${found.length} differ\n`)
    process.exitCode = found.length === 0 ? 0 : 1
  } finally {
    rmSync(folder, { recursive: true })
  }
}
