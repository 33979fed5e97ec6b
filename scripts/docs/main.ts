// `npm run docs`: builds a static web site from the pages in docs/. The first argument is its
// folder; the default is dist/docs.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { type Parsed, type Parser, PROCESS_TERMINAL } from '../../tools/terminal/index.ts'
import { runCommandLine } from '../command-line.ts'
import { siteOf } from './site.ts'

const FOLDER = 'dist/docs'

const options = (words: Parser): Parser =>
  words.positional('folder', { describe: 'Where the site goes', type: 'string', default: FOLDER })

async function run({ folder: given }: Parsed): Promise<void> {
  const folder = String(given)
  mkdirSync(folder, { recursive: true })
  const files = siteOf((page) => readFileSync(join('docs', page), 'utf8'))
  for (const [file, text] of files) {
    mkdirSync(dirname(join(folder, file)), { recursive: true })
    writeFileSync(join(folder, file), text)
  }
  cpSync('docs/images', join(folder, 'images'), { recursive: true })
  PROCESS_TERMINAL.out(`${files.size} files in ${folder}: open ${join(folder, 'index.html')}\n`)
}

await runCommandLine('docs', (commands) =>
  commands.command('$0 [folder]', 'Makes a web site of docs/', options, run),
)
