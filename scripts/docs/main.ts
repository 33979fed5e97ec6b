// `npm run docs`: builds a static web site from the pages in docs/, by default in dist/docs. With a
// server it has a search.
import { MeilisearchError } from 'meilisearch'
import {
  type Parsed,
  type Parser,
  PROCESS_TERMINAL,
  toolErrorOf,
} from '../../tools/terminal/index.ts'
import { EXIT_USAGE, endWith, runCommandLine } from '../command-line.ts'
import { buildSite, loadSections, serveSite } from './search/index.ts'

const FOLDER = 'dist/docs'
/** The key stands in the environment, because other users of the machine can read command lines. */
const KEY_VARIABLE = 'SVC_API_KEY'
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const print = (text: string): void => PROCESS_TERMINAL.out(`${text}\n`)

const withFolder = (words: Parser): Parser =>
  words.positional('folder', { describe: 'Where the site goes', type: 'string', default: FOLDER })

const buildOptions = (words: Parser): Parser =>
  withFolder(words)
    .option('search', {
      describe: 'URL of a server that has the sections: pages get a search box',
      type: 'string',
      requiresArg: true,
    })
    .option('search-key', {
      describe: 'Key of that server for searches, which everybody can read in the pages',
      type: 'string',
      requiresArg: true,
    })

const loadOptions = (words: Parser): Parser =>
  withFolder(words).positional('url', { describe: 'URL of the server', type: 'string' })

const serveOptions = (words: Parser): Parser =>
  words.option('port', {
    describe: 'Port; any free one by default',
    type: 'number',
    default: 0,
  })

async function runBuild({ folder, search, 'search-key': key }: Parsed): Promise<void> {
  const server =
    search === undefined
      ? null
      : { url: String(search), key: key === undefined ? null : String(key) }
  const count = await buildSite(String(folder), server)
  print(`${count} files in ${folder}: open ${folder}/index.html`)
}

async function runLoad({ url, folder }: Parsed): Promise<void> {
  await buildSite(String(folder), null)
  const key = process.env[KEY_VARIABLE] || null
  const search = await loadSections(String(folder), String(url), key)
  await buildSite(String(folder), search)
  const option = search.key === null ? '' : ` --search-key ${search.key}`
  print(`The server has the sections. The site in ${folder} searches them; to build it again:`)
  print(`npm run docs -- --search ${search.url}${option}`)
}

async function runServe({ port }: Parsed): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    for (const signal of SIGNALS) process.once(signal, () => resolve())
  })
  const site = await serveSite(Number(port))
  print(`Open ${site.url} in a browser. Ctrl-C ends it.`)
  await stopped
  await site.stop()
  // Idle connections of `fetch` would keep the process alive for some seconds.
  process.exit(0)
}

const LOAD_WORDS =
  'Loads the sections into a server and makes the site with a search box. ' +
  `${KEY_VARIABLE} in the environment: the master key, or one that may write and make keys`

runCommandLine('docs', (commands) =>
  commands
    .command('$0 [folder]', 'Makes a web site of docs/', buildOptions, runBuild)
    .command('load <url> [folder]', LOAD_WORDS, loadOptions, runLoad)
    .command(
      'serve',
      'The site with its search on this machine, until Ctrl-C',
      serveOptions,
      runServe,
    ),
).catch((error: unknown) => {
  const known = error instanceof MeilisearchError ? error : toolErrorOf(error)
  if (known === null) endWith(EXIT_USAGE, error)
  PROCESS_TERMINAL.err(`${known.message}\n`)
  process.exit(1)
})
