// `npm run scale`: simulates the limits of the designs, and prints the tables of docs/scaling.md or
// writes them into the page.
import { readFileSync, writeFileSync } from 'node:fs'
import { type Parsed, type Parser, PROCESS_TERMINAL } from '../../tools/terminal/index.ts'
import { runCommandLine } from '../command-line.ts'
import { scalingTables, withTables } from './page.ts'

const options = (words: Parser): Parser =>
  words.option('write', {
    describe: 'Writes the tables into this page, for example docs/scaling.md',
    type: 'string',
    requiresArg: true,
  })

async function run({ write: page }: Parsed): Promise<void> {
  const tables = scalingTables()
  if (typeof page === 'string') {
    writeFileSync(page, withTables(readFileSync(page, 'utf8'), tables))
    return
  }
  for (const [name, table] of tables) PROCESS_TERMINAL.out(`${name}\n\n${table}\n`)
}

await runCommandLine('scale', (commands) =>
  commands.command(
    '$0',
    'Simulates how the network and followers scale: the tables of docs/scaling.md',
    options,
    run,
  ),
)
