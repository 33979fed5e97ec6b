// The command line of the programs of this folder: `npm run NAME -- …`. Help and mistakes look the
// same in all of them; a mistake ends the process with exit code 2.
import { type Parser, PROCESS_TERMINAL, parser } from '../tools/terminal/index.ts'

export const EXIT_USAGE = 2

/**
 * Runs the process's arguments through the commands that `declare` adds. Rejects with the error of
 * the command.
 */
export async function runCommandLine(
  name: string,
  declare: (commands: Parser) => Parser,
): Promise<void> {
  await declare(parser())
    .scriptName(`npm run ${name} --`)
    .locale('en')
    .strict()
    .help('help', 'Shows this page')
    .wrap(Math.min(100, PROCESS_TERMINAL.columns))
    .exitProcess(false)
    .showHelpOnFail(false)
    .fail((message, error) => {
      if (error !== undefined && error.name !== 'YError') throw error
      PROCESS_TERMINAL.err(`${message ?? error?.message}\n`)
      process.exit(EXIT_USAGE)
    })
    .parseAsync(process.argv.slice(2), {}, (_error, _parsed, output) => {
      if (output !== '') PROCESS_TERMINAL.out(`${output}\n`)
    })
}

/** Writes the error with its stack to standard error, and ends the process. */
export function endWith(code: number, error: unknown): never {
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error)
  PROCESS_TERMINAL.err(`${text}\n`)
  process.exit(code)
}
