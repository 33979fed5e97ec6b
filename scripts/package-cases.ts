// The frame of `npm run installs` and `npm run bundles`, which try the packed package in many ways.
// The package registry must be reachable.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Parser, PROCESS_TERMINAL } from '../tools/terminal/index.ts'
import { EXIT_USAGE, endWith, runCommandLine } from './command-line.ts'

const STEP_MS_MAX = 600_000

/** Runs a program and returns its output. @throws Error with all output if it fails */
export function runProgram(
  program: string,
  words: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): string {
  const done = spawnSync(program, words, { ...options, encoding: 'utf8', timeout: STEP_MS_MAX })
  if (done.error !== undefined) throw done.error
  if (done.status === 0) return done.stdout
  const line = [program, ...words].join(' ')
  throw new Error(`${line}: exit code ${done.status}\n${done.stdout}${done.stderr}`)
}

/** Packs the checkout, which must be built. Returns the path of the file in `folder`. */
export function packInto(folder: string): string {
  const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const output = runProgram('npm', words, { cwd: process.cwd() })
  const [{ filename }] = JSON.parse(output) as [{ readonly filename: string }]
  return join(folder, filename)
}

export type PackageCases<Case> = {
  /** Name of the npm script. */
  readonly program: string
  readonly about: string
  readonly cases: readonly Case[]
  readonly nameOf: (one: Case) => string
  /** Fills the folder, which is removed at the end. */
  readonly prepare: (folder: string) => void
  /** Returns a remark. @throws Error if the case fails */
  readonly tryCase: (one: Case, folder: string) => Promise<string>
}

/** Runs the command line of the process. The exit code is 1 if a case fails. */
export async function runCases<Case>(all: PackageCases<Case>): Promise<void> {
  const options = (words: Parser): Parser =>
    words
      .option('only', { describe: 'Part of the names of cases', type: 'string', default: '' })
      .option('list', { describe: 'Prints the names only', type: 'boolean', default: false })
  await runCommandLine(all.program, (commands) =>
    commands.command('$0', all.about, options, async ({ only, list }) => {
      const cases = all.cases.filter((one) => all.nameOf(one).includes(String(only)))
      if (list === true) PROCESS_TERMINAL.out(cases.map((one) => `${all.nameOf(one)}\n`).join(''))
      else process.exitCode = await tryAll(all, cases)
    }),
  ).catch((error: unknown) => endWith(EXIT_USAGE, error))
}

async function tryAll<Case>(all: PackageCases<Case>, cases: readonly Case[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), `svc-${all.program}-`))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(1))
  all.prepare(folder)
  let failed = 0
  for (const one of cases) {
    const begin = performance.now()
    const [result, text] = await all.tryCase(one, folder).then(
      (remark) => ['ok  ', `: ${remark}`],
      (error: unknown) => ['FAIL', `\n${error}`],
    )
    if (result === 'FAIL') failed++
    const seconds = ((performance.now() - begin) / 1000).toFixed(0)
    PROCESS_TERMINAL.out(`${result}  ${all.nameOf(one)}, ${seconds} s${text}\n`)
  }
  PROCESS_TERMINAL.out(`\n${cases.length - failed} of ${cases.length} cases succeed.\n`)
  return failed === 0 ? 0 : 1
}
