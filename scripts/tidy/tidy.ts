// The house rules of CONTRIBUTING.md that no linter knows, as a program: `tidy(root)` lists what
// breaks them, and the test run expects nothing. `structure.table.ts` says which imports are allowed.
// Rules about single files are Biome's (`biome.json`), unused exports are Knip's (`knip.json`).
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { decisionProblem, decisionsByText, unusedReasons } from './decisions.ts'
import { measuredFigures } from './measured.ts'
import {
  DOORS,
  EMPTY_NAMES,
  FILES_MAX,
  FILES_MAX_OF,
  FOLDERS,
  FORMATS,
  LAYERS,
  LAYERS_OF_ROOMS,
  LAYERS_WITH_DOORS,
  LOOSE_FILES_MAX,
  SHARED_FILES,
  SHARED_FOLDERS,
} from './structure.table.ts'
import { checkTested, linesByFolder } from './tested.ts'
import { checkOldWords, countOldWords, type Finding } from './words.ts'

type Add = (rule: string, message: string, line?: number) => void

/** Everything in the repository at `root` that breaks a rule, ordered by file and line. */
export function tidy(root: string): Finding[] {
  const texts = new Map(
    listFiles(root).map((file) => [file, readFileSync(join(root, file), 'utf8')]),
  )
  const found: Finding[] = []
  for (const [file, text] of texts) {
    const add: Add = (rule, message, line = 1) => found.push({ file, line, rule, message })
    checkText(root, file, text, add)
    if (!file.endsWith('.ts')) continue
    checkPlace(file, add)
    checkDecisions(file, text, add)
    checkImports(root, file, text, add)
    checkFormat(root, file, texts, add)
  }
  found.push(...checkFolders([...texts.keys()]))
  found.push(...checkTested(linesByFolder(texts)))
  for (const file of unusedReasons(texts)) {
    found.push({ file, line: 1, rule: 'text', message: 'needs no row in decisions.table.ts' })
  }
  if (texts.has('CONTRIBUTING.md')) found.push(...checkOldWords(countOldWords(texts)))
  return found.sort((a, b) => Number(a.file > b.file) - Number(a.file < b.file) || a.line - b.line)
}

export const findingText = ({ file, line, rule, message }: Finding): string =>
  `${file}:${line} ${rule} ${message}`

/** Sources, pages and settings of the repository; golden files and found inputs are data. */
function listFiles(root: string): string[] {
  const isText = (name: string): boolean => /\.(?:ts|mjs|cjs|as|md|json)$/.test(name)
  const below = Object.keys(LAYERS)
    .filter((layer) => existsSync(join(root, layer)))
    .flatMap((layer) =>
      readdirSync(join(root, layer), { recursive: true, encoding: 'utf8' }).map((path) =>
        posix.join(layer, path.replaceAll('\\', '/')),
      ),
    )
  return [...readdirSync(root), ...below].filter(isText).sort()
}

/** Tests and what only they need. */
const isTest = (file: string): boolean =>
  /\.test\.ts$|\/testing\/|(?:^|\/)(?:testing|(?:test|fake)-[a-z-]+)\.ts$/.test(file)

const lineAt = (text: string, at: number): number => text.slice(0, at).split('\n').length

/** No text in the repository names a place of one machine. */
const PLACES: readonly RegExp[] = [
  /(?:^|[\s"'`(=:])\/(?:work|root|home|Users)\/[\w.-]+/g,
  /\bregistry\.(?:npmjs|npmmirror|yarnpkg)\.\w+|\bnpmjs\.org\b|\bartifactory\b|\bverdaccio\b/g,
]

/** Places, heads of sources, and links of pages that lead somewhere. */
function checkText(root: string, file: string, text: string, add: Add): void {
  if (/\.(?:ts|mjs)$/.test(file) && !/^(?:#!.*\n)?(?:\/\/|\/\*)/.test(text)) {
    add('head', 'a file begins with a comment')
  }
  for (const pattern of file.startsWith('scripts/tidy/') ? [] : PLACES) {
    for (const { 0: place, index } of text.matchAll(pattern)) {
      add('place', `\`${place.trim()}\` is a place of one machine`, lineAt(text, index))
    }
  }
  if (/\.(?:ts|mjs|cjs|as)$/.test(file) && !file.startsWith('scripts/tidy/')) {
    for (const at of measuredFigures(text)) {
      add('figure', 'a measured figure needs the command that measures it', lineAt(text, at))
    }
  }
  if (!file.endsWith('.md')) return
  for (const match of text.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g)) {
    if (existsSync(join(root, dirname(file), match[1]!))) continue
    add('link', `${match[1]} is not there`, lineAt(text, match.index))
  }
}

function checkPlace(file: string, add: Add): void {
  const parts = file.split('/')
  const [name = ''] = parts.pop()!.split('.')
  for (const part of [...parts, name]) {
    if (EMPTY_NAMES.includes(part)) add('name', `"${part}" says nothing about the subject`)
  }
  const isDeep = ['fixtures', 'scripts', ...LAYERS_OF_ROOMS].includes(parts[0] ?? '')
  if (parts.length > (isDeep ? 3 : 2)) add('depth', 'folders are too deep below a layer')
}

/** Outside of tests and of the programs that test whole servers, messages decide nothing. */
function checkDecisions(file: string, text: string, add: Add): void {
  if (isTest(file) || /^(?:scripts\/fire|fuzz|fixtures)\//.test(file)) return
  const problem = decisionProblem(file)
  if (problem === null) return
  for (const at of decisionsByText(text)) add('text', problem, lineAt(text, at))
}

const layerOf = (file: string): string => file.split('/')[0]!

/** `layer/folder`, in a layer of rooms `layer/room/folder`; null for a file directly in a layer. */
function folderOf(file: string): string | null {
  const parts = file.split('/')
  if (parts.length <= 2) return null
  const levels = LAYERS_OF_ROOMS.includes(parts[0]!) ? 3 : 2
  return parts.slice(0, Math.min(levels, parts.length - 1)).join('/')
}

/** Whether the table lets `own` import `other`: by its name, or by that of its room. */
function mayImport(own: string, other: string): boolean {
  if (SHARED_FOLDERS.includes(other)) return true
  const allowed = FOLDERS[own] ?? []
  const [, room, folder] = other.split('/')
  return allowed.includes(room!) || allowed.includes(`${room}/${folder}`)
}

/** The relative imports and re-exports of formatted sources, lazy ones included. */
const IMPORTS =
  /(?:^|\n)(?:import |export |\} )(?:[^'\n;]*from )?'(\.[^']+)'|\bimport\('(\.[^']+)'\)/g

function checkImports(root: string, file: string, text: string, add: Add): void {
  const from = layerOf(file)
  // Tests and fuzz targets look wherever they like.
  if (isTest(file) || ['fuzz', 'fixtures'].includes(from) || LAYERS[from] === undefined) return
  for (const match of text.matchAll(IMPORTS)) {
    const target = posix.join(posix.dirname(file), match[1] ?? match[2]!)
    checkEdge(root, file, target, (rule, message) =>
      add(rule, message, lineAt(text, match.index + match[0].length)),
    )
  }
}

function checkEdge(root: string, file: string, target: string, add: Add): void {
  const [from, to] = [layerOf(file), layerOf(target)]
  if (!existsSync(join(root, target))) add('missing', `${target} is not there`)
  if (target.endsWith('.test.ts')) add('test-import', `${target} is a test`)
  if (from !== to && !LAYERS[from]!.includes(to)) add('layer', `${from} does not import ${to}`)
  const [own, other] = [folderOf(file), folderOf(target)]
  if (own === other && from === to) return
  const door = DOORS[to]
  if (door?.layers.includes(from)) {
    if (door.files.includes(target)) return
    add('door', `${from} enters ${to} by ${door.files.join(', ')}, not by ${target}`)
    return
  }
  if (other !== null && LAYERS_WITH_DOORS.includes(to) && !target.endsWith('/index.ts')) {
    add('door', `${other} is entered by its index.ts, not by ${target}`)
  }
  if (from !== to || own === null) return
  if (other === null ? !SHARED_FILES.includes(target) : !mayImport(own, other)) {
    add('folder', `${own} does not import ${other ?? target}`)
  }
}

/** Folders are known, have a door and tests, and do not hold too many files. */
function checkFolders(files: readonly string[]): Finding[] {
  const found: Finding[] = []
  const add = (folder: string, rule: string, message: string) =>
    found.push({ file: `${folder}/`, line: 1, rule, message })
  const sources = files.filter((file) => file.endsWith('.ts') && LAYERS[layerOf(file)])
  const counts = new Map<string, number>()
  for (const file of sources.filter((one) => !isTest(one) && !one.endsWith('.table.ts'))) {
    const folder = posix.dirname(file)
    counts.set(folder, (counts.get(folder) ?? 0) + 1)
  }
  for (const [folder, count] of counts) {
    const most = LOOSE_FILES_MAX[folder] ?? FILES_MAX_OF[folder] ?? FILES_MAX
    if (count > most) add(folder, 'many', `${count} files lie directly in it, at most ${most}`)
  }
  const rooms = new Set(sources.map(folderOf).filter((folder) => folder !== null))
  for (const folder of rooms) {
    if (!LAYERS_WITH_DOORS.includes(layerOf(folder)) || folder.endsWith('/testing')) continue
    const inside = sources.filter((file) => folderOf(file) === folder)
    if (FOLDERS[folder] === undefined) add(folder, 'folder', 'is not in the table of folders')
    if (!inside.includes(`${folder}/index.ts`)) add(folder, 'door', 'has no index.ts')
    if (!inside.some((file) => file.endsWith('.test.ts'))) add(folder, 'tested', 'has no test')
  }
  return found
}

/** Every `*-vN.ts` has its page, its golden folder and its fuzz target. */
function checkFormat(
  root: string,
  file: string,
  texts: ReadonlyMap<string, string>,
  add: Add,
): void {
  const version = /^(format\/([a-z]+))\/[a-z0-9-]+-v(\d+)\.ts$/.exec(file)
  if (version === null) return
  const [, folder = '', name = '', number] = version
  const { golden, fuzz } = FORMATS[folder] ?? { golden: name, fuzz: name }
  const page = `${folder}/${name.toUpperCase()}.md`
  if (!texts.has(page)) add('page', `${page} is missing`)
  if (!texts.has(`fuzz/${fuzz}.fuzz.ts`)) add('fuzz', `fuzz/${fuzz}.fuzz.ts is missing`)
  const goldenFolder = `fixtures/format/${golden}/v${number}`
  if (!existsSync(join(root, goldenFolder))) add('golden', `${goldenFolder} is missing`)
}
