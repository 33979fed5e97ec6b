// Describes a wrong command line in a sentence that points to the help of the command.
import { type CommandOutline, outlineOf } from './manual/index.ts'
import type { Parser } from './terminal/index.ts'

/** `message`: from the parser; `words`: the command line; `declare`: declares all commands. */
export function usageProblem(
  message: string,
  words: readonly string[],
  program: string,
  declare: (parser: Parser) => Parser,
): string {
  const command = commandOf(outlineOf(declare), words)
  const help = `${[program, ...command.words].join(' ')} --help`
  const text = message.replaceAll(/\s*\n\s*/g, ' ')
  const missing = /^Not enough non-option arguments: got (\d+)/.exec(text)?.[1]
  if (missing !== undefined) {
    return `${missingText(command, Number(missing))}: ${help} shows how it is used`
  }
  const isGroup = command.commands.length > 0 && command.words.length > 0
  if (isGroup && text.startsWith('say what')) {
    const names = command.commands.map((inner) => inner.words.at(-1)!)
    return `${text}: ${names.join(', ')}; ${help} shows what they do`
  }
  return `${text}${text.endsWith('?') ? '' : ':'} ${help} shows what there is`
}

/** Returns the deepest command that the first words name. */
function commandOf(root: CommandOutline, words: readonly string[]): CommandOutline {
  let command = root
  for (const word of words) {
    const inner = command.commands.find((candidate) => candidate.words.at(-1) === word)
    if (inner === undefined) return command
    command = inner
  }
  return command
}

/** `got`: the number of arguments present. */
function missingText({ positionals }: CommandOutline, got: number): string {
  const required = positionals.filter((one) => one.startsWith('<'))
  const missing = required.slice(got).map((one) => one.slice(1, -1).toUpperCase())
  return missing.length === 0 ? 'an argument is missing' : `${missing.join(' and ')} is missing`
}
