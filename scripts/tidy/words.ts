// Counts words of the older vocabulary (`words.table.ts`) over code, comments and pages: a
// count may fall and never rise.
import { OLD_WORDS, type OldWord } from './words.table.ts'

/** Something that breaks a house rule. */
export type Finding = {
  readonly file: string
  readonly line: number
  readonly rule: string
  readonly message: string
}

/** A ceiling that exceeds the count by a quarter and by this many has to be lowered. */
const SLACK = 10

/** Whether a file counts: words of data tables and of these rules do not. */
const counts = (file: string): boolean =>
  !file.startsWith('fixtures/') && !file.startsWith('scripts/tidy/')

/** Name → occurrences in all files. */
export function countOldWords(files: Iterable<readonly [file: string, text: string]>) {
  const found = new Map<string, number>(Object.keys(OLD_WORDS).map((name) => [name, 0]))
  for (const [file, text] of files) {
    if (!counts(file)) continue
    for (const [name, { pattern }] of Object.entries(OLD_WORDS)) {
      const more = text.match(pattern)?.length ?? 0
      if (more > 0) found.set(name, found.get(name)! + more)
    }
  }
  return found
}

export function checkOldWords(found: ReadonlyMap<string, number>): Finding[] {
  return Object.entries(OLD_WORDS).flatMap(([name, word]) => {
    const message = problemOf(name, word, found.get(name) ?? 0)
    return message === null ? [] : [{ file: 'CONTRIBUTING.md', line: 1, rule: 'word', message }]
  })
}

function problemOf(name: string, { instead, most }: OldWord, count: number): string | null {
  if (count > most) return `"${name}" occurs ${count} times, at most ${most}: write ${instead}`
  if (most > count * 1.25 + SLACK)
    return `"${name}" occurs ${count} times: lower its ceiling of ${most}`
  return null
}
