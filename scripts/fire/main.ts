// The entry point of the long versions: the command line and exit codes.
import { PROCESS_TERMINAL, parser } from '../../tools/terminal/index.ts'
import { addFireCommands } from './commands.ts'
import { addFollowCommand } from './follow-command.ts'
import { addHostileCommand } from './hostile-command.ts'
import { HELPER_WORD, helperMain } from './hostile-process.ts'
import { addLoadCommands } from './load-commands.ts'
import { addNetworkCommand } from './network-command.ts'

const FAILED = 1
const USAGE = 2

async function main(): Promise<void> {
  const [word] = process.argv.slice(2)
  if (word === HELPER_WORD) return helperMain()
  const runs = addFireCommands(parser(), PROCESS_TERMINAL)
  const commands = addFollowCommand(addLoadCommands(runs, PROCESS_TERMINAL), PROCESS_TERMINAL)
  await addHostileCommand(addNetworkCommand(commands, PROCESS_TERMINAL), PROCESS_TERMINAL)
    .scriptName('npm run fire --')
    .usage('$0 <command>\n\nThe built server under fire. Exit code 0: it held, 1: it did not.')
    .locale('en')
    .strict()
    .demandCommand(1, 'say what to do')
    .example('$0 kill --runs 200', 'the long version of what the tests do')
    .help('help', 'Shows the help of a command')
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

main().catch((error: unknown) => {
  PROCESS_TERMINAL.err(`\n${error instanceof Error ? (error.stack ?? error.message) : error}\n`)
  process.exit(FAILED)
})
