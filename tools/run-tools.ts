// One run of `svc-tools`: the words of a command line in, an exit code out. 0: fine, 1: problems
// were found, 2: it could not be done.
import type { CommandContext } from './command-parts.ts'
import { addCommands } from './commands.ts'
import { parser, type Terminal, ToolFailure, toolFailureOf } from './terminal/index.ts'

export const PROGRAM = 'svc-tools'
const EXIT_FAILED = 2
const HELP_COLUMNS_MAX = 100

/** Never rejects for what is the caller's or the world's fault: that is an exit code and a line. */
export async function runTools(words: readonly string[], terminal: Terminal): Promise<number> {
  const context: CommandContext = { terminal, release, exitCode: 0 }
  try {
    await parse(words, context)
  } catch (error) {
    const failure = toolFailureOf(error)
    if (failure === null) throw error
    terminal.err(`${PROGRAM}: ${failure.message}\n`)
    return EXIT_FAILED
  }
  return context.exitCode
}

async function parse(words: readonly string[], context: CommandContext): Promise<void> {
  const { terminal } = context
  const commands = addCommands(parser(), context)
    .scriptName(PROGRAM)
    .usage('$0 <command>\n\nLooks into databases of the search engine while no server runs.')
    .option('json', {
      describe: 'The result as JSON, for programs',
      type: 'boolean',
      default: false,
    })
    .parserConfiguration({ 'parse-positional-numbers': false, 'duplicate-arguments-array': false })
    .locale('en')
    .strict()
    .recommendCommands()
    .demandCommand(1, 'say what to do')
    .example('$0 check --db data.ms', 'is it sound?')
    .example('$0 manifest state', 'what is in ./data.ms')
    .example('$0 fst grep FILE ~~godfater', 'terms near a misspelt word')
    .epilogue('Exit codes: 0 fine, 1 problems were found, 2 it could not be done.')
    .help('help', 'Shows the help of a command')
    .alias('help', 'h')
    .version('version', 'Shows the release', await context.release())
    .wrap(Math.min(HELP_COLUMNS_MAX, terminal.columns))
    .exitProcess(false)
    .showHelpOnFail(false)
    .fail((message, error) => {
      // What a command throws comes through here as well; a YError is about the command line.
      if (error !== undefined && error.name !== 'YError') throw error
      throw new ToolFailure(usageText(message ?? error?.message ?? 'it cannot be read'))
    })
  await commands.parseAsync(words, {}, (_error, _parsed, output) => {
    if (output !== '') terminal.out(`${output}\n`)
  })
}

const usageText = (message: string): string =>
  `${message.replaceAll(/\s*\n\s*/g, ' ')}${message.endsWith('?') ? '' : ':'} ${PROGRAM} --help shows what there is`

/** Loaded when it is wanted: the server's options come with it. */
async function release(): Promise<string> {
  const { RELEASE } = await import('../server/config/index.ts')
  return RELEASE.version
}
