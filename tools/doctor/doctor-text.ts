// The report of the doctor for people: one line per finding, and what follows from it.
import { table } from '../terminal/index.ts'
import { type DoctorResult, type FindingState, verdict } from './doctor.ts'

const COLUMNS = [{ title: '' }, { title: '' }, { title: '' }] as const
const SIGNS: { readonly [state in FindingState]: string } = {
  good: 'good',
  note: 'note',
  problem: 'PROBLEM',
}

export function doctorText(result: DoctorResult): string {
  const rows = result.findings.flatMap(({ subject, found, state, consequence }) => [
    [subject, SIGNS[state], found],
    ...(consequence === null ? [] : [['', '', `→ ${consequence}`]]),
  ])
  return `${table(COLUMNS, rows)}\n${verdict(result)}\n`
}
