// Finds names of files, folders and headings in pages and comments that do not exist.
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { anchorOf } from './markdown.ts'

/** Names of the root that begin a path; `dist` and other outputs are not in the repository. */
const TOP = 'format|engine|server|tools|scripts|docs|fixtures|fuzz|packaging'
const BEGINS_AT_ROOT = new RegExp(`^(?:${TOP}|dist)/`)
/** Matches a path from the root, which may end in a file, a folder or a heading. */
const FROM_ROOT = new RegExp(`(?<![\\w/.@:-])(?:${TOP})/[\\w./*<>{}-]*[\\w/*](?:#[\\w-]+)?`, 'g')
/** Matches the name of a file, with folders before it or without. */
const FILE_NAME =
  /(?<![\w/.*@:<{-])(?:[\w-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:ts|mjs|cjs|as|md)(?![\w*-])/g
/** Matches comments, roughly: texts that look like comments hold no paths either. */
const COMMENTS = /\/\/.*|\/\*[\s\S]*?\*\//g

/** Names that stand for any file: `x.test.ts`, `NAME.fuzz.ts`. */
const STANDS_FOR_ANY = /(?:^|\/)(?:x|NAME|FILE)(?:$|[.-])|\/NAME\b|[*<{]/

/** Returns a text with the line for each name in `file` without a file, folder or heading. */
export function missingPaths(
  root: string,
  file: string,
  text: string,
  files: ReadonlySet<string>,
): string[] {
  const missing: string[] = []
  const pieces = file.endsWith('.md') ? [{ 0: text, index: 0 }] : text.matchAll(COMMENTS)
  for (const { 0: piece, index } of pieces) {
    const add = (what: string, at: number): void => {
      missing.push(`${file}:${text.slice(0, index + at).split('\n').length} ${what}`)
    }
    for (const { 0: found, index: at } of piece.matchAll(FROM_ROOT)) {
      const [path = '', heading] = found.split('#')
      if (STANDS_FOR_ANY.test(path)) continue
      if (!existsSync(join(root, path))) add(`${path} is not there`, at)
      else if (heading !== undefined && !hasHeading(join(root, path), heading)) {
        add(`${path} has no heading ${heading}`, at)
      }
    }
    for (const { 0: name, index: at } of piece.matchAll(FILE_NAME)) {
      if (STANDS_FOR_ANY.test(name) || BEGINS_AT_ROOT.test(name)) continue
      if (!isNamed(file, name, files)) add(`no file is called ${name}`, at)
    }
  }
  return missing
}

/** A name without folders may be that of any file; a path starts at a folder above `file`. */
function isNamed(file: string, name: string, files: ReadonlySet<string>): boolean {
  if (!name.includes('/')) return files.has(name)
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if (files.has(posix.join(folder, name))) return true
    if (folder === '.') return false
  }
}

function hasHeading(page: string, heading: string): boolean {
  const titles = readFileSync(page, 'utf8').matchAll(/^#+ (.+)$/gm)
  return [...titles].some(([, title]) => anchorOf(title!) === heading)
}
