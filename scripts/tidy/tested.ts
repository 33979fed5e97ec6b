// Measures the lines of tests per line of production code in each folder. Tests of whole instances
// do not count: they notice a fault late, and do not say where it is.
import { posix } from 'node:path'
import { LINES_MIN, TESTED_MIN, TESTED_MIN_OF } from './tested.table.ts'
import type { Finding } from './words.ts'

/** A row of the table that is exceeded by this much has to be raised. */
const SLACK = 0.1

type Lines = { production: number; tests: number }

/** Returns the lines of each folder of the layers. Doors, tables and support of tests are neither. */
export function linesByFolder(
  files: Iterable<readonly [file: string, text: string]>,
): ReadonlyMap<string, Lines> {
  const found = new Map<string, Lines>()
  for (const [file, text] of files) {
    if (!/^(?:format|engine|server|tools)\/.+\/.+\.ts$/.test(file)) continue
    if (/\/testing\/|\/(?:test|fake)-|\/index\.ts$|\.table\.ts$/.test(file)) continue
    const folder = posix.dirname(file)
    const lines = found.get(folder) ?? { production: 0, tests: 0 }
    found.set(folder, lines)
    const isTest = /\.(?:test|drill)\b/.test(file)
    lines[isTest ? 'tests' : 'production'] += text.split('\n').length - 1
  }
  return found
}

export function checkTested(found: ReadonlyMap<string, Lines>): Finding[] {
  return [...found].flatMap(([folder, lines]) => {
    const message = problemOf(folder, lines)
    return message === null ? [] : [{ file: `${folder}/`, line: 1, rule: 'tests', message }]
  })
}

function problemOf(folder: string, { production, tests }: Lines): string | null {
  if (production < LINES_MIN) return null
  const row = TESTED_MIN_OF[folder]
  const share = tests / production
  const shown = `${share.toFixed(2)} lines of tests per line`
  if (share < (row ?? TESTED_MIN)) return `${shown}, at least ${row ?? TESTED_MIN}`
  if (row === undefined) return null
  if (share >= TESTED_MIN) return `${shown}: needs no row in tested.table.ts`
  return share >= row + SLACK ? `${shown}: raise its row of ${row}` : null
}
