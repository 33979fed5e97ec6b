// The house rules of CONTRIBUTING.md as a program: `tidy(root)` lists what breaks them, the test
// run expects nothing. What is allowed is data in `tidy.table.ts`; rules about single files are in
// `tidy-rules.ts`.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { checkExports } from './exports.ts'
import { checkSource, checkText, type Finding, isTest } from './rules.ts'
import { importsOf, lineAt, readSource, type Source } from './source.ts'
import {
  DOORS,
  FOLDERS,
  FORMATS,
  LAYERS,
  LAYERS_OF_ROOMS,
  LAYERS_WITH_DOORS,
  LOOSE_FILES_MAX,
  RATCHET,
  SHARED_FILES,
  SHARED_FOLDERS,
} from './structure.table.ts'
import { checkOldWords, countOldWords } from './words.ts'

type Edge = {
  readonly source: Source
  readonly line: number
  /** Path from the root of the imported file. */
  readonly target: string
  /** Loaded when it is reached, not with the importing file. */
  readonly lazy: boolean
}

/** Everything in the repository at `root` that breaks a rule, ordered by file and line. */
export function tidy(root: string): Finding[] {
  const files = listFiles(root)
  const texts = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]))
  const sources = files
    .filter((file) => file.endsWith('.ts'))
    .map((file) => readSource(file, texts.get(file)!))
  const edges = sources.flatMap(edgesOf)
  const findings = [
    ...sources.flatMap(checkSource),
    ...files.filter((file) => !file.endsWith('.ts')).flatMap((file) => checkOther(root, file)),
    ...edges.flatMap((edge) => checkEdge(root, edge)),
    ...checkLoops(edges),
    ...checkFolders(files),
    ...checkLooseFiles(files),
    ...checkFormats(root, files),
    ...(files.includes('CONTRIBUTING.md') ? checkWhole(sources, texts) : []),
  ]
  return ratcheted(findings).sort(
    (a, b) => Number(a.file > b.file) - Number(a.file < b.file) || a.line - b.line,
  )
}

/** What is true of the repository as a whole, and of no part of it. */
const checkWhole = (sources: readonly Source[], texts: ReadonlyMap<string, string>): Finding[] => [
  ...checkOldWords(countOldWords(texts)),
  ...checkExports(sources, pathOf),
]

/** The path from the root that a relative import leads to. */
const pathOf = ({ file }: Source, name: string): string => posix.join(posix.dirname(file), name)

export const findingText = ({ file, line, rule, message }: Finding): string =>
  `${file}:${line} ${rule} ${message}`

/** Sources, pages and settings of the repository; golden files and found inputs are data. */
function listFiles(root: string): string[] {
  const files: string[] = []
  const walk = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name)
      if (entry.isDirectory()) walk(path)
      else if (/\.(?:ts|mjs|md|json)$/.test(entry.name)) files.push(path)
    }
  }
  for (const layer of Object.keys(LAYERS)) if (existsSync(join(root, layer))) walk(layer)
  for (const entry of readdirSync(root, { withFileTypes: true })) {
    if (entry.isFile() && /\.(?:ts|mjs|md|json)$/.test(entry.name)) files.push(entry.name)
  }
  return files.sort()
}

/** Pages and scripts: places, heads of scripts, and links that lead somewhere. */
function checkOther(root: string, file: string): Finding[] {
  const whole = readFileSync(join(root, file), 'utf8')
  const found = checkText(file, whole)
  if (file.endsWith('.mjs') && !/^(?:#!.*\n)?\/\//.test(whole)) {
    found.push({ file, line: 1, rule: 'head', message: 'a file begins with a comment' })
  }
  if (!file.endsWith('.md')) return found
  for (const match of whole.matchAll(/\]\((?!https?:|#|mailto:)([^)#\s]+)[^)]*\)/g)) {
    if (existsSync(join(root, dirname(file), match[1]!))) continue
    const line = lineAt(whole, match.index)
    found.push({ file, line, rule: 'link', message: `${match[1]} is not there` })
  }
  return found
}

function edgesOf(source: Source): Edge[] {
  const edges: Edge[] = []
  for (const { at, name, lazy } of importsOf(source)) {
    if (!name.startsWith('.')) continue
    edges.push({ source, line: lineAt(source.whole, at), target: pathOf(source, name), lazy })
  }
  return edges
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

function checkEdge(root: string, { source, line, target }: Edge): Finding[] {
  const { file } = source
  const found: Finding[] = []
  const add = (rule: string, message: string) => found.push({ file, line, rule, message })
  if (!existsSync(join(root, target))) add('missing', `${target} is not there`)
  const [from, to] = [layerOf(file), layerOf(target)]
  // Tests and fuzz targets look wherever they like.
  if (isTest(file) || from === 'fuzz' || from === 'fixtures' || LAYERS[from] === undefined) {
    return found
  }
  if (target.endsWith('.test.ts')) add('test-import', `${target} is a test`)
  if (from !== to && !LAYERS[from].includes(to)) add('layer', `${from} does not import ${to}`)
  const [own, other] = [folderOf(file), folderOf(target)]
  if (own === other && from === to) return found
  const door = DOORS[to]
  if (door?.layers.includes(from)) {
    if (target !== door.file) add('door', `${from} enters ${to} by ${door.file}, not by ${target}`)
    return found
  }
  if (other !== null && LAYERS_WITH_DOORS.includes(to) && !target.endsWith('/index.ts')) {
    add('door', `${other} is entered by its index.ts, not by ${target}`)
  }
  if (from !== to || own === null) return found
  if (other === null) {
    if (!SHARED_FILES.includes(target)) add('folder', `${own} does not import ${target}`)
  } else if (!mayImport(own, other)) {
    add('folder', `${own} does not import ${other}`)
  }
  return found
}

/** Rings of files that import each other, types included; what loads lazily may point back. */
function checkLoops(edges: readonly Edge[]): Finding[] {
  const targets = new Map<string, string[]>()
  for (const { source, target, lazy } of edges) {
    if (lazy || isTest(source.file)) continue
    const list = targets.get(source.file)
    if (list === undefined) targets.set(source.file, [target])
    else list.push(target)
  }
  const found: Finding[] = []
  const done = new Set<string>()
  const path: string[] = []
  const visit = (file: string): void => {
    const at = path.indexOf(file)
    if (at >= 0) {
      const message = [...path.slice(at), file].join(' → ')
      found.push({ file, line: 1, rule: 'loop', message })
    }
    if (at >= 0 || done.has(file)) return
    path.push(file)
    for (const target of targets.get(file) ?? []) visit(target)
    path.pop()
    done.add(file)
  }
  for (const file of targets.keys()) visit(file)
  return found
}

/** Folders are known, have a door, and have tests. */
function checkFolders(files: readonly string[]): Finding[] {
  const found: Finding[] = []
  const folders = new Set<string>()
  for (const file of files) {
    const folder = folderOf(file)
    const doors = folder !== null && LAYERS_WITH_DOORS.includes(layerOf(file))
    if (doors && file.endsWith('.ts') && !folder.endsWith('/testing')) folders.add(folder)
  }
  for (const folder of folders) {
    const inside = files.filter((file) => folderOf(file) === folder)
    const add = (rule: string, message: string) =>
      found.push({ file: `${folder}/`, line: 1, rule, message })
    if (FOLDERS[folder] === undefined) add('folder', 'is not in the table of folders')
    if (!inside.includes(`${folder}/index.ts`)) add('door', 'has no index.ts')
    if (!inside.some((file) => file.endsWith('.test.ts'))) add('tested', 'has no test')
  }
  return found
}

/** Few files lie directly in a layer of rooms. */
function checkLooseFiles(files: readonly string[]): Finding[] {
  return Object.entries(LOOSE_FILES_MAX).flatMap(([layer, most]) => {
    const loose = files.filter(
      (file) => layerOf(file) === layer && folderOf(file) === null && !isTest(file),
    )
    const message = `${loose.length} files lie directly in it, at most ${most}`
    return loose.length > most ? [{ file: `${layer}/`, line: 1, rule: 'loose', message }] : []
  })
}

/** Every `*-vN.ts` has its page, its golden folder and its fuzz target. */
function checkFormats(root: string, files: readonly string[]): Finding[] {
  const found: Finding[] = []
  for (const file of files) {
    const version = /^(format\/([a-z]+))\/[a-z0-9-]+-v(\d+)\.ts$/.exec(file)
    if (version === null) continue
    const [, folder, name, number] = version
    const { golden, fuzz } = FORMATS[folder!] ?? { golden: name!, fuzz: name! }
    const add = (rule: string, message: string) => found.push({ file, line: 1, rule, message })
    const page = `${folder}/${name!.toUpperCase()}.md`
    if (!files.includes(page)) add('page', `${page} is missing`)
    if (!files.includes(`fuzz/${fuzz}.fuzz.ts`)) add('fuzz', `fuzz/${fuzz}.fuzz.ts is missing`)
    const folderName = `fixtures/format/${golden}/v${number}`
    if (!existsSync(join(root, folderName))) add('golden', `${folderName} is missing`)
  }
  return found
}

/** Leaves out what the ratchet tolerates and adds what it need not tolerate any more. */
function ratcheted(findings: readonly Finding[]): Finding[] {
  const kept: Finding[] = []
  const left = new Map(Object.entries(RATCHET))
  for (const finding of findings) {
    const { file, rule, measured } = finding
    const key = `${rule} ${file}${measured?.name ? `#${measured.name}` : ''}`
    const tolerated = left.get(key)
    left.delete(key)
    if (measured !== undefined && tolerated !== undefined && measured.lines <= tolerated) {
      if (measured.lines === tolerated) continue
      const message = `the ratchet can go down to ${measured.lines}`
      kept.push({ ...finding, rule: 'ratchet', message })
    } else kept.push(finding)
  }
  for (const key of left.keys()) {
    kept.push({ file: key, line: 1, rule: 'ratchet', message: 'is not needed any more' })
  }
  return kept
}
