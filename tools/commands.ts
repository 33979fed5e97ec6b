// The commands of `svc-tools`: words, options, help. What a command does is loaded when it runs.
import type { SegmentChoice } from './inspect/index.ts'
import type { Parsed, Parser, Terminal, YargsOption } from './terminal/index.ts'
import { openProgress, ToolFailure } from './terminal/index.ts'

/** Where a command writes, and how it ends: 0 fine, 1 problems were found. */
export type CommandContext = {
  readonly terminal: Terminal
  readonly release: () => Promise<string>
  exitCode: number
}

const DB: YargsOption = {
  describe: 'The folder of the database',
  type: 'string',
  default: './data.ms',
  alias: 'db-path',
  requiresArg: true,
}
const SEGMENT: YargsOption = {
  describe: 'Instead of a file: the number of a segment of --db',
  type: 'number',
  alias: 's',
  requiresArg: true,
}
const PREFIX: YargsOption = { describe: 'Only terms that begin so', type: 'string', default: '' }
const limit = (count: number, describe: string): YargsOption => ({
  describe,
  type: 'number',
  default: count,
  requiresArg: true,
})

type Answer<R> = {
  readonly result: R
  readonly text: (result: R) => string
  readonly problems: number
}

/** Prints the result, as text or as JSON, and settles the exit code. */
function answer<R>(context: CommandContext, parsed: Parsed, given: Answer<R>): void {
  const { result, text, problems } = given
  const isJson = parsed['json'] === true
  context.terminal.out(isJson ? `${JSON.stringify(result, null, 2)}\n` : text(result))
  if (problems > 0) context.exitCode = 1
}

/** Adds all commands to a parser. */
export function addCommands(parser: Parser, context: CommandContext): Parser {
  return parser
    .command('check', 'Is every byte of a database what was written?', checkOptions, (parsed) =>
      runCheck(context, parsed),
    )
    .command('segment', 'Look into a segment: layout, properties', (segment) =>
      segmentCommands(segment, context),
    )
    .command('fst', 'Look into the dictionary of a text segment: dump, grep, dot', (fst) =>
      fstCommands(fst, context),
    )
    .command('manifest', 'What the database consists of: state, print', (manifest) =>
      manifestCommands(manifest, context),
    )
    .command('log', 'Read a log, record by record: print', (log) => logCommands(log, context))
    .command(
      'explain <index> <query>',
      'What does a search do: readings, words, buckets, times',
      explainOptions,
      (parsed) => runExplain(context, parsed),
    )
    .command(
      'bench [names..]',
      'How fast are the hot paths on this machine?',
      benchOptions,
      async (parsed) => {
        const { benchCommand } = await import('./bench/index.ts')
        const text = (name: string): string | null => {
          const value = parsed[name]
          return typeof value === 'string' ? value : null
        }
        const names = parsed['names']
        context.exitCode = await benchCommand(
          {
            names: Array.isArray(names) ? names.map(String) : [],
            list: parsed['list'] === true,
            json: parsed['json'] === true,
            compare: text('compare'),
            plot: text('plot'),
            seconds: Number(parsed['seconds']),
            smoke: parsed['smoke'] === true,
          },
          {
            out: (line) => context.terminal.out(`${line}\n`),
            complain: (line) => context.terminal.err(`${line}\n`),
          },
        )
      },
    )
}

const benchOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 bench [names..]\n\n' +
        'Runs named micro-benchmarks on data made on the spot; a name may be the beginning of one.\n' +
        'Times are the median of many rounds, with the middle half of them beside it.',
    )
    .positional('names', { describe: 'Which ones; none: all', type: 'string' })
    .option('list', { describe: 'Names them instead', type: 'boolean', default: false })
    .option('seconds', {
      describe: 'For each, after a warm-up',
      type: 'number',
      default: 1,
      requiresArg: true,
    })
    .option('compare', {
      describe: 'A file that --json wrote: shows what changed',
      type: 'string',
      requiresArg: true,
    })
    .option('plot', { describe: 'Draws the results (SVG)', type: 'string', requiresArg: true })
    .option('smoke', {
      describe: 'Small data: shows that all run, no times worth having',
      type: 'boolean',
      default: false,
    })
    .example('$0 bench fst postings', 'two groups')
    .example('$0 bench --json > before.json', 'to compare with later')

const checkOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 check [--db PATH]\n\n' +
        'Reads the whole database and nothing else: every checksum, what every byte means, and\n' +
        'whether manifest, segments, counts and tasks agree. Exit code 0: sound, 1: problems were\n' +
        'found, 2: it could not be looked at.',
    )
    .option('db', DB)
    .option('lock', {
      describe: 'Keep servers out meanwhile; --no-lock looks at a moving target',
      type: 'boolean',
      default: true,
    })
    .example('$0 check --db /var/lib/svc/data.ms', 'a database whose server is stopped')
    .example('$0 check --json | jq .problemCount', 'for programs')

async function runCheck(context: CommandContext, parsed: Parsed): Promise<void> {
  const { checkDatabase, checkText } = await import('./check/index.ts')
  const result = checkDatabase(String(parsed['db']), {
    lock: parsed['lock'] === true,
    release: await context.release(),
    openProgress: (bytes) => openProgress(context.terminal, bytes),
  })
  answer(context, parsed, { result, text: checkText, problems: result.problemCount })
}

const explainOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 explain INDEX QUERY [--search JSON]\n\n' +
        'Searches, and tells how the query was read, what its words were found to stand for, which\n' +
        'buckets the ranking rules made of the documents, and how long each stage took. Words that\n' +
        'the search did not look for are not looked for here. Nothing is written.',
    )
    .positional('index', { describe: 'The uid of an index', type: 'string' })
    .positional('query', { describe: 'What to search for', type: 'string' })
    .option('db', DB)
    .option('search', {
      describe: 'Further parameters of the search, as an object',
      type: 'string',
      default: '{}',
      requiresArg: true,
    })
    .example('$0 explain movies "dark knigt"', 'with all that is default')
    .example(
      `$0 explain movies star --search '{"filter": "year > 1990", "limit": 5}'`,
      'parameters',
    )

async function runExplain(context: CommandContext, parsed: Parsed): Promise<void> {
  const { explain, explainText } = await import('./explain/index.ts')
  const result = explain(String(parsed['db']), {
    index: String(parsed['index']),
    query: String(parsed['query']),
    search: String(parsed['search']),
  })
  answer(context, parsed, { result, text: explainText, problems: 0 })
}

/** A segment is named by its file, or by its number in a database. */
const segmentChoice = (parser: Parser): Parser =>
  parser
    .positional('file', { describe: 'A file of segments/', type: 'string' })
    .option('db', DB)
    .option('segment', SEGMENT)

function choiceOf(parsed: Parsed): SegmentChoice {
  const { file, segment } = parsed
  if (typeof file === 'string' && segment === undefined) return { file }
  if (file === undefined && Number.isSafeInteger(segment)) {
    return { db: String(parsed['db']), segment: Number(segment) }
  }
  throw new ToolFailure('name a segment: either its FILE, or --db PATH --segment NUMBER')
}

const segmentCommands = (parser: Parser, context: CommandContext): Parser =>
  parser
    .command(
      'layout [file]',
      'Sections with their places, sizes and checksums, and the tables inside them',
      (layout) =>
        segmentChoice(layout)
          .example('$0 segment layout 000004.text', 'a file')
          .example('$0 segment layout --db data.ms -s 17', 'maybe inside the manifest'),
      async (parsed) => {
        const { segmentLayout, segmentLayoutText } = await import('./inspect/index.ts')
        const result = segmentLayout(choiceOf(parsed))
        answer(context, parsed, {
          result,
          text: segmentLayoutText,
          problems: result.problems.length,
        })
      },
    )
    .command(
      'properties [file]',
      'What is in it: documents, terms, lists, fields, ratios',
      (properties) =>
        segmentChoice(properties).example('$0 segment properties -s 4 --json', 'for programs'),
      async (parsed) => {
        const { segmentProperties, segmentPropertiesText } = await import('./inspect/index.ts')
        const result = segmentProperties(choiceOf(parsed))
        answer(context, parsed, { result, text: segmentPropertiesText, problems: 0 })
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
          .option('limit', limit(1000, 'At most so many terms; 0: all'))
          .example('$0 fst dump 000004.text --prefix star', 'stars and starlings'),
      async (parsed) => {
        const { fstDump, termListText } = await import('./inspect/index.ts')
        const result = fstDump(choiceOf(parsed), {
          prefix: String(parsed['prefix']),
          limit: countOf(parsed, 'limit'),
        })
        answer(context, parsed, { result, text: termListText, problems: 0 })
      },
    )
    .command('grep <first> [second]', 'The terms that a pattern means', grepOptions, (parsed) =>
      runGrep(context, parsed),
    )
    .command(
      'dot [file]',
      'The dictionary as a graph for Graphviz',
      (dot) =>
        segmentChoice(dot)
          .option('prefix', PREFIX)
          .option('limit', limit(100, 'At most so many nodes'))
          .example('$0 fst dot FILE | dot -Tsvg > fst.svg', 'a picture'),
      async (parsed) => {
        const { fstGraph } = await import('./inspect/index.ts')
        const result = fstGraph(choiceOf(parsed), {
          prefix: String(parsed['prefix']),
          limit: countOf(parsed, 'limit'),
        })
        answer(context, parsed, { result, text: (graph) => graph, problems: 0 })
      },
    )
    .usage('$0 fst <command>')
    .demandCommand(1, 'say what to do with the dictionary')

const grepOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 fst grep FILE PATTERN\n$0 fst grep --db PATH --segment N PATTERN\n\n' +
        'A pattern is a regular expression; or ~word, the terms at most one edit away from a word,\n' +
        '~~word, two, found by the automata that searches use; a * at the end asks for terms that\n' +
        'begin that near.',
    )
    .positional('first', { describe: 'FILE, or PATTERN with --segment', type: 'string' })
    .positional('second', { describe: 'PATTERN behind FILE', type: 'string' })
    .option('db', DB)
    .option('segment', SEGMENT)
    .option('limit', limit(1000, 'At most so many terms; 0: all'))
    .example("$0 fst grep FILE '^star.*s$'", 'a regular expression')
    .example("$0 fst grep FILE '~~godfater'", 'at most two typos')

async function runGrep(context: CommandContext, parsed: Parsed): Promise<void> {
  const { fstGrep, termListText } = await import('./inspect/index.ts')
  const { first, second } = parsed
  const inDatabase = parsed['segment'] !== undefined
  const pattern = inDatabase ? first : second
  if (typeof pattern !== 'string' || (inDatabase && second !== undefined)) {
    throw new ToolFailure('name a segment and a pattern: fst grep FILE PATTERN')
  }
  const choice = choiceOf({ ...parsed, file: inDatabase ? undefined : first })
  const result = fstGrep(choice, pattern, { limit: countOf(parsed, 'limit') })
  answer(context, parsed, { result, text: termListText, problems: 0 })
}

function countOf(parsed: Parsed, name: string): number {
  const value = Number(parsed[name])
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new ToolFailure(`--${name} is a number from 0 on`)
}

const manifestCommands = (parser: Parser, context: CommandContext): Parser =>
  parser
    .command(
      'print',
      'The edits of the manifest in force, one after another',
      (print) => print.option('db', DB),
      async (parsed) => {
        const { manifestPrint, manifestPrintText } = await import('./inspect/index.ts')
        const result = manifestPrint(String(parsed['db']))
        answer(context, parsed, {
          result,
          text: manifestPrintText,
          problems: result.problems.length,
        })
      },
    )
    .command(
      'state',
      'Indexes, segments and their sizes, what is dead',
      (state) => state.option('db', DB),
      async (parsed) => {
        const { manifestState, manifestStateText } = await import('./inspect/index.ts')
        const result = manifestState(String(parsed['db']))
        answer(context, parsed, { result, text: manifestStateText, problems: 0 })
      },
    )
    .usage('$0 manifest <command>')
    .demandCommand(1, 'say what to do with the manifest')

const logCommands = (parser: Parser, context: CommandContext): Parser =>
  parser
    .command(
      'print <file>',
      'The records of a log, with what their payloads say',
      (print) =>
        print
          .positional('file', { describe: 'A manifest or a task log', type: 'string' })
          .example('$0 log print tasks-000001.log', 'what was asked for')
          .example('$0 log print manifest-000001.log', 'a manifest, in force or not'),
      async (parsed) => {
        const { logPrint, logPrintText } = await import('./inspect/index.ts')
        const result = logPrint(String(parsed['file']))
        answer(context, parsed, { result, text: logPrintText, problems: result.problems.length })
      },
    )
    .usage('$0 log <command>')
    .demandCommand(1, 'say what to do with the log')
