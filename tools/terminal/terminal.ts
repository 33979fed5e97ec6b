// The output of a command. Results go to `out`, everything else to `err`, so that a pipe receives
// only the result.
import { printable } from './printable.ts'

export type Terminal = {
  readonly out: (text: string) => void
  /** Receives data that has no escapes, such as CSV, for another program; absent: `out`. */
  readonly data?: (text: string) => void
  readonly err: (text: string) => void
  /** True if a person watches `err`: then progress bars are shown. */
  readonly isWatched: boolean
  /** Width of a line. */
  readonly columns: number
  /** Milliseconds since any fixed moment. */
  readonly now: () => number
}

const COLUMNS_DEFAULT = 100
/** Begins a line of `err` that replaces the one before. */
export const ERASE_LINE = '\r\x1b[K'

export const PROCESS_TERMINAL: Terminal = {
  out: (text) => void process.stdout.write(text),
  data: (text) => void process.stdout.write(process.stdout.isTTY ? printable(text) : text),
  err: (text) => void process.stderr.write(text),
  isWatched: process.stderr.isTTY === true && process.env['TERM'] !== 'dumb',
  columns: process.stdout.columns ?? COLUMNS_DEFAULT,
  now: () => performance.now(),
}

/** Returns the terminal with functions that write only what is printable. */
export const safeTerminal = (terminal: Terminal): Terminal => ({
  ...terminal,
  out: (text) => terminal.out(printable(text)),
  err: (text) => {
    const begin = text.startsWith(ERASE_LINE) ? ERASE_LINE : ''
    terminal.err(begin + printable(text.slice(begin.length)))
  },
  data: terminal.data ?? terminal.out,
})
