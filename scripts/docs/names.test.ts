// Functions, members, constants and flags that a page of the code names are in the code.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const LAYERS = ['engine', 'format', 'server', 'tools', 'scripts']
const CODE = /\.(?:ts|mjs|cjs|as|json)$/
/** Not this file: its examples of missing names would be there. */
const OWN = 'scripts/docs/names.test.ts'
/** Names options of V8 that were tried. */
const V8_PAGE = 'engine/runtime/V8-OPTIONS.md'

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8')
const files = ['package.json', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SPEC-NOTES.md'].concat(
  [...LAYERS, 'fixtures', 'fuzz'].flatMap((layer) =>
    readdirSync(join(ROOT, layer), { recursive: true, encoding: 'utf8' }).map(
      (path) => `${layer}/${path}`,
    ),
  ),
)
const words = new Set(
  files
    .filter((file) => CODE.test(file) && file !== OWN)
    .flatMap((file) => read(file).match(/[A-Za-z_]\w*(?:-[a-z]\w*)*/g) ?? [])
    // Parts of names with hyphens count as well.
    .flatMap((word) => [word, ...word.split('-')]),
)

/** Names of two or more words, in the forms of the code; one word may be an English one. */
const NAME =
  /(?<![\w/.@-])(?:[a-z]+[A-Z]\w*|(?:[A-Z][a-z0-9]+){2}\w*|[A-Z][A-Z0-9]*_\w+)(?![\w/-])/g
const FLAG = /--([a-z]+(?:-[a-z]+)*)(?![\w-])/g
const inCamelCase = (flag: string): string =>
  flag.replace(/-(.)/g, (_, letter) => letter.toUpperCase())

/** Returns the names in the code marks of a page that the code lacks. */
function missingIn(page: string): readonly string[] {
  const marked = page.replace(/```.*?```/gs, '').match(/`[^`\n]+`/g) ?? []
  return marked.flatMap((text) => [
    ...[...text.matchAll(NAME)].flatMap(([name]) => (words.has(name) ? [] : [name])),
    ...[...text.matchAll(FLAG)].flatMap(([flag, name]) =>
      words.has(name!) || words.has(inCamelCase(name!)) ? [] : [flag],
    ),
  ])
}

it('pages name what the code has', () => {
  const pages = files.filter((file) => file.endsWith('.md') && file !== V8_PAGE)
  const missing = pages.flatMap((page) => missingIn(read(page)).map((name) => `${page}: ${name}`))
  expect(missing).toEqual([])
})

it('finds what is missing', () => {
  const page =
    'See `senderOfNothing(x)`, `GoneClass`, `GONE_BYTES_MAX`, `--gone-flag=3`, `openEngine`, ' +
    '`--max-search-memory`, goneInText and `a/goneInPath`.\n```\n`goneInBlock`\n```\n'
  expect(missingIn(page)).toEqual(['senderOfNothing', 'GoneClass', 'GONE_BYTES_MAX', '--gone-flag'])
})
