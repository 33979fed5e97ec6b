// The entry point of `npm run demo`: arguments, signals, the exit code.
import { fileURLToPath } from 'node:url'
import { DEMO_HELP, type DemoArguments, readArguments } from './arguments.ts'
import { DemoError } from './client.ts'
import { runDemo } from './run.ts'
import { openTerminal, type Terminal } from './terminal.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Runs the demo and ends the process. */
async function main(): Promise<never> {
  const terminal = openTerminal(process.stdout, process.env)
  try {
    const given = readArguments(process.argv.slice(2))
    process.exitCode = given.help ? help(terminal) : await run(given, terminal)
  } catch (error) {
    if (!(error instanceof DemoError)) throw error
    terminal.line(error.message)
    process.exitCode = 1
  }
  // Idle connections of `fetch` would keep the process alive for some seconds.
  process.exit()
}

function help(terminal: Terminal): number {
  terminal.line(DEMO_HELP)
  return 0
}

function run(given: DemoArguments, terminal: Terminal): Promise<number> {
  const stopped = new Promise<void>((resolve) => {
    for (const signal of SIGNALS) process.on(signal, () => resolve())
  })
  const options = {
    serverEntry: builtServer(),
    packagesOf: import.meta.url,
    environment: process.env,
    ...given,
  }
  return runDemo(options, terminal, stopped)
}

/**
 * Returns the built server. This runs from a bundle two folders below the root, like its source.
 */
const builtServer = (): string =>
  fileURLToPath(new URL('../../dist/server/main.js', import.meta.url))

await main()
