// Every file, folder and heading that a page or a comment names is there.
import { readdirSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { missingPaths } from './paths.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const FOLDERS = [
  'docs',
  'engine',
  'fixtures',
  'format',
  'fuzz',
  'packaging',
  'scripts',
  'server',
  'tools',
]
/** Files whose texts name files that are made up, or were there once. */
const EXEMPT: readonly string[] = [
  'CHANGELOG.md',
  'scripts/docs/paths.test.ts',
  'scripts/tidy/tidy.test.ts',
]

/** Methods of the Model Context Protocol, which look like paths. */
const METHODS = ['server/discover', 'tools/call', 'tools/list']

const files = [
  ...readdirSync(ROOT),
  ...FOLDERS.flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map(
      (path) => `${folder}/${path.replaceAll('\\', '/')}`,
    ),
  ),
]
const names = new Set([...files, ...files.map((file) => basename(file))])

it('pages and comments name what is there', () => {
  const read = files.filter((file) => /\.(?:ts|mjs|cjs|as|md)$/.test(file))
  const missing = read
    .filter((file) => !EXEMPT.includes(file))
    .flatMap((file) => missingPaths(ROOT, file, readFileSync(join(ROOT, file), 'utf8'), names))
  const isMethod = (one: string) => METHODS.some((name) => one.endsWith(` ${name} is not there`))
  expect(missing.filter((one) => !isMethod(one))).toEqual([])
})

it('finds what is missing', () => {
  const page =
    'See `format/gone`, format/fst/FST.md, x.test.ts, fst/FST.md,\n' +
    'gone.md, docs/searching.md#filters and docs/searching.md#gone.'
  expect(missingPaths(ROOT, 'format/PAGE.md', page, names)).toEqual([
    'format/PAGE.md:1 format/gone is not there',
    'format/PAGE.md:2 docs/searching.md has no heading gone',
    'format/PAGE.md:2 no file is called gone.md',
  ])
  const source = "import { x } from './gone.ts' // of fst/gone.ts\n/** \n * `fst.ts` */"
  expect(missingPaths(ROOT, 'format/x.ts', source, names)).toEqual([
    'format/x.ts:1 no file is called fst/gone.ts',
    'format/x.ts:3 no file is called fst.ts',
  ])
})
