// The declarations of the commands as data: they are made to a parser that only records them. The
// manual is generated from it.
import type { Parser, YargsOption } from '../terminal/index.ts'

export type OptionOutline = YargsOption & { readonly name: string }

export type CommandOutline = {
  /** The words of the command, without positionals; empty for the program. */
  readonly words: readonly string[]
  /** As declared: `[file]`, `<index>`. */
  readonly positionals: readonly string[]
  readonly describe: string
  /** Lines of usage, then paragraphs. */
  readonly usage: string
  readonly epilogue: string
  readonly arguments: readonly OptionOutline[]
  readonly options: readonly OptionOutline[]
  readonly examples: readonly { readonly line: string; readonly text: string }[]
  readonly commands: readonly CommandOutline[]
}

/** Returns the outline of the commands that `declare` declares. */
export function outlineOf(declare: (parser: Parser) => Parser, describe = ''): CommandOutline {
  return outline([], [], describe, declare)
}

function outline(
  words: readonly string[],
  positionals: readonly string[],
  describe: string,
  declare: (parser: Parser) => Parser,
): CommandOutline {
  const recorder = new Recorder(words)
  declare(recorder)
  const { usage_: usage, epilogue_: epilogue, options, examples, commands } = recorder
  const declared = recorder.arguments
  return {
    words,
    positionals,
    describe,
    usage,
    epilogue,
    arguments: declared,
    options,
    examples,
    commands,
  }
}

class Recorder implements Parser {
  readonly #words: readonly string[]
  usage_ = ''
  epilogue_ = ''
  readonly arguments: OptionOutline[] = []
  readonly options: OptionOutline[] = []
  readonly examples: { line: string; text: string }[] = []
  readonly commands: CommandOutline[] = []

  constructor(words: readonly string[]) {
    this.#words = words
  }

  usage(text: string): this {
    this.usage_ = text
    return this
  }

  epilogue(text: string): this {
    this.epilogue_ = text
    return this
  }

  example(line: string, text: string): this {
    this.examples.push({ line, text })
    return this
  }

  option(name: string, option: YargsOption): this {
    this.options.push({ name, ...option })
    return this
  }

  positional(name: string, option: YargsOption): this {
    this.arguments.push({ name, ...option })
    return this
  }

  command(words: string, describe: string, build: (parser: Parser) => Parser): this {
    const [name, ...positionals] = words.split(' ')
    this.commands.push(outline([...this.#words, name!], positionals, describe, build))
    return this
  }

  help(name: string, describe: string): this {
    return this.option(name, { describe, type: 'boolean' })
  }

  version(name: string, describe: string): this {
    return this.option(name, { describe, type: 'boolean' })
  }

  alias(name: string, other: string): this {
    const at = this.options.findIndex((option) => option.name === name)
    if (at >= 0) this.options[at] = { ...this.options[at]!, alias: other }
    return this
  }

  // Methods that only affect parsing record nothing.
  scriptName(): this {
    return this
  }
  wrap(): this {
    return this
  }
  locale(): this {
    return this
  }
  strict(): this {
    return this
  }
  demandCommand(): this {
    return this
  }
  exitProcess(): this {
    return this
  }
  showHelpOnFail(): this {
    return this
  }
  parserConfiguration(): this {
    return this
  }
  completion(): this {
    return this
  }
  fail(): this {
    return this
  }
  parseAsync(): Promise<unknown> {
    return Promise.resolve()
  }
}

/** Yields the command and all its subcommands, depth first. */
export function* everyCommand(command: CommandOutline): Iterable<CommandOutline> {
  yield command
  for (const inner of command.commands) yield* everyCommand(inner)
}

/** Replaces `$0` by the program's name. */
export const named = (text: string, program: string): string => text.replaceAll('$0', program)

/** Splits a usage text into its first lines and its paragraphs. */
export function partsOfUsage(command: CommandOutline, program: string) {
  const text = command.usage === '' ? usualUsage(command) : command.usage
  const [lines = '', ...paragraphs] = named(text, program).split('\n\n')
  return {
    synopsis: lines.split('\n'),
    paragraphs: paragraphs.map((text_) => text_.replaceAll('\n', ' ')),
  }
}

const usualUsage = ({ words, positionals, options }: CommandOutline): string => {
  const some = options.length > 0 ? ['[options]'] : []
  return ['$0', ...words, ...positionals, ...some].join(' ')
}

/** `--db PATH, --db-path PATH`, `-s N`. */
export function optionText({ name, alias, type }: OptionOutline): string {
  const names = [name, ...(alias === undefined ? [] : [alias].flat())]
  const value = type === 'boolean' ? '' : type === 'number' ? ' N' : ' TEXT'
  return names.map((one) => `${one.length === 1 ? '-' : '--'}${one}${value}`).join(', ')
}

/** Adds a full stop if the text has none. */
export const sentence = (text: string): string => (/[.?!]$/.test(text) ? text : `${text}.`)

/** Describes an option with its choices and its default. */
export function describeText({ describe, choices, default: usual, type }: OptionOutline): string {
  const one = choices === undefined ? '' : ` (one of ${choices.join(', ')})`
  const isSaid = usual !== undefined && usual !== '' && !(type === 'boolean' && usual === false)
  return `${describe}${one}${isSaid ? `; default: ${String(usual)}` : ''}.`
}
