// Declarations of the part of yargs that the tools use; the package has no types.
import yargs from 'yargs'

export type YargsOption = {
  readonly describe: string
  readonly type?: 'boolean' | 'number' | 'string'
  readonly alias?: string | readonly string[]
  readonly default?: boolean | number | string
  readonly choices?: readonly string[]
  readonly requiresArg?: boolean
}

/** The arguments by the names of options and positionals. */
export type Parsed = { readonly [name: string]: unknown }

export interface Parser {
  scriptName(name: string): this
  usage(text: string): this
  epilogue(text: string): this
  example(line: string, text: string): this
  wrap(columns: number): this
  locale(name: string): this
  strict(): this
  demandCommand(min: number, message: string): this
  exitProcess(enabled: boolean): this
  showHelpOnFail(enabled: boolean): this
  help(name: string, describe: string): this
  alias(name: string, other: string): this
  version(name: string, describe: string, version: string): this
  option(name: string, option: YargsOption): this
  positional(name: string, option: YargsOption): this
  parserConfiguration(configuration: { readonly [setting: string]: boolean }): this
  command(
    words: string,
    describe: string,
    build: (parser: Parser) => Parser,
    run?: (parsed: Parsed) => Promise<void>,
  ): this
  fail(tell: (message: string | null, error: Error | undefined) => void): this
  parseAsync(
    words: readonly string[],
    context: object,
    tell: (error: Error | null, parsed: unknown, output: string) => void,
  ): Promise<unknown>
}

/**
 * Examples are whole lines, each below its text: yargs breaks a longer one than half a line when its
 * text is beside it, and a broken command cannot be copied.
 */
export function parser(): Parser {
  const made = (yargs as unknown as (words: readonly string[]) => Parser)([])
  const example = made.example.bind(made)
  return Object.assign(made, {
    example: (line: string, text: string) => example(`# ${text}\n${line}`, ''),
  })
}
