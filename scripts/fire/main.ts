// The entry point of the long versions: the command line and exit codes.
import { type Parser, PROCESS_TERMINAL } from '../../tools/terminal/index.ts'
import { endWith, runCommandLine } from '../command-line.ts'
import { addFireCommands } from './commands.ts'
import { addFailoverCommand } from './failover-command.ts'
import { addFollowCommand } from './follow-command.ts'
import { addHostileCommand } from './hostile-command.ts'
import { HELPER_WORD, helperMain } from './hostile-process.ts'
import { addLoadCommands } from './load-commands.ts'
import { addNetworkCommand } from './network-command.ts'

const FAILED = 1

async function main(): Promise<void> {
  const [word] = process.argv.slice(2)
  if (word === HELPER_WORD) return helperMain()
  await runCommandLine('fire', addCommands)
}

function addCommands(words: Parser): Parser {
  const runs = addFireCommands(words, PROCESS_TERMINAL)
  const commands = addFollowCommand(addLoadCommands(runs, PROCESS_TERMINAL), PROCESS_TERMINAL)
  const more = addFailoverCommand(addNetworkCommand(commands, PROCESS_TERMINAL), PROCESS_TERMINAL)
  return addHostileCommand(more, PROCESS_TERMINAL)
    .usage('$0 <command>\n\nThe built server under fire. Exit code 0: it held, 1: it did not.')
    .demandCommand(1, 'say what to do')
    .example('$0 kill --runs 200', 'the long version of what the tests do')
}

main().catch((error: unknown) => endWith(FAILED, error))
