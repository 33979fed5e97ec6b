// `svc-tools index`: one index of a database.

import { asIndexUid } from '../format/ids.ts'
import {
  answer,
  type CommandContext,
  databaseOf,
  FORCE,
  INDEX,
  LOCKED,
  OUTPUT,
  SETTINGS,
  textOf,
  withDatabase,
} from './command-parts.ts'
import { runCheck } from './database-commands.ts'
import type { Parsed, Parser } from './terminal/index.ts'
import { openProgress, ToolError } from './terminal/index.ts'

const FORMATS = ['ndjson', 'json', 'csv'] as const

export const indexCommands = (parser: Parser, context: CommandContext): Parser =>
  parser
    .command('stats [index] [folder]', 'Documents, layers, fields, words', statsOptions, (parsed) =>
      runStats(context, parsed),
    )
    .command(
      'check <index> [folder]',
      'Verifies all checksums of an index',
      checkOptions,
      (parsed) => runCheck(context, parsed, { index: String(parsed['index']) }),
    )
    .command(
      'explain <index> <query> [folder]',
      'Shows the steps of a search: readings, words, buckets, times',
      explainOptions,
      (parsed) => runExplain(context, parsed),
    )
    .command(
      'export <index> [folder]',
      'Writes the documents and settings of an index to files',
      exportOptions,
      (parsed) => runExport(context, parsed),
    )
    .usage('$0 index <command>\n\nReads one index. Nothing is written to the database.')
    .demandCommand(1, 'say what to do with the index')

const statsOptions = (parser: Parser): Parser =>
  withDatabase(parser)
    .usage(
      '$0 index stats [INDEX] [FOLDER | --db PATH]\n\n' +
        'Counts of one index, or of all indexes. Reads the manifest and the heads of segments. Can be\n' +
        'used while a server runs.',
    )
    .positional('index', { describe: 'The uid of an index; default: all', type: 'string' })
    .example('$0 index stats movies --db data.ms', 'one index')
    .example("$0 index stats --json | jq 'map({uid, documents, bytes})'", 'for programs')

async function runStats(context: CommandContext, parsed: Parsed): Promise<void> {
  const { indexStats, indexStatsText } = await import('./indexes/index.ts')
  const index = textOf(parsed, 'index')
  const uid = index === null ? null : asIndexUid(index)
  const result = indexStats(await databaseOf(parsed), uid)
  answer(context, parsed, { result, text: indexStatsText, problems: 0 })
}

const checkOptions = (parser: Parser): Parser =>
  withDatabase(parser)
    .usage(
      '$0 index check INDEX [FOLDER | --db PATH]\n\n' +
        'Like db check, for one index: verifies all checksums of its segments, decodes all bytes, and\n' +
        'checks that its layers, counts and settings agree. Exit code 1: problems were found.',
    )
    .positional('index', INDEX)
    .option('lock', LOCKED)
    .example('$0 index check movies --db data.ms', 'after a disk has failed')

export const explainOptions = (parser: Parser): Parser =>
  withDatabase(parser)
    .usage(
      '$0 index explain INDEX QUERY [FOLDER | --db PATH] [--search JSON]\n\n' +
        'Runs a search, and shows the readings of the query, the terms that its words matched, the\n' +
        'buckets that the ranking rules made, and the duration of each stage. Stages that the search\n' +
        'did not need are not shown. Nothing is written.',
    )
    .positional('index', INDEX)
    .positional('query', { describe: 'The query', type: 'string' })
    .option('search', {
      describe: 'Further parameters of the search, as a JSON object',
      type: 'string',
      default: '{}',
      requiresArg: true,
    })
    .example('$0 index explain movies "dark knigt"', 'with all defaults')
    .example(
      `$0 index explain movies star --search '{"filter": "year > 1990", "limit": 5}'`,
      'with parameters',
    )

export async function runExplain(context: CommandContext, parsed: Parsed): Promise<void> {
  const { explain, explainText } = await import('./explain/index.ts')
  const result = explain(await databaseOf(parsed), {
    index: asIndexUid(String(parsed['index'])),
    query: String(parsed['query']),
    search: String(parsed['search']),
  })
  answer(context, parsed, { result, text: explainText, problems: 0 })
}

const exportOptions = (parser: Parser): Parser =>
  withDatabase(parser)
    .usage(
      '$0 index export INDEX [FOLDER | --db PATH] [--format ndjson|json|csv] [--output FILE]\n' +
        '  [--settings FILE]\n\n' +
        'Writes the documents as they are stored. CSV can be imported again: the header of a column\n' +
        'of numbers is like `price:number`. A column with lists, objects, empty texts or values of\n' +
        'several types has a header like `tags:json` and JSON in its cells. When CSV is imported, an\n' +
        'empty cell becomes a member without a value; in a column of JSON it becomes no member. NDJSON\n' +
        'loses nothing. Can be used while a server runs: the files have the state of one moment.\n' +
        'Files are not overwritten without --force.',
    )
    .positional('index', INDEX)
    .option('format', {
      describe: 'The format of the documents',
      type: 'string',
      default: 'ndjson',
      choices: FORMATS,
      alias: 'f',
    })
    .option('output', OUTPUT)
    .option('settings', SETTINGS)
    .option('filter', { describe: 'Only documents that match', type: 'string', requiresArg: true })
    .option('force', FORCE)
    .example('$0 index export movies > movies.ndjson', 'one document per line')
    .example(
      '$0 index export movies -f csv -o movies.csv --settings s.json',
      'a table, and the settings',
    )
    .example("$0 index export movies --filter 'year > 1990'", 'some of the documents')

async function runExport(context: CommandContext, parsed: Parsed): Promise<void> {
  const { exportIndex, exportText } = await import('./indexes/index.ts')
  const { terminal } = context
  const output = textOf(parsed, 'output')
  const format = FORMATS.find((name) => name === parsed['format'])
  if (format === undefined) throw new ToolError(`--format must be one of ${FORMATS.join(', ')}`)
  const result = await exportIndex(await databaseOf(parsed), {
    index: asIndexUid(String(parsed['index'])),
    format,
    filter: textOf(parsed, 'filter'),
    output,
    settings: textOf(parsed, 'settings'),
    force: parsed['force'] === true,
    write: format === 'csv' ? (terminal.data ?? terminal.out) : terminal.out,
    // A progress bar would be mixed with the documents on the terminal.
    openProgress: (documents) =>
      openProgress(
        output === null ? { ...terminal, isWatched: false } : terminal,
        documents,
        'count',
      ),
  })
  if (output === null) return
  answer(context, parsed, { result, text: exportText, problems: 0 })
}
