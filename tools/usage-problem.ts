// Describes a wrong command line in a sentence that names the argument that was probably meant and
// points to the help of the command. Loaded only after a failure.
import { nearest } from '../server/parse/schema/index.ts'
import { type CommandOutline, outlineOf } from './manual/index.ts'
import type { Parser } from './terminal/index.ts'

/** `message`: from the parser; `words`: the command line; `declare`: declares all commands. */
export function usageProblem(
  message: string,
  words: readonly string[],
  program: string,
  declare: (parser: Parser) => Parser,
): string {
  const path = commandPath(outlineOf(declare), words)
  const command = path.at(-1)!
  const help = `${[program, ...command.words].join(' ')} --help`
  const text = message.replaceAll(/\s*\n\s*/g, ' ')
  const missing = /^Not enough non-option arguments: got (\d+)/.exec(text)?.[1]
  if (missing !== undefined) {
    return `${missingText(command, Number(missing))}: ${help} shows how it is used`
  }
  const unknown = /^Unknown (?:arguments?|commands?): (.+)$/.exec(text)?.[1]
  if (unknown !== undefined) {
    return `${unknownText(unknown.split(', '), words, path)} ${help} shows what there is`
  }
  const isGroup = command.commands.length > 0 && command.words.length > 0
  if (isGroup && text.startsWith('say what')) {
    const names = command.commands.map((inner) => inner.words.at(-1)!)
    return `${text}: ${names.join(', ')}; ${help} shows what they do`
  }
  return `${text}: ${help} shows what there is`
}

/** Returns the commands that the first words name, from the program to the deepest one. */
function commandPath(root: CommandOutline, words: readonly string[]): readonly CommandOutline[] {
  const path = [root]
  for (const word of words) {
    const inner = path.at(-1)!.commands.find((candidate) => candidate.words.at(-1) === word)
    if (inner === undefined) break
    path.push(inner)
  }
  return path
}

/** `got`: the number of arguments present. */
function missingText({ positionals }: CommandOutline, got: number): string {
  const required = positionals.filter((one) => one.startsWith('<'))
  const missing = required.slice(got).map((one) => one.slice(1, -1).toUpperCase())
  return missing.length === 0 ? 'an argument is missing' : `${missing.join(' and ')} is missing`
}

/**
 * Names the first unknown word as it was written, with the nearest known one. `unknown`: the
 * parser's names, without dashes and with a second spelling of those with hyphens.
 */
function unknownText(
  unknown: readonly string[],
  words: readonly string[],
  path: readonly CommandOutline[],
): string {
  const names = new Set(unknown)
  for (const word of words) {
    const [, dashes = '', negation = '', name = ''] = /^(--?)(no-)?([^=]+)/.exec(word) ?? []
    if (dashes === '' || !(names.has(name) || names.has(negation + name))) continue
    const near = nearest(name.replaceAll('_', '-').toLowerCase(), longNames(path))
    return withHint(`unexpected argument '${dashes}${negation}${name}'`, near, `--${negation}`)
  }
  const word = unknown[0]!
  const commands = path.at(-1)!.commands.map((inner) => inner.words.at(-1)!)
  if (commands.length === 0) return withHint(`unexpected argument '${word}'`, null)
  return withHint(`unknown command '${word}'`, nearest(word.toLowerCase(), commands))
}

const withHint = (problem: string, near: string | null, dashes = ''): string =>
  near === null ? `${problem}:` : `${problem}; did you mean '${dashes}${near}'?`

const longNames = (path: readonly CommandOutline[]): readonly string[] =>
  path
    .flatMap(({ options }) => options.flatMap(({ name, alias = [] }) => [name, alias].flat()))
    .filter((name) => name.length > 1)
