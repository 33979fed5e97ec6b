// The progress of a run: one line on a terminal, nothing elsewhere.
import type { Terminal } from '../../tools/terminal/index.ts'

const CELLS = 24
const ERASE_LINE = '\r\x1b[K'

/** Called with the progress so far; clears the line at the end. */
export type Bar = (done: number, what: string) => void

export function openBar(terminal: Terminal, total: number): Bar {
  if (!terminal.isWatched) return () => undefined
  const begun = terminal.now()
  return (done, what) => {
    if (done >= total) {
      terminal.err(ERASE_LINE)
      return
    }
    const cells = Math.floor((done / total) * CELLS)
    const left = done === 0 ? '' : ` · ${seconds(begun, terminal.now(), done, total)} s left`
    const line = `[${'='.repeat(cells).padEnd(CELLS)}] ${done} of ${total}${left} · ${what}`
    terminal.err(`${ERASE_LINE}${line.slice(0, terminal.columns - 1)}`)
  }
}

const seconds = (begun: number, now: number, done: number, total: number): number =>
  Math.ceil((((now - begun) / done) * (total - done)) / 1000)
