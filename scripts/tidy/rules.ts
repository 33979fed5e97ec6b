// The house rules that look at one file. `tidy.ts` has those that look at many.

import { functionsOf, importsOf, lineAt, type Source } from './source.ts'
import {
  CALL_MODULES,
  CALL_PLACES,
  CHANCE_PLACES,
  CLOCK_PLACES,
  COLUMNS_MAX,
  EMPTY_NAMES,
  FILE_MODULE_PLACES,
  FILE_MODULES,
  FUNCTION_LINES_MAX,
  LAYERS_OF_ROOMS,
  LINES_EXPLAINED_FROM,
  LINES_MAX,
  NATIVE_PACKAGES,
} from './structure.table.ts'

export type Finding = {
  readonly file: string
  readonly line: number
  readonly rule: string
  readonly message: string
  /** For rules with a ratchet: what is measured, and what is too long (a function's name or ''). */
  readonly measured?: { readonly lines: number; readonly name: string }
}

/** Tests and what only they need. */
export const isTest = (file: string): boolean =>
  /\.test\.ts$|\/testing\/|(?:^|\/)(?:testing|(?:test|fake)-[a-z-]+)\.ts$/.test(file)
const isDeclaration = (file: string): boolean => file.endsWith('.d.ts')
const isTable = (file: string): boolean => file.endsWith('.table.ts')

/** All findings in one TypeScript file. */
export function checkSource(source: Source): Finding[] {
  return [
    ...checkName(source),
    ...checkShape(source),
    ...checkPatterns(source),
    ...checkSpreads(source),
    ...checkPackages(source),
    ...checkText(source.file, source.whole),
  ]
}

const NAME = /^[a-z0-9]+(?:-[a-z0-9]+)*(?:\.(?:table|fuzz|bench|config|d|(?:drill\.)?test))?\.ts$/

function checkName({ file }: Source): Finding[] {
  const parts = file.split('/')
  const name = parts.pop()!
  const found: Finding[] = []
  const add = (rule: string, message: string) => found.push({ file, line: 1, rule, message })
  if (!NAME.test(name)) add('name', 'a file is named in lower case, words joined by hyphens')
  for (const part of [...parts, name.split('.')[0]!]) {
    if (EMPTY_NAMES.includes(part)) add('name', `"${part}" says nothing about the subject`)
  }
  const isDeep = parts[0] === 'fixtures' || LAYERS_OF_ROOMS.includes(parts[0]!)
  if (parts.length > (isDeep ? 3 : 2)) add('depth', 'folders are too deep below a layer')
  return found
}

function checkShape(source: Source): Finding[] {
  const { file, whole } = source
  const found: Finding[] = []
  const add = (line: number, rule: string, message: string, lines = 0, name = '') =>
    found.push({ file, line, rule, message, ...(lines > 0 ? { measured: { lines, name } } : {}) })
  const lines = whole.split('\n')
  const count = lines.length - 1
  if (!/^(?:\/\/|\/\*)/.test(whole)) add(1, 'head', 'a file begins with a comment')
  if (!isTest(file) && !isTable(file)) {
    if (count > LINES_MAX) add(1, 'length', `${count} lines, at most ${LINES_MAX}`, count)
    else if (count > LINES_EXPLAINED_FROM && !/\b(?:one file|file is long)\b/.test(headOf(lines))) {
      add(1, 'length-why', `${count} lines: the head says why this is one file`, count)
    }
  }
  if (!isTable(file)) {
    for (const { line, columns } of overlongLines(source, lines)) {
      add(line, 'columns', `${columns} columns, at most ${COLUMNS_MAX}`)
    }
  }
  if (isTest(file)) return found
  for (const { name, firstLine, lines: long } of functionsOf(source)) {
    if (long <= FUNCTION_LINES_MAX) continue
    const message = `${name} has ${long} lines, at most ${FUNCTION_LINES_MAX}`
    add(firstLine, 'function', message, long, name)
  }
  return found
}

/** Lines that are too long even without the insides of their strings, which nobody can break. */
function overlongLines(source: Source, lines: readonly string[]) {
  const found: { line: number; columns: number }[] = []
  let start = 0
  lines.forEach((text, i) => {
    const columns = [...text].length
    if (columns > COLUMNS_MAX) {
      const end = start + text.length
      let inStrings = 0
      for (const { at, text } of source.texts) {
        inStrings += Math.max(0, Math.min(end, at + text.length) - Math.max(start, at))
      }
      if (columns - inStrings > COLUMNS_MAX || inStrings === 0) found.push({ line: i + 1, columns })
    }
    start += text.length + 1
  })
  return found
}

/** Literals that are spread into a literal: their elements can stand in it as they are. */
function checkSpreads({ file, code, whole }: Source): Finding[] {
  const found: Finding[] = []
  for (const { index } of code.matchAll(/\.\.\.[[{]/g)) {
    let depth = 0
    let end = index + 3
    for (; end < code.length; end++) {
      if ('[{('.includes(code[end]!)) depth++
      else if (']})'.includes(code[end]!) && --depth === 0) break
    }
    // What is followed by a call or an operator is a value of its own.
    if (!/^\s*[,\]})]/.test(code.slice(end + 1, end + 200))) continue
    const message = 'a literal is spread into another: write its elements there'
    found.push({ file, line: lineAt(whole, index), rule: 'spread', message })
  }
  return found
}

/** The comment a file begins with. */
function headOf(lines: readonly string[]): string {
  const end = lines.findIndex((line) => !/^(?:\/\/|\/\*|\s*\*)/.test(line))
  return lines.slice(0, end < 0 ? lines.length : end).join(' ')
}

type Pattern = {
  readonly rule: string
  readonly where: 'code' | 'comments'
  readonly pattern: RegExp
  readonly message: string
  readonly applies: (file: string) => boolean
}

const everywhere = () => true
const inFormat = (file: string) => file.startsWith('format/') && !isTest(file)
const inEngine = (file: string) => file.startsWith('engine/') && !isTest(file)
const inLibrary = (file: string) => inFormat(file) || inEngine(file)

const PATTERNS: readonly Pattern[] = [
  {
    rule: 'default-export',
    where: 'code',
    pattern: /\bexport\s+default\b|\bas\s+default\b/g,
    message: 'exports have names',
    applies: (file) => !file.endsWith('.config.ts') && !isDeclaration(file),
  },
  {
    rule: 'export-all',
    where: 'code',
    pattern: /\bexport\s*\*/g,
    message: 'an index names what it offers, one by one',
    applies: everywhere,
  },
  {
    rule: 'enum',
    where: 'code',
    pattern: /^[ \t]*(?:export\s+)?(?:declare\s+)?(?:const\s+)?enum\s+\w+\s*\{/gm,
    message: 'unions of literals do what an enum does',
    applies: everywhere,
  },
  {
    rule: 'any',
    where: 'code',
    pattern: /\bas\s+any\b|:\s*any\b|<any\b|\bany\[\]/g,
    message: '`unknown`, and then a look at it',
    applies: everywhere,
  },
  {
    rule: 'empty-catch',
    where: 'code',
    pattern: /\bcatch\s*(?:\([^()]*\))?\s*\{\s*\}|\.catch\(\s*\([^()]*\)\s*=>\s*\{\s*\}\s*\)/g,
    message: 'a catch says what it expects and does something about it',
    applies: everywhere,
  },
  {
    rule: 'todo',
    where: 'comments',
    pattern: /\b(?:TODO|FIXME|XXX|HACK)\b(?!\s?\(?#\d+)/g,
    message: 'with the number of an issue, or not at all',
    applies: everywhere,
  },
  {
    rule: 'leftover',
    where: 'comments',
    pattern: /@ts-(?:ignore|nocheck|expect-error)\b/g,
    message: 'types are made true, not silenced',
    applies: everywhere,
  },
  {
    rule: 'leftover',
    where: 'code',
    pattern: /\bdebugger\b|\b(?:describe|suite|it|test)(?:\.\w+)*\.(?:only|skip|todo)\(/g,
    message: 'left over from debugging',
    applies: everywhere,
  },
  {
    rule: 'console',
    where: 'code',
    pattern: /\bconsole\.\w+/g,
    message: 'only server and tools talk to people',
    applies: inLibrary,
  },
  {
    rule: 'async',
    where: 'code',
    pattern: /\basync\b|\bawait\b|\bPromise\b|\bsetTimeout\b|\bsetImmediate\b/g,
    message: 'format is synchronous',
    applies: inFormat,
  },
  {
    rule: 'clock',
    where: 'code',
    pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b|\bhrtime\b/g,
    message: 'no clock but the one handed in',
    applies: (file) => inLibrary(file) && !CLOCK_PLACES.some((place) => file.startsWith(place)),
  },
  {
    rule: 'random',
    where: 'code',
    pattern: /\bMath\.random\b|\brandomUUID\b|\brandomBytes\b|\bgetRandomValues\b/g,
    message: 'chance is handed in, or has a seed',
    applies: (file) => !CHANCE_PLACES.includes(file) && !file.startsWith('server/'),
  },
  {
    rule: 'environment',
    where: 'code',
    pattern: /\bprocess\.(?:env|argv|exit)\b/g,
    message: 'configuration is handed in',
    // Native packages are chosen in each thread, before it receives its configuration.
    applies: (file) => inLibrary(file) && file !== 'engine/natives/natives.ts',
  },
  {
    rule: 'calls',
    where: 'code',
    pattern: /(?<![.\w])fetch\(/g,
    message: 'server/outbound calls others: it knows which addresses may be called',
    applies: (file) =>
      (inLibrary(file) || (file.startsWith('server/') && !isTest(file))) &&
      !CALL_PLACES.some((place) => file.startsWith(place)),
  },
]

function checkPatterns(source: Source): Finding[] {
  const found: Finding[] = []
  const { file, whole } = source
  for (const { rule, where, pattern, message, applies } of PATTERNS) {
    if (!applies(file)) continue
    for (const match of source[where].matchAll(pattern)) {
      const line = lineAt(whole, match.index)
      found.push({ file, line, rule, message: `\`${match[0].trim()}\`: ${message}` })
    }
  }
  return found
}

function checkPackages(source: Source): Finding[] {
  const found: Finding[] = []
  const { file, whole } = source
  for (const { at, name, typeOnly } of importsOf(source)) {
    const add = (rule: string, message: string) =>
      found.push({ file, line: lineAt(whole, at), rule, message })
    const owner = NATIVE_PACKAGES[name.split('/')[0]!]
    if (owner !== undefined && !file.startsWith(owner) && !isTest(file)) {
      add('native', `${name} is imported by ${owner} only`)
    }
    const isCall = CALL_MODULES.includes(name) && !typeOnly && !isTest(file)
    if (isCall && !CALL_PLACES.some((place) => file.startsWith(place))) {
      add('calls', `${name}: server/outbound calls others, server/http answers them`)
    }
    if (!FILE_MODULES.includes(name) || isTest(file)) continue
    if (!FILE_MODULE_PLACES.some((place) => file.startsWith(place))) {
      add('files', `${name}: only engine/store/storage names a path`)
    }
  }
  return found
}

/** What holds for every text in the repository: no place and no machine of ours is in it. */
const PLACES: readonly RegExp[] = [
  /(?:^|[\s"'`(=:])\/(?:work|root|home|Users)\/[\w.-]+/g,
  /\bregistry\.(?:npmjs|npmmirror|yarnpkg)\.\w+|\bnpmjs\.org\b|\bartifactory\b|\bverdaccio\b/g,
]

export function checkText(file: string, whole: string): Finding[] {
  const found: Finding[] = []
  for (const pattern of PLACES) {
    for (const match of whole.matchAll(pattern)) {
      if (file.startsWith('scripts/tidy/')) continue
      const message = `\`${match[0].trim()}\` is a place of one machine`
      found.push({ file, line: lineAt(whole, match.index), rule: 'place', message })
    }
  }
  return found
}
