// The history of the benchmarks: one file per entry, with the times of one machine and counts that
// are valid on all machines. Entries are ordered by their names, which begin with a date.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CountsByName } from './counts.ts'
import { type Report, readReport } from './report.ts'

export type HistoryEntry = Report & {
  /** Name of its file without the extension. */
  readonly name: string
  readonly counts: CountsByName
}

/** The oldest first; empty if the folder does not exist. */
export function readHistory(folder: string): HistoryEntry[] {
  let names: string[]
  try {
    names = readdirSync(folder)
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && error.code === 'ENOENT')) throw error
    return []
  }
  return names
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name) => readEntry(join(folder, name), name.slice(0, -'.json'.length)))
}

/** @throws Error for a file that `writeEntry` did not write */
function readEntry(path: string, name: string): HistoryEntry {
  const text = readFileSync(path, 'utf8')
  const { counts } = JSON.parse(text) as { readonly counts?: CountsByName }
  if (counts === undefined) throw new Error(`${path} has no counts.`)
  return { ...readReport(text), name, counts }
}

/** Returns the path of the entry. */
export function writeEntry(
  folder: string,
  name: string,
  entry: Omit<HistoryEntry, 'name'>,
): string {
  if (!/^[\w.-]+$/.test(name)) throw new Error('The name of an entry is letters, digits, . - and _')
  mkdirSync(folder, { recursive: true })
  const path = join(folder, `${name}.json`)
  writeFileSync(path, `${JSON.stringify(entry, null, 2)}\n`)
  return path
}
