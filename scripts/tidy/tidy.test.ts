// The repository keeps its own rules, and the rules see what breaks them.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are sources
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { checkExports } from './exports.ts'
import { functionsOf, importsOf, readSource } from './source.ts'
import { findingText, tidy } from './tidy.ts'
import { OLD_WORDS } from './words.table.ts'
import { checkOldWords, countOldWords } from './words.ts'

// All sources are read: seconds on a quiet machine, a minute on a busy one.
it('the house rules hold', { timeout: 240_000 }, () => {
  const root = fileURLToPath(new URL('../..', import.meta.url))
  expect(tidy(root).map(findingText)).toEqual([])
})

const roots: string[] = []
afterAll(() => {
  for (const root of roots) rmSync(root, { recursive: true })
})

/** What is found in a repository of these files, without the message. */
function rulesIn(files: Readonly<Record<string, string>>): string[] {
  const root = mkdtempSync(join(tmpdir(), 'svc-tidy-'))
  roots.push(root)
  for (const [file, text] of Object.entries(files)) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), text)
  }
  return tidy(root).map(({ file, line, rule }) => `${file}:${line} ${rule}`)
}

const SOUND = {
  'format/errors.ts': '// Errors.\nexport const a = 1\n',
  'format/bytes/index.ts': "// Bytes.\nexport { b } from './b.ts'\n",
  'format/bytes/b.ts': "// B.\nimport { a } from '../errors.ts'\nexport const b = a\n",
  'format/bytes/b.test.ts': "// Tests of b.\nimport { b } from './b.ts'\nb()\n",
}
const ofSound = (file: string, text: string): string[] => rulesIn({ ...SOUND, [file]: text })
const inFormat = (line: string): string[] =>
  ofSound('format/bytes/c.ts', `// C.\n${line}\n`).map((found) => found.split(' ')[1]!)

describe('rules about one file', () => {
  it('a sound repository has no finding', () => {
    expect(rulesIn(SOUND)).toEqual([])
  })

  it.each([
    ['default-export', 'export default 1'],
    ['export-all', "export * from './b.ts'"],
    ['enum', 'export const enum Color { Red }'],
    ['any', 'export const x = y as any'],
    ['spread', "export const x = [...['a', f('b')], ...y]"],
    ['spread', 'export const x = { ...{ a: [1], b }, c }'],
    ['spread', 'f(...[1, 2],\n  3)'],
    ['empty-catch', 'try { f() } catch { /* no reason */ }'],
    ['empty-catch', 'p.catch(() => {})'],
    ['todo', '// TODO: later'],
    ['leftover', '// @ts-ignore'],
    ['leftover', 'debugger'],
    ['console', 'console.log(1)'],
    ['async', 'export async function f() {}'],
    ['clock', 'export const now = Date.now()'],
    ['clock', 'export const now = new Date()'],
    ['random', 'export const x = Math.random()'],
    ['environment', 'export const x = process.env'],
    ['files', "import { open } from 'node:fs'"],
    ['calls', "import { request } from 'node:https'"],
    ['calls', "export const answer = fetch('http://a')"],
    ['native', "import { map } from 'mmap-io'"],
    ['native', "const z = require('zstd-napi/binding.js')"],
    ['native', "const r = createRequire(import.meta.url)('roaring')"],
    ['columns', `// ${'x'.repeat(98)}`],
    ['columns', `export const x = 'text' ${'+ a'.repeat(30)}`],
    ['place', '// see /home/somebody/x'],
    ['missing', "import { x } from './x.ts'"],
    ['function', `export function f() {${'\n  g()'.repeat(69)}\n}`],
    ['function', `  f(\n  ): void {${'\n  g()'.repeat(68)}\n  }`],
    ['function', `const f = () => {${'\n  g()'.repeat(69)}\n}`],
    ['length-why', 'g()\n'.repeat(400)],
    ['length', 'g()\n'.repeat(600)],
  ])('%s (%#)', (rule, line) => {
    expect(inFormat(line)).toEqual([rule])
  })

  it.each([
    "export const text = 'Date.now() as any TODO /home/x'.length",
    '// no default export, no enum, as any, console.log',
    `export const x = '${'x'.repeat(90)}'`,
    'export const x = new Date(0)',
    '// TODO(#12): with a number',
    'try { f() } catch { g() }',
    `export function f() {${'\n  g()'.repeat(68)}\n}`,
    'export const x = [...[1, 2].map(f), ...(y ? [1] : []), ...z]',
    'export const x = { ...y, ...(z ? { a } : {}) }',
    'export const r = /[/\'"`]{/.test(x) ? 1 / 2 / 3 : 4',
    'export const t = `{${f(`}${"{"}`)}`',
  ])('sound (%#)', (line) => {
    expect(inFormat(line)).toEqual(line.includes('/home/x') ? ['place'] : [])
  })

  it('files have sensible names and begin with a comment', () => {
    expect(ofSound('format/bytes/bigFile.ts', '// X.\n')).toEqual([
      'format/bytes/bigFile.ts:1 name',
    ])
    expect(ofSound('format/bytes/utils.ts', '// X.\n')).toEqual(['format/bytes/utils.ts:1 name'])
    expect(ofSound('format/bytes/x.ts', 'x()\n')).toEqual(['format/bytes/x.ts:1 head'])
    expect(ofSound('format/bytes/more/x.ts', '// X.\n')).toEqual(['format/bytes/more/x.ts:1 depth'])
  })

  it('links in pages lead somewhere', () => {
    const page =
      '# Page\n\n[there](format/bytes/b.ts#x) [web](https://example.com)\n[gone](gone.md)\n'
    expect(ofSound('PAGE.md', page)).toEqual(['PAGE.md:4 link'])
  })
})

describe('rules about many files', () => {
  const more = (files: Readonly<Record<string, string>>) => rulesIn({ ...SOUND, ...files })

  it('imports point one way', () => {
    const up = "// X.\nimport type { X } from '../../engine/model/index.ts'\n"
    const engine = { 'engine/model/index.ts': '// X.\n', 'engine/model/x.test.ts': '// X.\n' }
    expect(more({ ...engine, 'format/bytes/x.ts': up })).toEqual(['format/bytes/x.ts:2 layer'])
    expect(more({ ...engine, 'format/bytes/x.test.ts': up })).toEqual([])
  })

  it('folders are entered by their index, in the order of the table', () => {
    const idset = { 'format/idset/index.ts': '// X.\n', 'format/idset/x.test.ts': '// X.\n' }
    const use = (target: string) => ({
      'format/idset/x.ts': `// X.\nimport { b } from '${target}'\n`,
    })
    expect(more({ ...idset, ...use('../bytes/index.ts') })).toEqual([])
    expect(more({ ...idset, ...use('../bytes/b.ts') })).toEqual(['format/idset/x.ts:2 door'])
    const back = "// X.\nimport { x } from '../idset/index.ts'\n"
    expect(more({ ...idset, 'format/bytes/x.ts': back })).toEqual(['format/bytes/x.ts:2 folder'])
  })

  it('server and tools enter the engine by its door', () => {
    const engine = {
      'engine/index.ts': "// X.\nexport { x } from './model/index.ts'\n",
      'engine/model/index.ts': '// X.\nexport const x = 1\n',
      'engine/model/x.test.ts': '// X.\n',
    }
    const use = (file: string, target: string) =>
      more({ ...engine, [file]: `// X.\nimport type { x } from '../engine/${target}'\n` })
    for (const layer of ['server', 'tools']) {
      expect(use(`${layer}/x.ts`, 'index.ts')).toEqual([])
      expect(use(`${layer}/x.ts`, 'model/index.ts')).toEqual([`${layer}/x.ts:2 door`])
      expect(use(`${layer}/x.test.ts`, 'model/index.ts')).toEqual([])
    }
    expect(use('scripts/x.ts', 'model/index.ts')).toEqual([])
  })

  it('few files lie directly in the engine', () => {
    const loose = (count: number) =>
      more(
        Object.fromEntries(Array.from({ length: count }, (_, n) => [`engine/x${n}.ts`, '// X.\n'])),
      )
    expect(loose(5)).toEqual([])
    expect(loose(6)).toEqual(['engine/:1 loose'])
  })

  it('files do not import each other in a ring, types included', () => {
    const ring = (kind: string) => ({
      'format/bytes/x.ts': "// X.\nimport { y } from './y.ts'\n",
      'format/bytes/y.ts': `// Y.\n${kind} './x.ts'\n`,
    })
    expect(more(ring('import { x } from'))).toEqual(['format/bytes/x.ts:1 loop'])
    expect(more(ring('import type { x } from'))).toEqual(['format/bytes/x.ts:1 loop'])
    expect(more({ ...ring(''), 'format/bytes/y.ts': "// Y.\nimport('./x.ts')\n" })).toEqual([])
  })

  it('a new folder is entered in the table, has a door and tests', () => {
    expect(more({ 'format/new/x.ts': '// X.\n' })).toEqual([
      'format/new/:1 folder',
      'format/new/:1 door',
      'format/new/:1 tested',
    ])
  })

  it('a format has its page, its golden bytes and its fuzz target', () => {
    const coder = { 'format/bytes/coder-v2.ts': '// X.\n' }
    const all = {
      'format/bytes/BYTES.md': '# Bytes\n',
      'fuzz/bytes.fuzz.ts': '// X.\n',
      'fixtures/format/bytes/v2/small.txt': 'x',
    }
    expect(more({ ...coder, ...all })).toEqual([])
    expect(more(coder)).toEqual([
      'format/bytes/coder-v2.ts:1 page',
      'format/bytes/coder-v2.ts:1 fuzz',
      'format/bytes/coder-v2.ts:1 golden',
    ])
  })
})

describe('reading sources', () => {
  it('code, comments and texts are told apart', () => {
    const whole = "a('x', `b${c}d`) // e\n/* f */ g(/h'/, 1 / 2)\n"
    const { code, comments, texts } = readSource('x.ts', whole)
    expect(code).toBe("a(' ', ` ${c} `)     \n        g(/  /, 1 / 2)\n")
    expect(comments.trim().split(/\s{2,}|\n/)).toEqual(['// e', '/* f */'])
    expect(texts.map(({ text }) => text)).toEqual(['x', 'b', 'd'])
  })

  it('imports of all kinds are found', () => {
    const whole = [
      "import a, { b } from 'one'",
      "import type { c } from 'two'",
      "export {\n  d,\n  e,\n} from 'three'",
      "import 'four'",
      "const f = await import('five')",
      "let g: typeof import('six')",
      "const from = 'not one'",
    ].join('\n')
    const found = importsOf(readSource('x.ts', whole))
    expect(found.map(({ name, typeOnly, lazy }) => `${name} ${typeOnly} ${lazy}`)).toEqual([
      'one false false',
      'two true false',
      'three false false',
      'four false false',
      'five false true',
      'six true true',
    ])
  })

  it('exports without an importer and files without one are found', () => {
    const sources = [
      readSource(
        'format/a/index.ts',
        "// A.\nexport { a, type B, c as d } from './a.ts'\nexport type { E } from './a.ts'\n",
      ),
      readSource(
        'format/a/a.ts',
        [
          '// A.',
          'export const a = 1',
          'export type B = { readonly own: Own }',
          'export type Own = number',
          'export async function c() {}',
          'export function* unused() {}',
          'export abstract class Unused {}',
          'export interface Dead {}',
          'export type E = 1',
        ].join('\n'),
      ),
      readSource('format/a/whole.ts', '// All of it is taken.\nexport const x = 1\n'),
      readSource('format/a/alone.ts', '// Nothing imports it.\nconst x = 1\n'),
      readSource('format/a/effect.ts', '// For its effect.\nexport const x = 1\n'),
      readSource(
        'format/b/b.test.ts',
        "import { a, d } from '../a/index.ts'\nimport * as w from '../a/whole.ts'\nimport '../a/effect.ts'\n",
      ),
    ]
    const pathOf = ({ file }: { file: string }, name: string): string => join(dirname(file), name)
    expect(
      checkExports(sources, pathOf).map(({ file, line, rule }) => `${file}:${line} ${rule}`),
    ).toEqual([
      'format/a/index.ts:2 unused-export',
      'format/a/index.ts:3 unused-export',
      'format/a/a.ts:6 unused-export',
      'format/a/a.ts:7 unused-export',
      'format/a/a.ts:8 unused-export',
      'format/a/alone.ts:1 unreached',
      'format/a/effect.ts:2 unused-export',
    ])
  })

  it('functions of all kinds are found', () => {
    const whole = [
      'export function one(a: { x: number }): string | null {',
      '  if (a) {',
      '  }',
      '}',
      'class Two {',
      '  static async #three<T>(',
      '    x: T,',
      '  ): Promise<{ a: T }> {',
      '    for (const y of x) {',
      '    }',
      '  }',
      '}',
      'function four(): {',
      '  a: 1',
      '} {',
      '  try {',
      '  } catch (error) {',
      '  }',
      '}',
      'const five = { six: () => {',
      '} }',
      '',
    ].join('\n')
    const found = functionsOf(readSource('x.ts', whole))
    expect(found.map(({ name, firstLine, lines }) => `${name} ${firstLine}+${lines}`)).toEqual([
      'one 1+4',
      '#three 6+6',
      'four 13+7',
      'five 20+2',
    ])
  })
})

describe('words of the older vocabulary', () => {
  const all = Object.entries(OLD_WORDS)
  const atMost = new Map(all.map(([name, { most }]) => [name, most]))

  it('are counted in code and pages, not in data', () => {
    const counts = countOldWords([
      ['engine/a.ts', "// Whoever asks.\nconst cause = 'nobody asks, nobody answers'\n"],
      ['docs/a.md', 'Nobody.'],
      ['fixtures/a.ts', '// nobody'],
    ])
    expect([counts.get('whoever'), counts.get('nobody')]).toEqual([1, 3])
  })

  it('may become fewer, and never more', () => {
    expect(checkOldWords(atMost)).toEqual([])
    for (const [name, { most }] of all) {
      const found = checkOldWords(new Map([...atMost, [name, most + 1]]))
      expect(found.map(({ message }) => message)).toEqual([
        expect.stringContaining(`"${name}" occurs ${most + 1} times`),
      ])
    }
  })

  it('have a ceiling that follows the count down', () => {
    const [name] = all.find(([, { most }]) => most > 20)!
    expect(checkOldWords(new Map([...atMost, [name, 0]]))).toHaveLength(1)
  })
})
