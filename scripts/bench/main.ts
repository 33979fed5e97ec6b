// The entry point of `npm run bench`: the command line and the exit code.
import { type Parsed, type Parser, PROCESS_TERMINAL } from '../../tools/terminal/index.ts'
import { EXIT_USAGE, endWith, runCommandLine } from '../command-line.ts'
import { benchCommand } from './command.ts'
import { publicCommands } from './public/command.ts'
import { REPORT_DEFAULTS, writeReport } from './systems/command.ts'
import { SCALE_DEFAULTS, scale } from './systems/scale.ts'
import { TAIL_DEFAULTS, tail } from './systems/tail.ts'

const options = (bench: Parser): Parser =>
  serverOptions(bench)
    .usage(
      '$0 [names..]\n\n' +
        'Runs named micro-benchmarks on data made on the spot; a name may be the beginning of one.\n' +
        'Times are the median of many rounds, with the middle half of them beside it.',
    )
    .positional('names', { describe: 'Benchmarks to run; all by default', type: 'string' })
    .option('list', { describe: 'Prints the names only', type: 'boolean', default: false })
    .option('json', { describe: 'Prints a report as JSON', type: 'boolean', default: false })
    .option('seconds', {
      describe: 'Seconds per benchmark, after a warm-up',
      type: 'number',
      default: 1,
      requiresArg: true,
    })
    .option('compare', {
      describe: 'Compares with a file that --json wrote',
      type: 'string',
      requiresArg: true,
    })
    .option('counts', {
      describe:
        'Counts executed code and allocations instead of times; fails if they rose by a fifth',
      type: 'boolean',
      default: false,
    })
    .option('record', {
      describe: 'Adds times and counts to the history, under this name',
      type: 'string',
      requiresArg: true,
    })
    .example('$0 fst postings', 'two groups')
    .example('$0 --json > before.json', 'to compare with later')

/** Options of measurements of whole servers. */
function serverOptions(bench: Parser): Parser {
  return bench
    .option('report', {
      describe: 'Measures the whole server, rewrites docs/performance.md and the README',
      type: 'boolean',
      default: false,
    })
    .option('tail', {
      describe: 'Prints the slowest searches of the server and what each waited for; --data',
      type: 'boolean',
      default: false,
    })
    .option('scale', {
      describe: 'Prints the cost of searches at growing numbers of documents, by class',
      type: 'boolean',
      default: false,
    })
    .option('sizes', {
      describe: 'With --scale: the numbers of documents',
      type: 'string',
      default: SCALE_DEFAULTS.sizes.join(),
      requiresArg: true,
    })
    .option('release', {
      describe: 'With --report: an earlier commit or tag, built and measured as well',
      type: 'string',
      requiresArg: true,
    })
    .option('server', {
      describe: 'With --report: NAME=COMMAND of a server with this API; {db}, {port} are filled in',
      type: 'string',
      requiresArg: true,
    })
    .option('peer', {
      describe:
        'With --report: NAME=COMMAND that prints figures as JSON; {dataset}, {queries}, {fields}',
      type: 'string',
      requiresArg: true,
    })
    .option('data', {
      describe: 'With --report: NAME=FILE of documents (NDJSON, also gzipped) to measure as well',
      type: 'string',
      requiresArg: true,
    })
}

async function runBench(parsed: Parsed): Promise<number> {
  const text = (name: string): string | null => {
    const value = parsed[name]
    return typeof value === 'string' ? value : null
  }
  const list = (name: string): string[] => {
    const value = parsed[name]
    if (Array.isArray(value)) return value.map(String)
    return typeof value === 'string' ? [value] : []
  }
  if (parsed['tail'] === true) {
    const options = { ...TAIL_DEFAULTS, root: process.cwd(), data: list('data')[0] ?? null }
    for (const line of await tail(options)) PROCESS_TERMINAL.out(`${line}\n`)
    return 0
  }
  if (parsed['scale'] === true) {
    const sizes = (text('sizes') ?? '').split(',').map(Number)
    const options = { ...SCALE_DEFAULTS, root: process.cwd(), sizes }
    const lines = await scale(options, (line) => PROCESS_TERMINAL.err(`${line}\n`))
    for (const line of lines) PROCESS_TERMINAL.out(`${line}\n`)
    return 0
  }
  if (parsed['report'] === true) {
    const options = {
      ...REPORT_DEFAULTS,
      root: process.cwd(),
      release: text('release'),
      servers: list('server'),
      peers: list('peer'),
      data: list('data'),
    }
    await writeReport(options, (line) => PROCESS_TERMINAL.err(`${line}\n`))
    return 0
  }
  return benchCommand(
    {
      names: list('names'),
      list: parsed['list'] === true,
      json: parsed['json'] === true,
      compare: text('compare'),
      seconds: Number(parsed['seconds']),
      counts: parsed['counts'] === true,
      record: text('record'),
    },
    {
      out: (line) => PROCESS_TERMINAL.out(`${line}\n`),
      complain: (line) => PROCESS_TERMINAL.err(`${line}\n`),
    },
  )
}

runCommandLine('bench', (commands) =>
  publicCommands(
    commands.command(
      '$0 [names..]',
      'How fast are the hot paths here?',
      options,
      async (parsed) => {
        process.exitCode = await runBench(parsed)
      },
    ),
  ),
).catch((error: unknown) => endWith(EXIT_USAGE, error))
