// Where a command writes. Results go to `out`, everything else to `err`, so that a pipe gets the
// result alone.

export type Terminal = {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** Whether a person watches `err`: then there are progress bars. */
  readonly isWatched: boolean
  /** Of a line. */
  readonly columns: number
  /** Milliseconds from some moment on. */
  readonly now: () => number
}

const COLUMNS_DEFAULT = 100

export const PROCESS_TERMINAL: Terminal = {
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
  isWatched: process.stderr.isTTY === true && process.env['TERM'] !== 'dumb',
  columns: process.stdout.columns ?? COLUMNS_DEFAULT,
  now: () => performance.now(),
}
