// The command line by yargs: help pages, versions, and words for what is wrong with a line.
import yargs, { type Argv } from 'yargs'
import { nearest } from '../parse/index.ts'
import { BY_FLAG, type CommandLine } from './command-line.ts'
import { absentWords, flagName, type Option, usageName, variableName } from './option.ts'
import { OPTION_NAMES, OPTIONS, type OptionName } from './options.table.ts'
import { RELEASE } from './release.ts'
import { PROGRAM, usageFault } from './usage.ts'

/** Wide enough for the longest name in the left half. */
const HELP_COLUMNS = 118

/** @throws LaunchFault */
export async function readWithYargs(words: readonly string[]): Promise<CommandLine> {
  const parser = parserOf(words)
  const parsed = (await parser.parseAsync()) as { readonly [name: string]: unknown }
  if (parsed['help'] === true) return { kind: 'print', text: `${await parser.getHelp()}\n` }
  if (parsed['version'] === true) return { kind: 'print', text: `${PROGRAM} ${RELEASE.version}\n` }
  return { kind: 'run', given: checked(parsed, words) }
}

function parserOf(words: readonly string[]): Argv {
  const parser = yargs([...words])
    .scriptName(PROGRAM)
    .usage('$0 [options]\n\nA search engine for your own machine, over HTTP.')
    .epilogue(
      'Every option can also be given as a variable of the environment or in the configuration\n' +
        'file (TOML): --http-addr is SVC_HTTP_ADDR there and http_addr here. The command line\n' +
        'wins over the environment, the environment over the file.\n\n' +
        'Sizes have units: 100 MB, 2 GiB, or bytes without one.\n\n' +
        `Variables of the environment that have no flag:\n${variablesText()}`,
    )
    .wrap(HELP_COLUMNS)
    .parserConfiguration({
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'duplicate-arguments-array': true,
      'greedy-arrays': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'strip-aliased': true,
    })
    .exitProcess(false)
    .help(false)
    .version(false)
    .option('help', { alias: 'h', type: 'boolean', describe: 'Shows this page.' })
    .option('version', { alias: 'V', type: 'boolean', describe: 'Shows the release.' })
  for (const name of OPTION_NAMES) declare(parser, name)
  return parser
}

/** A line each, with the default. */
function variablesText(): string {
  const alone = OPTION_NAMES.filter((name) => (OPTIONS[name] as Option<unknown>).environmentOnly)
  const width = Math.max(...alone.map((name) => variableName(name).length))
  return alone
    .map(
      (name) => `  ${variableName(name).padEnd(width)}  [default: ${absentWords(OPTIONS[name])}]`,
    )
    .join('\n')
}

function declare(parser: Argv, name: OptionName): void {
  const option = OPTIONS[name] as Option<unknown>
  const { kind, environmentOnly, alias, group, help } = option
  if (environmentOnly === true) return
  parser.option(flagName(name), {
    group: `${group}:`,
    describe: kind.isFlag ? help : `${help} (${kind.words})`,
    ...(alias === undefined ? {} : { alias: flagName(alias) }),
    ...(kind.isFlag ? { type: 'boolean' } : { defaultDescription: absentWords(option) }),
  })
}

/** @throws LaunchFault for what is no option, is there twice or lacks its value */
function checked(
  parsed: { readonly [name: string]: unknown },
  words: readonly string[],
): Map<OptionName, string> {
  const given = new Map<OptionName, string>()
  const stray = (parsed['_'] as readonly unknown[] | undefined)?.[0]
  if (stray !== undefined) throw usageFault(`unexpected argument '${stray}' found`)
  for (const [flag, value] of Object.entries(parsed)) {
    if (flag === '_' || flag === '$0' || value === undefined) continue
    const name = BY_FLAG.get(flag)
    if (name === undefined) throw usageFault(unknownText(flag))
    // Of a flag that is there twice yargs makes one.
    const isTwice = words.indexOf(`--${flag}`) !== words.lastIndexOf(`--${flag}`)
    if (isTwice || Array.isArray(value)) {
      const shown = usageName(name, OPTIONS[name].kind)
      throw usageFault(`the argument '${shown}' cannot be used multiple times`)
    }
    given.set(name, textOf(name, value))
  }
  return given
}

function unknownText(flag: string): string {
  const near = nearest(flag.replaceAll('_', '-').toLowerCase(), [...BY_FLAG.keys()])
  const advice = near === null ? '' : `; did you mean '--${near}'?`
  return `unexpected argument '${dashed(flag)}' found${advice}`
}

const dashed = (flag: string): string => (flag.length === 1 ? `-${flag}` : `--${flag}`)

function textOf(name: OptionName, value: unknown): string {
  const { kind } = OPTIONS[name]
  if (value === '' || (value === true && !kind.isFlag)) {
    if (kind.bare !== undefined) return value === '' ? '' : kind.bare
    throw usageFault(`a value is required for '${usageName(name, kind)}' but none was supplied`)
  }
  return String(value)
}
