// `svc-tools snapshot`: reads snapshots in files and in the object store, without a server.
import { answer, type CommandContext, textOf } from './command-parts.ts'
import type { Parsed, Parser } from './terminal/index.ts'
import { openProgress } from './terminal/index.ts'

const STORE =
  'SNAPSHOT is a file, or `objstore:` for the newest one in the object store, or `objstore:NAME`.\n' +
  'The environment (SVC_OBJSTORE_…) or ./config.toml configures the store.'

export const snapshotCommands = (parser: Parser, context: CommandContext): Parser =>
  parser
    .command('inspect <snapshot>', 'Shows its content', inspectOptions, (parsed) =>
      runInspect(context, parsed),
    )
    .command('verify <snapshot>', 'Verifies all checksums of it', verifyOptions, (parsed) =>
      runVerify(context, parsed),
    )
    .command('list [where]', 'Lists snapshots', listOptions, (parsed) => runList(context, parsed))
    .usage(
      '$0 snapshot <command>\n\n' +
        'Reads snapshots. Changes nothing in them; no server is needed, and running ones are not disturbed.',
    )
    .demandCommand(1, 'say what to do with the snapshot')

const SNAPSHOT = { describe: 'A file, objstore: or objstore:NAME', type: 'string' } as const

const inspectOptions = (parser: Parser): Parser =>
  parser
    .usage(
      `$0 snapshot inspect SNAPSHOT\n\n${STORE}\n` +
        'Reads only the beginning: its time, its release, its indexes.',
    )
    .positional('snapshot', SNAPSHOT)
    .example('$0 snapshot inspect snapshots/data.ms.snapshot', 'what does it contain?')
    .example('$0 snapshot inspect objstore: --json', 'the newest one in the store, for programs')

async function runInspect(context: CommandContext, parsed: Parsed): Promise<void> {
  const { inspectSnapshot, snapshotText } = await import('./snapshot/index.ts')
  const result = await inspectSnapshot(String(parsed['snapshot']))
  answer(context, parsed, { result, text: snapshotText, problems: 0 })
}

const verifyOptions = (parser: Parser): Parser =>
  parser
    .usage(
      `$0 snapshot verify SNAPSHOT [--deep] [--in FOLDER]\n\n${STORE}\n` +
        'Reads it completely and checks that every file exists, with its length and its bytes as\n' +
        'written. With --deep it is also unpacked into a temporary folder and checked there as\n' +
        '`db check` checks a database; then the folder is removed. Exit code 1: it is damaged.',
    )
    .positional('snapshot', SNAPSHOT)
    .option('deep', {
      describe: 'Unpacks it temporarily and checks the database',
      type: 'boolean',
      default: false,
    })
    .option('in', {
      describe: 'Where to unpack; needs room for the database',
      type: 'string',
      requiresArg: true,
      default: '.',
    })
    .example('$0 snapshot verify snapshots/data.ms.snapshot', 'for example after copying it')
    .example('$0 snapshot verify objstore: --deep --in /var/tmp', 'a restore drill')

async function runVerify(context: CommandContext, parsed: Parsed): Promise<void> {
  const { verifySnapshot, verifiedText } = await import('./snapshot/index.ts')
  const result = await verifySnapshot(String(parsed['snapshot']), {
    deep: parsed['deep'] === true ? (textOf(parsed, 'in') ?? '.') : null,
    release: await context.release(),
    openProgress: (total) => openProgress(context.terminal, total),
  })
  answer(context, parsed, { result, text: verifiedText, problems: result.isSound ? 0 : 1 })
}

const listOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 snapshot list [WHERE]\n\n' +
        'WHERE is a folder, or `objstore:` for the store that the environment (SVC_OBJSTORE_…) or\n' +
        './config.toml configures. The oldest first. "of its own" is the size of a snapshot alone:\n' +
        'incremental ones share their files.',
    )
    .positional('where', {
      describe: 'A folder, or objstore: for the object store',
      type: 'string',
      default: './snapshots',
    })
    .example('$0 snapshot list', 'those of ./snapshots')
    .example('$0 snapshot list objstore:', 'those in the object store, with their names')

async function runList(context: CommandContext, parsed: Parsed): Promise<void> {
  const { listSnapshots, listText } = await import('./snapshot/index.ts')
  const result = await listSnapshots(String(parsed['where']))
  answer(context, parsed, { result, text: listText, problems: 0 })
}
