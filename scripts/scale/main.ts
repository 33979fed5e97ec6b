// `npm run scale`: simulates the limits of the designs, and prints the tables of docs/scaling.md or
// writes them into the page.
import { readFileSync, writeFileSync } from 'node:fs'
import { type Parsed, type Parser, PROCESS_TERMINAL, parser } from '../../tools/terminal/index.ts'
import { scalingTables, withTables } from './page.ts'

const USAGE = 2

const options = (words: Parser): Parser =>
  words.option('write', {
    describe: 'Writes the tables into this page, for example docs/scaling.md',
    type: 'string',
    requiresArg: true,
  })

async function main(): Promise<void> {
  await parser()
    .scriptName('npm run scale --')
    .locale('en')
    .strict()
    .command(
      '$0',
      'Simulates how the network and followers scale: the tables of docs/scaling.md',
      options,
      run,
    )
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

async function run({ write: page }: Parsed): Promise<void> {
  const tables = scalingTables()
  if (typeof page === 'string') {
    writeFileSync(page, withTables(readFileSync(page, 'utf8'), tables))
    return
  }
  for (const [name, table] of tables) PROCESS_TERMINAL.out(`${name}\n\n${table}\n`)
}

await main()
