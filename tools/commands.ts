// The commands of `svc-tools`: words, options, help. The code of a command is loaded when it runs.
import { asSegmentNo } from '../format/ids.ts'
import {
  answer,
  type CommandContext,
  countOf,
  databaseOf,
  limit,
  textOf,
  withDatabase,
  withDatabaseOption,
} from './command-parts.ts'
import { checkOptions, databaseCommands, runCheck } from './database-commands.ts'
import { dumpCommands } from './dump-commands.ts'
import { explainOptions, indexCommands, runExplain } from './index-commands.ts'
import type { SegmentChoice } from './inspect/index.ts'
import { networkCommands } from './network-commands.ts'
import { relevanceOptions, runRelevance } from './relevance-command.ts'
import { remoteCommands } from './remote-commands.ts'
import { snapshotCommands } from './snapshot-commands.ts'
import { taskCommands } from './task-commands.ts'
import type { Parsed, Parser, YargsOption } from './terminal/index.ts'
import { ToolError } from './terminal/index.ts'

const SEGMENT: YargsOption = {
  describe: 'Instead of a file: the number of a segment of --db',
  type: 'number',
  alias: 's',
  requiresArg: true,
}
const PREFIX: YargsOption = { describe: 'Only terms with this prefix', type: 'string', default: '' }

/** Adds all commands to a parser. */
export function addCommands(parser: Parser, context: CommandContext): Parser {
  return parser
    .command('db', 'The whole database: check, size, upgrade, repair', (db) =>
      databaseCommands(db, context),
    )
    .command('index', 'One index: stats, check, explain, export', (index) =>
      indexCommands(index, context),
    )
    .command('tasks', 'The task queue: list, show', (tasks) => taskCommands(tasks, context))
    .command('snapshot', 'Snapshots in files and in the store: inspect, verify, list', (snapshot) =>
      snapshotCommands(snapshot, context),
    )
    .command('network', 'A running network: status, verify, plan', (network) =>
      networkCommands(network, context),
    )
    .command('remote', 'A running server: import, search, settings', (remote) =>
      remoteCommands(remote, context),
    )
    .command(
      'relevance <judged>',
      'Scores searches by judged documents, and compares two ways to search',
      relevanceOptions,
      (parsed) => runRelevance(context, parsed),
    )
    .command('dump', 'Dumps: inspect, verify, extract', (dump) => dumpCommands(dump, context))
    .command('check [folder]', 'The same as db check', checkOptions, (parsed) =>
      runCheck(context, parsed),
    )
    .command('segment', 'One segment: layout, properties', (segment) =>
      segmentCommands(segment, context),
    )
    .command('fst', 'The dictionary of a text segment: dump, grep, dot', (fst) =>
      fstCommands(fst, context),
    )
    .command('manifest', 'The manifest: state, print', (manifest) =>
      manifestCommands(manifest, context),
    )
    .command('log', 'Read a log, record by record: print', (log) => logCommands(log, context))
    .command(
      'explain <index> <query> [folder]',
      'The same as index explain',
      explainOptions,
      (parsed) => runExplain(context, parsed),
    )
    .command(
      'doctor [folder]',
      'Checks whether a server can run on this machine, and how well',
      doctorOptions,
      (parsed) => runDoctor(context, parsed),
    )
    .command('openapi', 'The description of the API, as OpenAPI 3.1', apiOptions, () =>
      writeApi(context),
    )
}

const doctorOptions = (parser: Parser): Parser =>
  withDatabase(parser)
    .usage(
      '$0 doctor [FOLDER | --db PATH]\n\n' +
        'Examines system, Node, native packages, locks, memory, open files, disk, clock and the\n' +
        'folder of the database, and explains each result. Can be used while a server runs. Exit\n' +
        'code 1: a server cannot start on this machine.',
    )
    .example('$0 doctor', 'after an installation')
    .example('$0 doctor --json /var/lib/svc/data.ms', 'for programs')

async function runDoctor(context: CommandContext, parsed: Parsed): Promise<void> {
  const { doctorText, examine, thisMachine } = await import('./doctor/index.ts')
  const { nativeReports } = await import('../engine/index.ts')
  const result = examine(await databaseOf(parsed, true), thisMachine(nativeReports()))
  answer(context, parsed, { result, text: doctorText, problems: result.problemCount })
}

const apiOptions = (parser: Parser): Parser =>
  parser
    .usage('$0 openapi\n\nWrites the description of all routes: their requests and answers.')
    .example('$0 openapi > openapi.json', 'for generators of clients')

async function writeApi({ terminal }: CommandContext): Promise<void> {
  const { describeApi } = await import('../server/openapi/index.ts')
  terminal.out(`${JSON.stringify(await describeApi(), null, 2)}\n`)
}

const INDEX: YargsOption = {
  describe: 'Instead of --segment: an index that has only one segment of this layer',
  type: 'string',
  requiresArg: true,
}

/** A segment is selected by its file, by its number in a database, or by its index. */
const segmentChoice = (parser: Parser): Parser =>
  withDatabaseOption(
    parser.positional('file', {
      describe: 'A file of segments/; with --segment or --index, the folder of the database',
      type: 'string',
    }),
  )
    .option('segment', SEGMENT)
    .option('index', INDEX)

const NAME_A_SEGMENT =
  'name a segment: its FILE, --segment NUMBER or --index UID of a database (--db PATH)'

/** True if the segment belongs to a database; otherwise it is a file. */
const isInDatabase = ({ segment, index }: Parsed): boolean =>
  segment !== undefined || index !== undefined

/** `layer`: the only layer that the command reads, or null for any. */
async function choiceOf(parsed: Parsed, layer: string | null = null): Promise<SegmentChoice> {
  const { file, segment } = parsed
  if (!isInDatabase(parsed)) {
    if (typeof file !== 'string') throw new ToolError(NAME_A_SEGMENT)
    return { file }
  }
  const index = textOf(parsed, 'index')
  const isOne = index === null ? Number.isSafeInteger(segment) : segment === undefined
  if (!isOne) throw new ToolError(NAME_A_SEGMENT)
  const db = await databaseOf({ ...parsed, folder: file })
  return index === null ? { db, segment: asSegmentNo(Number(segment)) } : { db, index, layer }
}

const segmentCommands = (parser: Parser, context: CommandContext): Parser =>
  parser
    .command(
      'layout [file]',
      'The sections of a segment, with offsets, sizes, checksums and tables',
      (layout) =>
        segmentChoice(layout)
          .example('$0 segment layout 000004.text', 'a file')
          .example('$0 segment layout --db data.ms -s 17', 'possibly inside the manifest'),
      async (parsed) => {
        const { segmentLayout, segmentLayoutText } = await import('./inspect/index.ts')
        const result = segmentLayout(await choiceOf(parsed))
        answer(context, parsed, {
          result,
          text: segmentLayoutText,
          problems: result.problems.length,
        })
      },
    )
    .command(
      'properties [file]',
      'Counts of the content of a segment: documents, terms, lists, fields, ratios',
      (properties) =>
        segmentChoice(properties).example('$0 segment properties -s 4 --json', 'for programs'),
      async (parsed) => {
        const { segmentProperties, segmentPropertiesText } = await import('./inspect/index.ts')
        const described = segmentProperties(await choiceOf(parsed))
        const text = (): string => segmentPropertiesText(described)
        answer(context, parsed, { result: described.properties, text, problems: 0 })
      },
    )
    .usage('$0 segment <command>')
    .demandCommand(1, 'say what to do with the segment')

const fstCommands = (parser: Parser, context: CommandContext): Parser =>
  parser
    .command(
      'dump [file]',
      'The terms in byte order, with their ordinals and how many documents have them',
      (dump) =>
        segmentChoice(dump)
          .option('prefix', PREFIX)
          .option('limit', limit(1000, 'Number of terms at most; 0 shows all'))
          .example('$0 fst dump 000004.text --prefix star', 'stars and starlings'),
      async (parsed) => {
        const { fstDump, termListText } = await import('./inspect/index.ts')
        const result = fstDump(await choiceOf(parsed, 'text'), {
          prefix: String(parsed['prefix']),
          limit: countOf(parsed, 'limit'),
        })
        answer(context, parsed, { result, text: termListText, problems: 0 })
      },
    )
    .command('grep <first> [second]', 'The terms that match a pattern', grepOptions, (parsed) =>
      runGrep(context, parsed),
    )
    .command(
      'dot [file]',
      'The dictionary as a graph for Graphviz',
      (dot) =>
        segmentChoice(dot)
          .option('prefix', PREFIX)
          .option('limit', limit(100, 'Number of nodes at most'))
          .example('$0 fst dot FILE | dot -Tsvg > fst.svg', 'a picture'),
      async (parsed) => {
        const { fstGraph } = await import('./inspect/index.ts')
        const result = fstGraph(await choiceOf(parsed, 'text'), {
          prefix: String(parsed['prefix']),
          limit: countOf(parsed, 'limit'),
        })
        answer(context, parsed, { result, text: (graph) => graph, problems: 0 })
      },
    )
    .usage('$0 fst <command>')
    .demandCommand(1, 'say what to do with the dictionary')

const grepOptions = (parser: Parser): Parser =>
  withDatabaseOption(parser)
    .usage(
      '$0 fst grep FILE PATTERN\n$0 fst grep [FOLDER | --db PATH] --segment N PATTERN\n' +
        '$0 fst grep [FOLDER | --db PATH] --index UID PATTERN\n\n' +
        'A pattern is a regular expression; or ~word, the terms at most one edit away from a word,\n' +
        '~~word, two, found by the automata that searches use; a * at the end matches all terms\n' +
        'whose prefix is that near.',
    )
    .positional('first', {
      describe:
        'FILE. With --segment or --index: FOLDER, or PATTERN if there is no second argument',
      type: 'string',
    })
    .positional('second', { describe: 'PATTERN, if FIRST is FILE or FOLDER', type: 'string' })
    .option('segment', SEGMENT)
    .option('index', INDEX)
    .option('limit', limit(1000, 'Number of terms at most; 0 shows all'))
    .example("$0 fst grep FILE '^star.*s$'", 'a regular expression')
    .example("$0 fst grep FILE '~~godfater'", 'at most two typos')

async function runGrep(context: CommandContext, parsed: Parsed): Promise<void> {
  const { fstGrep, termListText } = await import('./inspect/index.ts')
  const { first, second } = parsed
  const isPatternAlone = isInDatabase(parsed) && second === undefined
  const [file, pattern] = isPatternAlone ? [undefined, first] : [first, second]
  if (typeof pattern !== 'string') {
    throw new ToolError('name a segment and a pattern: fst grep FILE PATTERN')
  }
  const choice = await choiceOf({ ...parsed, file }, 'text')
  const result = fstGrep(choice, pattern, { limit: countOf(parsed, 'limit') })
  answer(context, parsed, { result, text: termListText, problems: 0 })
}

const manifestCommands = (parser: Parser, context: CommandContext): Parser =>
  parser
    .command(
      'print [folder]',
      'The edits of the active manifest, in order',
      (print) => withDatabase(print).example('$0 manifest print data.ms', 'the committed edits'),
      async (parsed) => {
        const { manifestPrint, manifestPrintText } = await import('./inspect/index.ts')
        const result = manifestPrint(await databaseOf(parsed))
        answer(context, parsed, {
          result,
          text: manifestPrintText,
          problems: result.problems.length,
        })
      },
    )
    .command(
      'state [folder]',
      'Indexes, segments, their sizes and dead documents',
      (state) => withDatabase(state).example('$0 manifest state data.ms', 'numbers of segments'),
      async (parsed) => {
        const { manifestState, manifestStateText } = await import('./inspect/index.ts')
        const result = manifestState(await databaseOf(parsed))
        answer(context, parsed, { result, text: manifestStateText, problems: 0 })
      },
    )
    .usage('$0 manifest <command>')
    .demandCommand(1, 'say what to do with the manifest')

const logCommands = (parser: Parser, context: CommandContext): Parser =>
  parser
    .command(
      'print <file>',
      'The records of a log, with the content of their payloads',
      (print) =>
        print
          .positional('file', { describe: 'A manifest or a task log', type: 'string' })
          .option('index', {
            describe: 'For a task log: only records that name this index',
            type: 'string',
            requiresArg: true,
          })
          .example('$0 log print tasks-000001.log', 'the tasks')
          .example('$0 log print manifest-000001.log', 'a manifest, active or not'),
      async (parsed) => {
        const { logPrint, logPrintText } = await import('./inspect/index.ts')
        const result = logPrint(String(parsed['file']), textOf(parsed, 'index'))
        answer(context, parsed, { result, text: logPrintText, problems: result.problems.length })
      },
    )
    .usage('$0 log <command>')
    .demandCommand(1, 'say what to do with the log')
