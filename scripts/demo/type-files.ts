// Finds the type declarations of the installed packages `typescript` and `@types/node`, which hold
// the documentation that the demo searches. Nothing of them is part of this project.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { TypeFile } from './api-documents.ts'

/**
 * Reads all useful files; the list is empty if neither package is installed. `from`: a file's URL.
 */
export function readTypeFiles(from: string): TypeFile[] {
  return [...libraryFiles(from), ...nodeFiles(from)]
}

function libraryFiles(from: string): TypeFile[] {
  const folder = libraryFolder(from)
  if (folder === null) return []
  const files: TypeFile[] = []
  const names = readdirSync(folder).filter((name) => /^lib\..+\.d\.ts$/.test(name))
  for (const name of names.sort(byEdition)) {
    const [edition] = name.split('.').slice(1)
    const text = () => readFileSync(join(folder, name), 'utf8')
    const web = edition === 'dom' || edition === 'webworker'
    if (web) {
      const supplement = edition === 'webworker'
      files.push({ source: 'web', module: edition!, since: '', supplement, text: text() })
    } else if (/^es(?:next|\d+)$/.test(edition!)) {
      const since = edition === 'esnext' ? 'ESNext' : edition!.toUpperCase()
      const place = { source: 'javascript', module: edition!, since, supplement: false } as const
      files.push({ ...place, text: text() })
    }
  }
  return files
}

/** Sorts ES5 before ES2015 before ESNext, the window before the worker. */
function byEdition(a: string, b: string): number {
  const rank = (name: string): string =>
    name.replace(/^lib\.es(\d)\./, 'lib.es200$1.').replace(/^lib\.esnext/, 'lib.eszzzz')
  return rank(a) < rank(b) ? -1 : 1
}

/**
 * Up to version 6 the files are in the package itself, from 7 on in the package of the platform.
 */
function libraryFolder(from: string): string | null {
  const own = packageFolder(from, 'typescript')
  if (own === null) return null
  const platform = `@typescript/typescript-${process.platform}-${process.arch}`
  const folders = [own, packageFolder(join(own, 'package.json'), platform)]
  for (const folder of folders) {
    if (folder !== null && existsSync(join(folder, 'lib', 'lib.dom.d.ts')))
      return join(folder, 'lib')
  }
  return null
}

function nodeFiles(from: string): TypeFile[] {
  const folder = packageFolder(from, '@types/node')
  if (folder === null) return []
  // Files for older compilers repeat the others.
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.d.ts') && !/^(?:ts\d|compatibility)/.test(name))
    .sort()
  return names.map((name) => ({
    source: 'node',
    module: 'globals',
    since: '',
    supplement: false,
    text: readFileSync(join(folder, name), 'utf8'),
  }))
}

function packageFolder(from: string, name: string): string | null {
  try {
    return dirname(createRequire(from).resolve(`${name}/package.json`))
  } catch (error) {
    if ((error as { code?: string }).code === 'MODULE_NOT_FOUND') return null
    throw error
  }
}
