// The form of all drills: options with defaults, the progress of a run, and its report.
import type { Parser, Terminal } from '../../../tools/terminal/index.ts'

/** Called with the work done so far, of all work. */
export type Progress = (done: number, total: number, what: string) => void

export type Run = { readonly seed: number; readonly progress?: Progress | undefined }

export type Report = {
  /** Name → a number, a text, or measured milliseconds. */
  readonly figures: { readonly [name: string]: number | string | readonly number[] }
  /** The violated expectations; empty if all hold. */
  readonly problems: readonly string[]
}

type Value = number | string | boolean
/** Adds a drill as a command of the command line. */
export type Drill = (commands: Parser, terminal: Terminal) => Parser

/** `options`: the default and the description of each. */
export const drill =
  <Options extends { readonly [option: string]: Value }>(
    name: string,
    describe: string,
    options: { readonly [option in keyof Options]: readonly [Options[option], string] },
    run: (given: Options & Run) => Promise<Report>,
  ): Drill =>
  (commands, terminal) =>
    commands.command(
      name,
      describe,
      (words) => {
        words.option('seed', {
          describe: 'Seed of the random numbers; a new one each time by default',
          type: 'number',
          requiresArg: true,
        })
        for (const [option, [value, text]] of Object.entries(options)) {
          const type = typeof value as 'number' | 'string' | 'boolean'
          const requiresArg = type !== 'boolean'
          words.option(option, { describe: text, type, default: value, requiresArg })
        }
        return words
      },
      async (given) => {
        const seed = given['seed'] === undefined ? Date.now() % 1_000_000 : Number(given['seed'])
        terminal.out(`seed ${seed}\n`)
        const progress = openBar(terminal)
        const report = await run({ ...(given as unknown as Options), seed, progress })
        progress(1, 1, '')
        terminal.out(reportText(report))
        if (report.problems.length > 0) process.exitCode = 1
      },
    )

/** Reads a list with commas between. @throws Error for an unknown name */
export function chosen<Name extends string>(list: string, known: readonly Name[]): Name[] {
  const names = list.split(',')
  if (names.every((name) => known.some((one) => one === name))) return names as Name[]
  throw new Error(`${list}: some of ${known.join(', ')}`)
}

const CELLS = 24
const ERASE_LINE = '\r\x1b[K'

/** The progress of a run: one line on a terminal, which is erased at the end; nothing elsewhere. */
export function openBar(terminal: Terminal): Progress {
  if (!terminal.isWatched) return () => undefined
  const begun = terminal.now()
  return (done, total, what) => {
    if (done >= total) return terminal.err(ERASE_LINE)
    const cells = '='.repeat(Math.floor((done / total) * CELLS)).padEnd(CELLS)
    const seconds = Math.ceil((((terminal.now() - begun) / done) * (total - done)) / 1000)
    const left = done === 0 ? '' : ` · ${seconds} s left`
    const line = `[${cells}] ${done} of ${total}${left} · ${what}`
    terminal.err(`${ERASE_LINE}${line.slice(0, terminal.columns - 1)}`)
  }
}

export function reportText({ figures, problems }: Report): string {
  const width = Math.max(0, ...Object.keys(figures).map(({ length }) => length))
  const lines = Object.entries(figures).map(([name, value]) => {
    const text = typeof value === 'object' ? `${summary(value)} ms` : String(value)
    return `${name.padEnd(width)}  ${text}`
  })
  return `${[...lines, ...problems.map((text) => `PROBLEM ${text}`)].join('\n')}\n`
}

/** `median 3 · p99 9 · most 12 (5 measured)`. */
function summary(values: readonly number[]): string {
  const at = (share: number): string => {
    const value = percentile(values, share)
    return value.toFixed(value < 10 ? 1 : 0)
  }
  return `median ${at(0.5)} · p99 ${at(0.99)} · most ${at(1)} (${values.length} measured)`
}

/** Returns the value that this share of all values does not exceed, or 0 without values. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = Float64Array.from(values).sort()
  return sorted[Math.ceil(share * sorted.length) - 1] ?? 0
}
