// Shows progress: one line that is rewritten on a terminal, nothing elsewhere.
import { ERASE_LINE, type Terminal } from './terminal.ts'
import { bytesText, countText } from './text.ts'

export type Progress = {
  /** Sets the amount done; may be called at any rate. */
  readonly at: (done: number, what: string) => void
  /** Clears the progress line. */
  readonly end: () => void
}

const INTERVAL_MS = 100
/** Before this time the speed is not reliable enough for an estimate. */
const ESTIMATE_AFTER_MS = 1000
const BAR_CELLS = 24

const SILENT: Progress = { at: () => undefined, end: () => undefined }

/** `unit`: the thing that is counted. */
export function openProgress(
  terminal: Terminal,
  total: number,
  unit: 'bytes' | 'count' = 'bytes',
): Progress {
  if (!terminal.isWatched) return SILENT
  const begun = terminal.now()
  let shownAt = Number.NEGATIVE_INFINITY
  let isShown = false
  return {
    at: (done, what) => {
      const now = terminal.now()
      if (now - shownAt < INTERVAL_MS) return
      shownAt = now
      isShown = true
      const parts = { done, total, elapsedMs: now - begun, what }
      const line = progressLine(parts, unit === 'bytes' ? bytesText : countText)
      terminal.err(`${ERASE_LINE}${line.slice(0, terminal.columns - 1)}`)
    },
    end: () => {
      if (isShown) terminal.err(ERASE_LINE)
      isShown = false
    },
  }
}

type Parts = {
  readonly done: number
  readonly total: number
  readonly elapsedMs: number
  readonly what: string
}

/** `[=====>   ] 42 % · 1.2 MiB of 2.9 MiB · 3 s left · what` */
function progressLine(
  { done, total, elapsedMs, what }: Parts,
  amountText: (amount: number) => string,
): string {
  const share = total === 0 ? 1 : Math.min(1, done / total)
  const cells = Math.round(share * BAR_CELLS)
  const bar = `[${'='.repeat(cells)}${' '.repeat(BAR_CELLS - cells)}]`
  const parts = [
    `${bar} ${Math.floor(share * 100)} %`,
    `${amountText(done)} of ${amountText(total)}`,
  ]
  if (elapsedMs >= ESTIMATE_AFTER_MS && share > 0) {
    parts.push(`${secondsText((elapsedMs / share) * (1 - share))} left`)
  }
  return [...parts, what].join(' · ')
}

function secondsText(ms: number): string {
  const seconds = Math.ceil(ms / 1000)
  return seconds < 100 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`
}
