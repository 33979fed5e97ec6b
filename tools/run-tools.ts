// One run of `svc-tools`: the words of a command line in, an exit code out. 0: success, 1: problems
// were found, 2: the command failed.
import type { CommandContext } from './command-parts.ts'
import { declare, PROGRAM } from './declarations.ts'
import {
  type Parser,
  parser,
  safeTerminal,
  type Terminal,
  ToolError,
  toolErrorOf,
} from './terminal/index.ts'

const EXIT_FAILED = 2
const HELP_COLUMNS_MAX = 100

/** Never rejects for faults of the caller or the system: these become an exit code and a line. */
export async function runTools(words: readonly string[], given: Terminal): Promise<number> {
  const terminal = safeTerminal(given)
  const context: CommandContext = { terminal, release, exitCode: 0 }
  try {
    await parse(words, context)
  } catch (error) {
    const failure = toolErrorOf(error)
    if (failure === null) throw error
    terminal.err(`${PROGRAM}: ${failure.message}\n`)
    return EXIT_FAILED
  }
  return context.exitCode
}

/** The parser refused the command line; `message` is in its words. */
class UsageError extends Error {}

async function parse(words: readonly string[], context: CommandContext): Promise<void> {
  const { terminal } = context
  const commands = declare(parser(), context, await context.release())
    .parserConfiguration({ 'parse-positional-numbers': false, 'duplicate-arguments-array': false })
    .locale('en')
    .strict()
    .demandCommand(1, 'say what to do')
    .wrap(Math.min(HELP_COLUMNS_MAX, terminal.columns))
    .exitProcess(false)
    .showHelpOnFail(false)
    .fail((message, error) => {
      // Errors of commands arrive here as well; a YError is about the command line.
      if (error !== undefined && error.name !== 'YError') throw error
      throw new UsageError(message ?? error?.message ?? 'the command line is wrong')
    })
  try {
    await commands.parseAsync(words, {}, (_error, _parsed, output) => {
      if (output !== '') terminal.out(`${output}\n`)
    })
  } catch (error) {
    if (!(error instanceof UsageError)) throw error
    const { usageProblem } = await import('./usage-problem.ts')
    const declared = (other: Parser): Parser => declare(other, context, '')
    throw new ToolError(usageProblem(error.message, words, PROGRAM, declared))
  }
}

/** Loaded when needed, because it loads the server's options. */
async function release(): Promise<string> {
  const { RELEASE } = await import('../server/config/index.ts')
  return RELEASE.version
}
