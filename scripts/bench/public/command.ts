// The commands `relevance` and `game` of `npm run bench`: the public forms of the field.
import { createReadStream, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import {
  type Parsed,
  type Parser,
  PROCESS_TERMINAL,
  ToolError,
} from '../../../tools/terminal/index.ts'
import { buildIndex, type Engine, type GameQuery, gameText, measureGame, serve } from './game.ts'
import { relevanceTable, relevanceTableText } from './relevance.ts'

const print = (line: string): void => PROCESS_TERMINAL.out(`${line}\n`)

/** Adds both commands. */
export const publicCommands = (bench: Parser): Parser =>
  bench
    .command(
      'relevance <folders..>',
      'nDCG and recall on judged collections',
      relevanceOptions,
      runRelevance,
    )
    .command(
      'game <action> [file]',
      'The search benchmark game: index, serve, run',
      gameOptions,
      runGame,
    )

const relevanceOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 relevance FOLDERS [--embedder JSON]\n\n' +
        'Indexes each collection (corpus.jsonl, queries.jsonl, qrels/test.tsv, as BEIR publishes them)\n' +
        'in the ways that the engine offers, and prints a table. The last rows need vectors: of an\n' +
        'embedder, or in the files, as `_vectors` of documents and `vector` of queries.',
    )
    .positional('folders', { describe: 'Folders of collections', type: 'string' })
    .option('embedder', {
      describe: 'Settings of the embedder for hybrid searches',
      type: 'string',
      requiresArg: true,
    })
    .option('json', { describe: 'Prints all figures as JSON', type: 'boolean', default: false })
    .example('$0 relevance scifact nfcorpus', 'two collections of BEIR')
    .example(
      `$0 relevance scifact --embedder '{"source": "ollama", "model": "all-minilm"}'`,
      'with vectors of a model',
    )

async function runRelevance(parsed: Parsed): Promise<void> {
  const embedder = parsed['embedder'] === undefined ? null : String(parsed['embedder'])
  const folders = [parsed['folders']].flat().map(String)
  const options = {
    root: process.cwd(),
    folders: folders.map((folder) => resolve(folder)),
    embedder: embedder === null ? null : (JSON.parse(embedder) as object),
  }
  const all = await relevanceTable(options, PROCESS_TERMINAL)
  print(parsed['json'] === true ? JSON.stringify(all, null, 2) : relevanceTableText(all))
}

const gameOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 game index CORPUS --db PATH\n' +
        '$0 game serve --db PATH\n' +
        '$0 game run QUERIES --db PATH\n\n' +
        'index builds a database from the corpus of the game ({"id", "text"} a line). serve answers\n' +
        'lines of standard input for its driver. run measures its queries.txt without the driver: the\n' +
        'best of several runs, one search thread.',
    )
    .positional('action', {
      describe: 'The action',
      type: 'string',
      choices: ['index', 'serve', 'run'],
    })
    .positional('file', { describe: 'CORPUS or QUERIES', type: 'string' })
    .option('db', { describe: 'The database', type: 'string', default: './game.ms' })
    .option('runs', { describe: 'Measured runs', type: 'number', default: 5, requiresArg: true })

async function runGame(parsed: Parsed): Promise<void> {
  const { action, file } = parsed
  if (action !== 'serve' && typeof file !== 'string') throw new ToolError('name a FILE')
  const library = pathToFileURL(join(process.cwd(), 'dist/embed/index.js')).href
  const { openEngine } = (await import(library)) as typeof import('../../../server/embed/index.ts')
  const engine: Engine = await openEngine({ path: String(parsed['db']), searchThreads: 1 })
  try {
    if (action === 'serve') return await serve(engine, process.stdin, print)
    if (action === 'index') {
      const lines = createInterface({ input: createReadStream(String(file)) })
      return print(`${await buildIndex(engine, lines)} documents`)
    }
    const lines = readFileSync(String(file), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
    const queries = lines.map((line) => JSON.parse(line) as GameQuery)
    const now = (): number => performance.now()
    print(gameText(await measureGame(engine, queries, Number(parsed['runs']), now), queries.length))
  } finally {
    await engine.close()
  }
}
