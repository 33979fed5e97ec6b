// The output of a command. Results go to `out`, everything else to `err`, so that a pipe receives
// only the result.

export type Terminal = {
  readonly out: (text: string) => void
  readonly err: (text: string) => void
  /** True if a person watches `err`: then progress bars are shown. */
  readonly isWatched: boolean
  /** Width of a line. */
  readonly columns: number
  /** Milliseconds since any fixed moment. */
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
