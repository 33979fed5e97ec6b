// Shows the progress of an import: one line that is rewritten on a terminal; elsewhere a log line
// at intervals.
import type { ImportProgress } from '../../engine/backup.ts'
import type { Log } from '../log/index.ts'

const INTERVAL_MS = 100
/** Milliseconds between two lines without a terminal. */
const LINE_INTERVAL_MS = 10_000
const CELLS = 24
const ERASE_LINE = '\r\x1b[K'

export type ImportBar = {
  readonly at: (progress: ImportProgress) => void
  /** Clears the progress line, before other output is written. */
  readonly clear: () => void
}

export type BarOptions = {
  readonly isWatched: boolean
  readonly write: (text: string) => void
  readonly log: Log
  /** Milliseconds of any clock. */
  readonly now: () => number
}

export function importBar({ isWatched, write, log, now }: BarOptions): ImportBar {
  let shownAt = now()
  let isShown = false
  return {
    at: (progress) => {
      if (now() - shownAt < (isWatched ? INTERVAL_MS : LINE_INTERVAL_MS)) return
      shownAt = now()
      if (isWatched) write(`${ERASE_LINE}${barLine(progress)}`)
      else log.info(`importing: ${progress.step}, ${percentOf(progress)} %`)
      isShown = isWatched
    },
    clear: () => {
      if (isShown) write(ERASE_LINE)
      isShown = false
    },
  }
}

const shareOf = ({ done, total }: ImportProgress): number =>
  total === 0 ? 1 : Math.min(1, done / total)

const percentOf = (progress: ImportProgress): number => Math.floor(shareOf(progress) * 100)

function barLine(progress: ImportProgress): string {
  const bar = '='.repeat(Math.round(shareOf(progress) * CELLS)).padEnd(CELLS)
  return `[${bar}] ${percentOf(progress)} % · ${progress.step}`
}
