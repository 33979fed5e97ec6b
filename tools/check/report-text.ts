// The report of a check for people: one line per file, then the problems, then leftover files.
import { findingText } from '../inspect/index.ts'
import { bytesText, countOf, countText, table } from '../terminal/index.ts'
import { type CheckResult, type FileReport, findingsOf } from './result.ts'

const COLUMNS = [
  { title: '' },
  { title: '' },
  { title: '', align: 'right' },
  { title: '' },
] as const

export function checkText(result: CheckResult): string {
  const { database, version, files, indexes, leftovers, notes, problemCount } = result
  const parts = [`${database}, written by release ${version ?? 'unknown'}\n\n`]
  parts.push(table(COLUMNS, files.map(rowOf)))
  for (const { uid, documents, segments, problems } of indexes) {
    const count = documents === null ? 'documents unknown' : countOf(documents, 'document')
    const state = problems.length === 0 ? '' : ' · DAMAGED'
    parts.push(`\n${uid} · ${count}${state}\n`, table(COLUMNS, segments.map(rowOf)))
  }
  const findings = findingsOf(result)
  if (findings.length > 0) parts.push('\n', ...findings.map((f) => `${findingText(f)}\n`))
  if (leftovers.length > 0) parts.push('\nUnused files (not a problem):\n')
  for (const { file, bytes } of leftovers) parts.push(`  ${file}  ${bytesText(bytes)}\n`)
  if (notes.length > 0) parts.push('\n', ...notes.map((note) => `Note: ${note}.\n`))
  parts.push(`\n${verdictText(problemCount, isRepairable(result))}\n`)
  return parts.join('')
}

/** Without a sound manifest the right state is unknown, so `db repair` refuses. */
const isRepairable = ({ files }: CheckResult): boolean =>
  !files.some(({ what, problems }) => what === 'manifest' && problems.length > 0)

function verdictText(problemCount: number, canBeRepaired: boolean): string {
  if (problemCount === 0) return 'The database is sound.'
  const count = problemCount === 1 ? 'One problem was' : `${countText(problemCount)} problems were`
  const advice = 'Restore a snapshot, or import a dump into a new database'
  const repair = canBeRepaired
    ? 'svc-tools db repair shows what can be repaired safely'
    : 'svc-tools db repair cannot help: the manifest is damaged'
  return `${count} found. ${advice}; ${repair}.`
}

const rowOf = ({ file, bytes, facts, problems }: FileReport): string[] => [
  file,
  problems.length === 0 ? 'sound' : 'DAMAGED',
  bytesText(bytes),
  facts,
]
