// The repository keeps its own rules, and the rules see what breaks them.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { LINES_MIN, TESTED_MIN, TESTED_MIN_OF } from './tested.table.ts'
import { checkTested, linesByFolder } from './tested.ts'
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

describe('rules about one file', () => {
  it('a sound repository has no finding', () => {
    expect(rulesIn(SOUND)).toEqual([])
  })

  it('names no place of one machine, and imports what is there', () => {
    expect(ofSound('format/bytes/c.ts', '// see /home/somebody/x\n')).toEqual([
      'format/bytes/c.ts:1 place',
    ])
    const imports = [
      "import { x } from './x.ts'",
      "export {\n  y,\n} from './y.ts'",
      "import './z.ts'",
      "const w = import('./w.ts')",
      "const text = 'no import from'",
    ]
    expect(ofSound('format/bytes/c.ts', `// C.\n${imports.join('\n')}\n`)).toEqual([
      'format/bytes/c.ts:2 missing',
      'format/bytes/c.ts:5 missing',
      'format/bytes/c.ts:6 missing',
      'format/bytes/c.ts:7 missing',
    ])
  })

  it('files have sensible names and begin with a comment', () => {
    expect(ofSound('format/bytes/utils.ts', '// X.\n')).toEqual(['format/bytes/utils.ts:1 name'])
    expect(ofSound('format/bytes/x.ts', 'x()\n')).toEqual(['format/bytes/x.ts:1 head'])
    expect(ofSound('format/bytes/more/x.ts', '// X.\n')).toEqual(['format/bytes/more/x.ts:1 depth'])
  })

  it('codes decide, not the texts of messages', () => {
    const inCode = (line: string) => ofSound('format/bytes/c.ts', `// C.\n${line}\n`)
    for (const line of [
      "if (error.message.includes('gone')) retry()",
      'const isGone = /gone/.test(error.message)',
      'const [, name] = /: (.*)/.exec(message) ?? []',
      "if (cause?.startsWith('gone')) retry()",
      'const found = message.match(GONE)',
      'return error.message === GONE',
    ]) {
      expect(inCode(line), line).toEqual(['format/bytes/c.ts:2 text'])
    }
    for (const line of [
      "if (error.code === 'gone') retry()",
      "const reason = error.message === '' ? 'unknown' : error.message",
      'const first = error.message.slice(0, 80)',
      "if (GONE.test(text) && text.includes('message')) retry()",
    ]) {
      expect(inCode(line), line).toEqual([])
    }
    const decision = "// C.\nif (error.message.includes('gone')) retry()\n"
    expect(ofSound('format/bytes/c.test.ts', decision)).toEqual([])
  })

  it('a reason to decide by text is needed, and used', () => {
    const file = 'server/unpack/problems.ts'
    const more = (text: string) => ofSound(file, text).filter((one) => one.endsWith(' text'))
    expect(more("// P.\nif (error.message.includes('check')) retry()\n")).toEqual([])
    expect(more('// P.\n')).toEqual([`${file}:1 text`])
  })

  it('a measured figure in a comment needs its command', () => {
    const inCode = (comment: string) => ofSound('format/bytes/c.ts', `// C.\n\n${comment}\nc()\n`)
    for (const comment of [
      '// Parsing a page takes 30 ms.',
      '/**\n * Words of a page. Reading them takes some hundred\n * milliseconds.\n */',
      'c() // measured: 4 % slower',
      '// A Map costs three times as much.',
      '// Decoding took a tenth of the time.',
      '// With 512 it needs 110 MB.',
      '// A start costs half a second.',
    ]) {
      expect(inCode(comment), comment).toEqual(['format/bytes/c.ts:3 figure'])
    }
    for (const comment of [
      '// Parsing a page takes 30 ms (`npm run bench -- json`).',
      '// Ends a search that takes longer than 500 ms.',
      '// A u32 takes at most 5 bytes.',
      '// Milliseconds of a pause: 30 s.',
      '// Tries three times.',
      "const text = 'it takes 30 ms'",
    ]) {
      expect(inCode(comment), comment).toEqual([])
    }
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

  it('server and tools enter the engine by its doors', () => {
    const engine = {
      'engine/index.ts': "// X.\nexport { x } from './model/index.ts'\n",
      'engine/backup.ts': "// X.\nexport { x } from './model/index.ts'\n",
      'engine/model/index.ts': '// X.\nexport const x = 1\n',
      'engine/model/x.test.ts': '// X.\n',
    }
    const use = (file: string, target: string) =>
      more({ ...engine, [file]: `// X.\nimport type { x } from '../engine/${target}'\n` })
    for (const layer of ['server', 'tools']) {
      expect(use(`${layer}/x.ts`, 'index.ts')).toEqual([])
      expect(use(`${layer}/x.ts`, 'backup.ts')).toEqual([])
      expect(use(`${layer}/x.ts`, 'model/index.ts')).toEqual([`${layer}/x.ts:2 door`])
      expect(use(`${layer}/x.test.ts`, 'model/index.ts')).toEqual([])
    }
    expect(use('scripts/x.ts', 'model/index.ts')).toEqual([])
  })

  it('few files lie directly in a folder', () => {
    const loose = (count: number) =>
      more(
        Object.fromEntries(Array.from({ length: count }, (_, n) => [`engine/x${n}.ts`, '// X.\n'])),
      )
    expect(loose(4)).toEqual([])
    expect(loose(5)).toEqual(['engine/:1 many'])
  })

  it('a new folder is entered in the table, has a door and tests', () => {
    expect(more({ 'format/new/x.ts': '// X.\n' })).toEqual([
      'format/new/:1 folder',
      'format/new/:1 door',
      'format/new/:1 tested',
    ])
  })

  it('a folder has tests in proportion to its code', () => {
    const lines = (count: number): string => '// X.\n'.repeat(count)
    const tested = (folder: string, production: number, tests: number) =>
      checkTested(
        linesByFolder([
          [`${folder}/a.ts`, lines(production - 1)],
          [`${folder}/b.ts`, lines(1)],
          [`${folder}/a.test.ts`, lines(tests)],
          // None of these count.
          [`${folder}/index.ts`, lines(500)],
          [`${folder}/a.table.ts`, lines(500)],
          [`${folder}/test-support.ts`, lines(500)],
        ]),
      ).map(({ file, rule }) => `${file} ${rule}`)
    expect(tested('format/new', LINES_MIN, LINES_MIN * TESTED_MIN)).toEqual([])
    expect(tested('format/new', LINES_MIN, LINES_MIN * TESTED_MIN - 1)).toEqual([
      'format/new/ tests',
    ])
    expect(tested('format/new', LINES_MIN - 1, 0)).toEqual([])
    expect(tested('scripts/new', LINES_MIN, 0)).toEqual([])
    const [folder, least] = Object.entries(TESTED_MIN_OF).find(([, one]) => one === 0.3)!
    for (const [tests, isFound] of [
      [least * 1000 - 1, true],
      [least * 1000, false],
      [least * 1000 + 99, false],
      [least * 1000 + 100, true],
      [TESTED_MIN * 1000, true],
    ] as const) {
      expect(tested(folder, 1000, tests).length, `${tests}`).toBe(isFound ? 1 : 0)
    }
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
