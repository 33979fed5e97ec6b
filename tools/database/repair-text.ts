// The report of a repair for people.
import { findingText } from '../inspect/index.ts'
import { countOf, table } from '../terminal/index.ts'
import type { RepairResult } from './repair.ts'

const IDS_SHOWN_MAX = 20

export function repairText(result: RepairResult): string {
  const { database, isDone, steps, left, lost, lostTasks, kept } = result
  if (steps.length === 0 && left.length === 0) return `${database} is sound: nothing to repair.\n`
  const parts: string[] = []
  if (steps.length > 0) {
    parts.push(isDone ? 'Repairs made:\n' : 'Possible repairs:\n')
    const rows = steps.map(({ where, words }) => [where, words])
    parts.push(table([{ title: '' }, { title: '' }], rows))
  }
  for (const { index, segment, what, documents, ids } of lost) {
    const shown = ids.slice(0, IDS_SHOWN_MAX).join(', ')
    const names = ids.length === 0 ? '' : `: ${shown}${ids.length > IDS_SHOWN_MAX ? ', …' : ''}`
    const count = `${what === 'vectors' ? 'vectors of ' : ''}${countOf(documents, 'document')}`
    parts.push(`\nLost: ${count} of ${index} (segment ${segment})${names}\n`)
  }
  if (lostTasks !== null) {
    const { waiting, nextTask } = lostTasks
    const uids = waiting.length === 0 ? '' : `: ${waiting.slice(0, IDS_SHOWN_MAX).join(', ')}`
    const more = waiting.length > IDS_SHOWN_MAX ? ', …' : ''
    const count = countOf(waiting.length, 'waiting task')
    parts.push(`\nLost: the history of tasks, and ${count}${uids}${more}\n`)
    parts.push(`The next task is ${nextTask}.\n`)
  }
  if (left.length > 0) {
    parts.push(isDone ? '\nRemaining problems:\n' : '\nProblems that cannot be repaired:\n')
    parts.push(...left.map((finding) => `  ${findingText(finding)}\n`))
    parts.push('Restore a snapshot, or import a dump into a new database.\n')
  }
  if (kept !== null) parts.push(`\nRemoved files are kept in ${kept}.\n`)
  if (!isDone && steps.length > 0) parts.push('\nNothing was changed: --yes makes the repairs.\n')
  return parts.join('')
}
