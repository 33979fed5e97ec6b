// `svc-tools snapshot`: reads snapshots in files and in the object store, without a server.
import { answer, type CommandContext, textOf } from './command-parts.ts'
import type { Parsed, Parser } from './terminal/index.ts'
import { openProgress } from './terminal/index.ts'

const STORE =
  'SNAPSHOT is a file, `objstore:` for the newest snapshot in the object store, or `objstore:NAME`.\n' +
  'Set the store by the environment (SVC_OBJSTORE_…) or ./config.toml.'

export const snapshotCommands = (parser: Parser, context: CommandContext): Parser =>
  parser
    .command('inspect <snapshot>', 'Shows the content of a snapshot', inspectOptions, (parsed) =>
      runInspect(context, parsed),
    )
    .command('verify <snapshot>', 'Verifies all checksums of a snapshot', verifyOptions, (parsed) =>
      runVerify(context, parsed),
    )
    .command('list [where]', 'Lists snapshots', listOptions, (parsed) => runList(context, parsed))
    .usage(
      '$0 snapshot <command>\n\n' +
        'Reads snapshots and changes nothing in them. Needs no server, and does not disturb a running one.',
    )
    .demandCommand(1, 'say what to do with the snapshot')

const SNAPSHOT = { describe: 'A file, objstore: or objstore:NAME', type: 'string' } as const

const inspectOptions = (parser: Parser): Parser =>
  parser
    .usage(
      `$0 snapshot inspect SNAPSHOT\n\n${STORE}\n` +
        'Reads only the beginning of the snapshot, and shows its time, release and indexes.',
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
        'Reads the whole snapshot and checks that every file exists, and that its length and bytes\n' +
        'are as written. With --deep the snapshot is also unpacked into a temporary folder, checked\n' +
        'like a database by `db check`, and removed. Exit code 1: the snapshot is damaged.',
    )
    .positional('snapshot', SNAPSHOT)
    .option('deep', {
      describe: 'Also unpack the snapshot into a temporary folder, and check the database',
      type: 'boolean',
      default: false,
    })
    .option('in', {
      describe: 'The parent of the temporary folder; needs space for the database',
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
        'WHERE is a folder, or `objstore:` for the object store that is set by the environment\n' +
        '(SVC_OBJSTORE_…) or ./config.toml. The oldest snapshot is first. Incremental snapshots share\n' +
        'files: "of its own" is the size of the files that only one snapshot has.',
    )
    .positional('where', {
      describe: 'A folder, or objstore: for the object store',
      type: 'string',
      default: './snapshots',
    })
    .example('$0 snapshot list', 'the snapshots of ./snapshots')
    .example('$0 snapshot list objstore:', 'the snapshots in the object store, with their names')

async function runList(context: CommandContext, parsed: Parsed): Promise<void> {
  const { listSnapshots, listText } = await import('./snapshot/index.ts')
  const result = await listSnapshots(String(parsed['where']))
  answer(context, parsed, { result, text: listText, problems: 0 })
}
