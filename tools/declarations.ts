// Declares the whole command line of `svc-tools` to any parser: the one that parses, or the one
// that generates manual pages.
import { answer, type CommandContext } from './command-parts.ts'
import { addCommands } from './commands.ts'
import type { Parsed, Parser } from './terminal/index.ts'
import { ToolError } from './terminal/index.ts'

export const PROGRAM = 'svc-tools'
const SUMMARY = 'inspects and repairs databases of the search engine'

const SHELLS = ['bash', 'zsh', 'fish'] as const

/** Declares all commands and common options. */
export const declare = (parser: Parser, context: CommandContext, release: string): Parser =>
  addCommands(parser, context)
    .command('manual [page]', 'The manual pages', manualOptions, (parsed) =>
      runManual(context, parsed),
    )
    .command('completion <shell>', 'A completion script for a shell', shellOptions, (parsed) =>
      runCompletion(context, parsed),
    )
    .scriptName(PROGRAM)
    .usage(
      '$0 <command>\n\n' +
        'Inspects databases of the search engine. A command writes only if its help says so. If you\n' +
        'can use a command while a server runs, its help says so too. Other commands lock the database;\n' +
        'if another process holds the lock, they name it.',
    )
    .option('json', {
      describe: 'The result as JSON, for programs',
      type: 'boolean',
      default: false,
    })
    .example('$0 db check data.ms', 'is it sound?')
    .example('$0 db size', 'where does every byte of ./data.ms go?')
    .example('$0 tasks list --status failed', 'what went wrong?')
    .example('$0 fst grep FILE ~~godfater', 'terms near a misspelt word')
    .epilogue('Exit codes: 0 success, 1 problems found, 2 the command failed.')
    .help('help', 'Shows the help of a command')
    .alias('help', 'h')
    .version('version', 'Shows the release', release)

const manualOptions = (parser: Parser): Parser =>
  parser
    .usage(
      '$0 manual [PAGE]\n\n' +
        'Writes a manual page in the format of man: that of the program, or of one command. The\n' +
        'package has them all in docs/man.',
    )
    .positional('page', { describe: 'A command; default: the program', type: 'string' })
    .example('$0 manual db | man -l -', 'to read it')
    .example(`$0 manual > /usr/local/share/man/man1/${PROGRAM}.1`, 'to install it')

async function runManual(context: CommandContext, parsed: Parsed): Promise<void> {
  const pages = await manualOf(context)
  const page = parsed['page'] === undefined ? PROGRAM : `${PROGRAM}-${String(parsed['page'])}`
  const found = pages.find(({ name }) => name === `${page}.1`)
  if (found === undefined) {
    const names = pages.slice(1).map(({ name }) => name.slice(PROGRAM.length + 1, -2))
    throw new ToolError(`there is no such page; there are ${names.join(', ')}`)
  }
  answer(context, parsed, { result: found, text: ({ text }) => text, problems: 0 })
}

/** Returns all manual pages. */
export async function manualOf(context: CommandContext) {
  const { manualPages, outlineOf } = await import('./manual/index.ts')
  const release = await context.release()
  const outline = outlineOf((parser) => declare(parser, context, release))
  return manualPages(outline, { program: PROGRAM, release, summary: SUMMARY })
}

const shellOptions = (parser: Parser): Parser =>
  parser
    .usage('$0 completion bash|zsh|fish\n\nWrites a script that a shell can source or store.')
    .positional('shell', { describe: 'Which shell', type: 'string', choices: SHELLS })
    .example('source <($0 completion bash)', 'for this shell')
    .example(`$0 completion fish > ~/.config/fish/completions/${PROGRAM}.fish`, 'for good')

async function runCompletion(context: CommandContext, parsed: Parsed): Promise<void> {
  const { completion, outlineOf } = await import('./manual/index.ts')
  const shell = SHELLS.find((name) => name === parsed['shell'])
  if (shell === undefined) throw new ToolError(`the shells are ${SHELLS.join(', ')}`)
  const outline = outlineOf((parser) => declare(parser, context, ''))
  const result = { shell, script: completion(shell, outline, PROGRAM) }
  answer(context, parsed, { result, text: ({ script }) => script, problems: 0 })
}
