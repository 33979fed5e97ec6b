// `npm run docs`: builds a static web site from the pages in docs/. The first argument is its
// folder; the default is dist/docs.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Parsed, type Parser, PROCESS_TERMINAL, parser } from '../../tools/terminal/index.ts'
import { siteOf } from './site.ts'

const USAGE = 2
const FOLDER = 'dist/docs'

const options = (words: Parser): Parser =>
  words.positional('folder', { describe: 'Where the site goes', type: 'string', default: FOLDER })

async function main(): Promise<void> {
  await parser()
    .scriptName('npm run docs --')
    .locale('en')
    .strict()
    .command('$0 [folder]', 'Makes a web site of docs/', options, run)
    .help('help', 'Shows this page')
    .wrap(Math.min(100, PROCESS_TERMINAL.columns))
    .exitProcess(false)
    .showHelpOnFail(false)
    .fail((message, error) => {
      if (error !== undefined && error.name !== 'YError') throw error
      PROCESS_TERMINAL.err(`${message ?? error?.message}\n`)
      process.exit(USAGE)
    })
    .parseAsync(process.argv.slice(2), {}, (_error, _parsed, output) => {
      if (output !== '') PROCESS_TERMINAL.out(`${output}\n`)
    })
}

async function run({ folder: given }: Parsed): Promise<void> {
  const folder = String(given)
  mkdirSync(folder, { recursive: true })
  const files = siteOf((page) => readFileSync(join('docs', page), 'utf8'))
  for (const [file, text] of files) writeFileSync(join(folder, file), text)
  cpSync('docs/images', join(folder, 'images'), { recursive: true })
  PROCESS_TERMINAL.out(`${files.size} files in ${folder}: open ${join(folder, 'index.html')}\n`)
}

await main()
