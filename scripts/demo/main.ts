// The entry point of `npm run demo`: options, signals, the exit code.
import { type Parsed, type Parser, PROCESS_TERMINAL } from '../../tools/terminal/index.ts'
import { EXIT_USAGE, endWith, runCommandLine } from '../command-line.ts'
import { runDemo } from './run.ts'

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const options = (demo: Parser): Parser =>
  demo
    .option('data', {
      describe: 'Your own documents: .ndjson, .json or .csv, also compressed (.gz)',
      type: 'string',
      requiresArg: true,
    })
    .option('port', { describe: 'Port; any free one by default', type: 'number', default: 0 })
    .option('db', {
      describe: 'Folder of the database; by default a temporary one, which is removed at the end',
      type: 'string',
      requiresArg: true,
    })
    .option('exit', { describe: 'Ends after the searches', type: 'boolean', default: false })

async function run({ data, port, db, exit }: Parsed): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    for (const signal of SIGNALS) process.once(signal, () => resolve())
  })
  const text = (value: unknown): string | null => (typeof value === 'string' ? value : null)
  const given = { port: Number(port), db: text(db), data: text(data), exit: exit === true }
  const code = await runDemo({ root: process.cwd(), ...given }, PROCESS_TERMINAL, stopped)
  // Idle connections of `fetch` would keep the process alive for some seconds.
  process.exit(code)
}

const ABOUT = 'Starts a server, indexes documents, shows searches, and stays up until Ctrl-C'

runCommandLine('demo', (commands) => commands.command('$0', ABOUT, options, run)).catch(
  (error: unknown) => endWith(EXIT_USAGE, error),
)
