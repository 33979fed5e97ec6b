// `svc-tools remote`: queries a running server over HTTP.
import { MiB } from '../format/bytes/index.ts'
import {
  answer,
  type CommandContext,
  countOf,
  KEY_VARIABLE,
  limit,
  listOf,
  textOf,
  URL_OPTION,
} from './command-parts.ts'
import type { SourceName } from './foreign/index.ts'
import { type Parsed, type Parser, ToolError } from './terminal/index.ts'

/** All of `tools/foreign`, as its type says; the room itself is loaded by an import alone. */
const SOURCES: { readonly [name in SourceName]: name } = {
  algolia: 'algolia',
  typesense: 'typesense',
  elasticsearch: 'elasticsearch',
}
const FORMATS = ['json', 'ndjson', 'csv', 'tsv'] as const
/** Large enough for large batches, small enough to show progress. */
const PIECE_BYTES = 8 * MiB

const KEY_WORDS = `If the server needs a key, set the variable ${KEY_VARIABLE}.`

export const remoteCommands = (parser: Parser, context: CommandContext): Parser =>
  parser
    .command(
      'import <index> <file>',
      'Sends a file of documents, and waits until they are searchable',
      importOptions,
      (parsed) => runImport(context, parsed),
    )
    .command('search <index> [query]', 'Searches an index', searchOptions, (parsed) =>
      runSearch(context, parsed),
    )
    .command(
      'settings <action> <index> [value]',
      'Reads or changes the settings of an index: get, set',
      settingsOptions,
      (parsed) => runSettings(context, parsed),
    )
    .usage(
      '$0 remote <command>\n\n' +
        `Uses a running server: imports documents, searches, reads and changes settings.\n${KEY_WORDS}`,
    )
    .demandCommand(1, 'say what to do with the server')

const importOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 remote import INDEX FILE [--url URL]\n\n' +
        'FILE has documents as a JSON array, as NDJSON, or as CSV with a header; the ending of its\n' +
        'name shows the format. NDJSON and CSV of any size are sent in pieces of about 8 MiB. The\n' +
        'index is created if it is missing. Exit code 1: a task failed.\n\n' +
        'With --from, FILE is an export of another engine as JSON or NDJSON. Characters of identifiers\n' +
        'that are not allowed here are rewritten. Places become `_geo`; if a document has several\n' +
        'places, all of them also become `_geojson`. For Elasticsearch, the documents may be hits with\n' +
        '`_source` or lines of its bulk API. The output lists what was rewritten.\n\n' +
        KEY_WORDS,
    )
    .positional('index', { describe: 'The index', type: 'string' })
    .positional('file', { describe: 'The file', type: 'string' })
    .option('url', URL_OPTION)
    .option('format', {
      describe: 'The format of the file, if the ending of its name does not show it',
      type: 'string',
      choices: FORMATS,
    })
    .option('delimiter', {
      describe: 'The delimiter of CSV cells, `tab` for a tab; default: a comma, for tsv a tab',
      type: 'string',
      requiresArg: true,
    })
    .option('primary-key', {
      describe: 'The attribute with the identifier of each document',
      type: 'string',
      requiresArg: true,
    })
    .option('from', {
      describe: 'The engine that exported the file',
      type: 'string',
      choices: Object.values(SOURCES),
    })
    .option('geo', {
      describe: 'With --from: the attribute with places; default for algolia: _geoloc',
      type: 'string',
      requiresArg: true,
    })
    .option('update', {
      describe: 'Change only the members in the file, instead of whole documents',
      type: 'boolean',
      default: false,
    })
    .option('wait', {
      describe:
        'Wait until the documents are searchable; with --no-wait only until all are on disk',
      type: 'boolean',
      default: true,
    })
    .example('$0 remote import films films.csv --primary-key id', 'a table')
    .example('$0 remote import films changes.ndjson --update', 'changed members only')
    .example('$0 remote import shop records.ndjson --from algolia', 'an export of Algolia')

async function runImport(context: CommandContext, parsed: Parsed): Promise<void> {
  const { delimiterOf, formatOf, importFile, importText, instanceOf } = await import(
    './remote/index.ts'
  )
  const path = String(parsed['file'])
  const format = (textOf(parsed, 'format') as (typeof FORMATS)[number] | null) ?? formatOf(path)
  const options = {
    index: String(parsed['index']),
    path,
    format: format === 'tsv' ? 'csv' : format,
    delimiter: delimiterOf(textOf(parsed, 'delimiter'), format),
    bytes: PIECE_BYTES,
    primaryKey: textOf(parsed, 'primaryKey'),
    isUpdate: parsed['update'] === true,
    waits: parsed['wait'] === true,
    from: textOf(parsed, 'from') as SourceName | null,
    geo: textOf(parsed, 'geo'),
  }
  const result = await importFile(instanceOf(parsed), options, context.terminal)
  answer(context, parsed, { result, text: importText, problems: result.failures.length })
}

const searchOptions = (parser: Parser): Parser =>
  parser
    .usage(`$0 remote search INDEX [QUERY] [--url URL]\n\nShows the best hits. ${KEY_WORDS}`)
    .positional('index', { describe: 'The index', type: 'string' })
    .positional('query', { describe: 'The query; default: all documents', type: 'string' })
    .option('url', URL_OPTION)
    .option('filter', { describe: 'A filter', type: 'string', requiresArg: true })
    .option('sort', {
      describe: 'Sort criteria: year:desc,title:asc',
      type: 'string',
      requiresArg: true,
    })
    .option('attributes', {
      describe: 'Only these members of hits: title,year',
      type: 'string',
      requiresArg: true,
    })
    .option('limit', limit(10, 'Number of hits at most'))
    .example("$0 remote search films godfater --filter 'year < 1980'", 'finds typos')
    .example("$0 remote search films star --json | jq '.hits[].title'", 'for programs')

async function runSearch(context: CommandContext, parsed: Parsed): Promise<void> {
  const { instanceOf, searchIndex, searchText } = await import('./remote/index.ts')
  const result = await searchIndex(instanceOf(parsed), {
    index: String(parsed['index']),
    query: textOf(parsed, 'query') ?? '',
    filter: textOf(parsed, 'filter'),
    sort: listOf(parsed, 'sort'),
    attributes: listOf(parsed, 'attributes'),
    limit: countOf(parsed, 'limit'),
  })
  answer(context, parsed, { result, text: searchText, problems: 0 })
}

const settingsOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 remote settings get INDEX [NAME] [--url URL]\n' +
        '$0 remote settings set INDEX CHANGE [--url URL]\n\n' +
        'CHANGE is an object of settings as JSON, or @FILE; other settings stay unchanged. Waits\n' +
        `until the change is done. Exit code 1: the change failed. ${KEY_WORDS}`,
    )
    .positional('action', { describe: 'The action', type: 'string', choices: ['get', 'set'] })
    .positional('index', { describe: 'The index', type: 'string' })
    .positional('value', { describe: 'NAME of a setting, or CHANGE', type: 'string' })
    .option('url', URL_OPTION)
    .example('$0 remote settings get films rankingRules', 'a single setting')
    .example(`$0 remote settings set films '{"filterableAttributes": ["year"]}'`, 'a change')
    .example('$0 remote settings set copy @films.json', 'the output of `settings get films`')

async function runSettings(context: CommandContext, parsed: Parsed): Promise<void> {
  const { changeSettings, failureText, instanceOf, readSettings } = await import(
    './remote/index.ts'
  )
  const [instance, index, value] = [
    instanceOf(parsed),
    String(parsed['index']),
    textOf(parsed, 'value'),
  ]
  if (parsed['action'] === 'get') {
    const result = await readSettings(instance, index, value)
    const text = (settings: unknown): string => `${JSON.stringify(settings, null, 2)}\n`
    return answer(context, parsed, { result, text, problems: 0 })
  }
  if (value === null) throw new ToolError('CHANGE is missing: JSON, or @FILE')
  const result = await changeSettings(instance, index, value)
  const failure = failureText(result)
  const text = (): string => `${failure ?? `The settings of \`${index}\` are changed.`}\n`
  answer(context, parsed, { result, text, problems: failure === null ? 0 : 1 })
}
