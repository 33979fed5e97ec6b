// `svc-tools db`: commands on a whole database.
import { writeFileSync } from 'node:fs'
import {
  answer,
  type CommandContext,
  databaseOf,
  LOCKED,
  textOf,
  withDatabase,
} from './command-parts.ts'
import type { Parsed, Parser } from './terminal/index.ts'
import { openProgress } from './terminal/index.ts'

export const databaseCommands = (parser: Parser, context: CommandContext): Parser =>
  parser
    .command('check [folder]', 'Verifies all checksums of a database', checkOptions, (parsed) =>
      runCheck(context, parsed),
    )
    .command(
      'size [folder]',
      'The sizes of all parts, as a table and as a picture',
      sizeOptions,
      (parsed) => runSize(context, parsed),
    )
    .command(
      'upgrade [folder]',
      'Upgrades the database to this release (writes)',
      upgradeOptions,
      (parsed) => runUpgrade(context, parsed),
    )
    .command(
      'promote [folder]',
      'Makes the database of a follower writable (writes)',
      promoteOptions,
      (parsed) => runPromote(context, parsed),
    )
    .command(
      'repair [folder]',
      'Repairs damage that can be repaired safely (writes with --yes)',
      repairOptions,
      (parsed) => runRepair(context, parsed),
    )
    .usage('$0 db <command>')
    .demandCommand(1, 'say what to do with the database')

export const checkOptions = (parser: Parser): Parser =>
  withDatabase(parser)
    .usage(
      '$0 db check [FOLDER | --db PATH]\n\n' +
        'Reads the whole database: verifies all checksums, decodes all bytes, and checks that\n' +
        'manifest, segments, counts and tasks agree. Exit code 0: the database is sound, 1: problems\n' +
        'were found, 2: the check was not possible.',
    )
    .option('lock', LOCKED)
    .example('$0 db check /var/lib/svc/data.ms', 'a database whose server is stopped')
    .example('$0 db check --json | jq .problemCount', 'for programs')

/** Checks a whole database, or one index of it. */
export async function runCheck(
  context: CommandContext,
  parsed: Parsed,
  part: { readonly index?: string } = {},
): Promise<void> {
  const { checkDatabase, checkText } = await import('./check/index.ts')
  const result = checkDatabase(await databaseOf(parsed), {
    lock: parsed['lock'] === true,
    release: await context.release(),
    ...part,
    openProgress: (bytes) => openProgress(context.terminal, bytes),
  })
  answer(context, parsed, { result, text: checkText, problems: result.problemCount })
}

const sizeOptions = (parser: Parser): Parser =>
  withDatabase(parser)
    .usage(
      '$0 db size [FOLDER | --db PATH] [--svg FILE]\n\n' +
        'Shows the bytes of the database folder by index, layer and section, of logs and of unused\n' +
        'files. With --svg it also draws a picture, in which areas are proportional to bytes.\n' +
        'Reads the manifest and the ends of segments. Can be used while a server runs.',
    )
    .option('svg', { describe: 'A file for the picture', type: 'string', requiresArg: true })
    .example('$0 db size --db data.ms', 'a table')
    .example('$0 db size --svg size.svg', 'a picture for a browser')
    .example('$0 db size --json | jq .bytes', 'for programs')

async function runSize(context: CommandContext, parsed: Parsed): Promise<void> {
  const { databaseSize, databaseSizeText } = await import('./database/index.ts')
  const result = databaseSize(await databaseOf(parsed))
  const svg = textOf(parsed, 'svg')
  if (svg !== null) {
    const { sizePicture } = await import('./database/index.ts')
    writeFileSync(svg, sizePicture(result))
  }
  answer(context, parsed, { result, text: databaseSizeText, problems: 0 })
}

const upgradeOptions = (parser: Parser): Parser =>
  withDatabase(parser)
    .usage(
      '$0 db upgrade [FOLDER | --db PATH]\n\n' +
        'Upgrades the database like a server that is started with --upgrade-db, but runs no other\n' +
        'task. Data in an older format is rebuilt from the stored documents. After a kill, call the\n' +
        'command again: it continues. The server must be stopped. Writes.',
    )
    .example('$0 db upgrade --db /var/lib/svc/data.ms', 'before the new release is started')

async function runUpgrade(context: CommandContext, parsed: Parsed): Promise<void> {
  const { upgradeDatabase, upgradeText } = await import('./database/index.ts')
  const result = await upgradeDatabase(await databaseOf(parsed), {
    release: await context.release(),
    openProgress: (documents) => openProgress(context.terminal, documents, 'count'),
  })
  answer(context, parsed, { result, text: upgradeText, problems: 0 })
}

const promoteOptions = (parser: Parser): Parser =>
  withDatabase(parser)
    .usage(
      '$0 db promote [FOLDER | --db PATH]\n\n' +
        'Makes a database that was started with --follow accept writes, for example after the\n' +
        'publisher is lost. The database has the last published state, including enqueued tasks.\n' +
        'After a kill, call the command again: it continues. The server must be stopped, and the\n' +
        'old publisher must never publish to the same prefix again. Writes.',
    )
    .example('$0 db promote --db /var/lib/svc/data.ms', 'then start it without --follow')

async function runPromote(context: CommandContext, parsed: Parsed): Promise<void> {
  const { promoteDatabase, promoteText } = await import('./database/index.ts')
  const result = await promoteDatabase(await databaseOf(parsed), await context.release())
  answer(context, parsed, { result, text: promoteText, problems: 0 })
}

const repairOptions = (parser: Parser): Parser =>
  withDatabase(parser)
    .usage(
      '$0 db repair [FOLDER | --db PATH] [--yes]\n\n' +
        'Checks the database and lists the possible repairs; with --yes it makes them. Damaged words\n' +
        'and values are rebuilt from the documents. Documents and vectors that cannot be read any\n' +
        'more are reported as lost; the others stay. Replaced and removed files are moved to a\n' +
        'folder beside the database. A damaged task log is replaced, and its enqueued tasks are\n' +
        'reported. A damaged manifest is not repaired. The server must be stopped. Exit code 0: the\n' +
        'database is sound and nothing was lost, 1: problems remain, documents were lost, or repairs\n' +
        'are possible. Writes with --yes.',
    )
    .option('yes', { describe: 'Make the repairs', type: 'boolean', default: false, alias: 'y' })
    .example('$0 db repair --db data.ms', 'lists the repairs')
    .example('$0 db repair --db data.ms --yes', 'after making a copy')

async function runRepair(context: CommandContext, parsed: Parsed): Promise<void> {
  const { repairDatabase, repairText } = await import('./database/index.ts')
  const result = await repairDatabase(await databaseOf(parsed), {
    release: await context.release(),
    isMeant: parsed['yes'] === true,
    openProgress: (bytes) => openProgress(context.terminal, bytes),
    openCount: (documents) => openProgress(context.terminal, documents, 'count'),
  })
  const { isDone, steps, left, lost, lostTasks } = result
  const open = (isDone ? 0 : steps.length) + (lostTasks === null ? 0 : 1)
  answer(context, parsed, { result, text: repairText, problems: left.length + lost.length + open })
}
