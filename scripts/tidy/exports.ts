// Finds what is exported and never imported, and files that nothing reaches. A name that only its
// own file uses loses `export`; the compiler then says whether it is used at all. A type may stay
// exported where its file uses it: it belongs to a signature that others import.
import type { Finding } from './rules.ts'
import { importsOf, lineAt, namesIn, type Source } from './source.ts'
import { ENTRY_FILES, PUBLISHED_FILES } from './structure.table.ts'

type Export = { readonly name: string; readonly at: number }

const KEYWORDS = 'const|let|function|class|type|interface'
const DECLARED = new RegExp(
  `\\bexport\\s+(?:(?:declare|abstract|async)\\s+)*(${KEYWORDS})\\b\\s*\\*?\\s*([$\\w]+)`,
  'g',
)
const LISTED = /\bexport\s+(?:type\s+)?\{([^{}]*)\}/g

function occurs(code: string, name: string): number {
  const word = name.replaceAll('$', '\\$')
  return code.match(new RegExp(`(?<![$\\w])${word}(?![$\\w])`, 'g'))?.length ?? 0
}

function exportsOf({ code }: Source): Export[] {
  const found: Export[] = []
  for (const { 1: keyword, 2: name, index } of code.matchAll(DECLARED)) {
    if (/^(?:type|interface)$/.test(keyword!) && occurs(code, name!) > 1) continue
    found.push({ name: name!, at: index })
  }
  for (const match of code.matchAll(LISTED)) {
    const start = match.index + match[0].indexOf('{')
    for (const name of namesIn(match[1]!, 'ours')) {
      const inside = match[0].slice(match[0].indexOf('{')).search(new RegExp(`\\b${name}\\b`))
      found.push({ name, at: start + inside })
    }
  }
  return found
}

/** File → the names that other files take of it; `null`: all of them. */
function importedNames(
  sources: readonly Source[],
  resolve: (source: Source, name: string) => string,
): Map<string, Set<string> | null> {
  const taken = new Map<string, Set<string> | null>()
  for (const source of sources) {
    for (const { name, names } of importsOf(source)) {
      if (!name.startsWith('.')) continue
      const target = resolve(source, name)
      const known = taken.get(target)
      if (known === null || names === null) taken.set(target, null)
      else taken.set(target, new Set([...(known ?? []), ...names]))
    }
  }
  return taken
}

/** Exports without an importer, and files that nothing imports. `resolve`: path from the root. */
export function checkExports(
  sources: readonly Source[],
  resolve: (source: Source, name: string) => string,
): Finding[] {
  const taken = importedNames(sources, resolve)
  const found: Finding[] = []
  for (const source of sources) {
    const { file, whole } = source
    const names = taken.get(file)
    const isEntry = ENTRY_FILES.some((pattern) => pattern.test(file))
    if (names === undefined && !isEntry) {
      found.push({ file, line: 1, rule: 'unreached', message: 'nothing imports this file' })
    }
    if (names === null || PUBLISHED_FILES.includes(file)) continue
    for (const { name, at } of exportsOf(source)) {
      if (names?.has(name)) continue
      const message = `${name} is exported, and nothing imports it`
      found.push({ file, line: lineAt(whole, at), rule: 'unused-export', message })
    }
  }
  return found
}
