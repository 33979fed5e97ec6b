// The workflows of .github run what exists: scripts of package.json, files, drills, and actions of
// versions that were looked up.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'

const root = fileURLToPath(new URL('../..', import.meta.url))
const read = (path: string): string => readFileSync(join(root, path), 'utf8')
const { scripts, engines } = JSON.parse(read('package.json')) as {
  readonly scripts: Readonly<Record<string, string>>
  readonly engines: { readonly node: string }
}
const FOLDER = '.github/workflows'
/** Actions by exact version: a new one is looked up before it is entered here. */
const ACTIONS = ['actions/checkout@v5', 'actions/setup-node@v5']

describe.each(readdirSync(join(root, FOLDER)))('%s', (name) => {
  const text = read(join(FOLDER, name))
  const all = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, word]) => word!)

  it('uses known actions', () => {
    expect(all(/uses: (\S+)/g).length).toBeGreaterThan(0)
    expect(all(/uses: (\S+)/g).filter((action) => !ACTIONS.includes(action))).toEqual([])
  })

  it('runs scripts, files and drills that exist', () => {
    const missing = [
      ...all(/\bnpm run ([\w-]+)/g).filter((script) => scripts[script] === undefined),
      ...all(/(?:\bnode |run: )((?:\.ci|scripts|fuzz)\/\S+)/g).filter(
        (file) => !existsSync(join(root, file)),
      ),
      ...all(/\bnpm run fire -- (\w+)/g).filter(
        (drill) => !read('scripts/fire/main.ts').includes(`'${drill}',`),
      ),
    ]
    expect(missing).toEqual([])
  })

  it('has no tab and an even indent', () => {
    const odd = text.split('\n').filter((line) => /^\t|^ *\t|^(?: {2})* (?=\S)/.test(line))
    expect(odd).toEqual([])
  })
})

describe('the tests of changes and nights', () => {
  it('run on the oldest supported Node and on newer ones', () => {
    const [, oldest] = /^>=(\d+)/.exec(engines.node) ?? []
    const [, releases = ''] = /node: \[([\d, ]+)\]/.exec(read(`${FOLDER}/test.yml`)) ?? []
    expect(releases.split(', ')).toEqual([oldest, '22', '24'])
  })

  it('contain every long program', () => {
    const night = read(`${FOLDER}/nightly.yml`)
    for (const command of [
      'npm run drills',
      'fuzz/run.mjs',
      'npm run mutate',
      'npm run coverage',
      'fire -- simulate',
    ]) {
      expect(night).toContain(command)
    }
  })
})
