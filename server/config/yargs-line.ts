// Reads the command line with yargs: help, versions, and messages for a wrong line.
import type { Argv } from 'yargs'
import { nearest } from '../parse/schema/index.ts'
import { helpPage, shortHelpPage } from './help-page.ts'
import { flagName, type Option, usageName } from './option.ts'
import { OPTION_NAMES, OPTIONS, type OptionName } from './options.table.ts'
import { BY_FLAG, type OptionTexts } from './plain-line.ts'
import { RELEASE } from './release.ts'
import { programName, usageError } from './usage.ts'

export type CommandLine =
  | { readonly kind: 'run'; readonly options: OptionTexts }
  | { readonly kind: 'print'; readonly text: string }

/** Width of the help if the output is not a terminal. */
const COLUMNS_ELSEWHERE = 100

/** @throws LaunchError */
export async function readWithYargs(words: readonly string[]): Promise<CommandLine> {
  const parser = await parserOf(words)
  const parsed = (await parser.parseAsync()) as { readonly [name: string]: unknown }
  if (parsed['help'] === true) {
    const columns = process.stdout.columns ?? COLUMNS_ELSEWHERE
    const page = words.includes('--help') ? helpPage(columns) : shortHelpPage(columns)
    return { kind: 'print', text: page }
  }
  if (parsed['version'] === true) {
    return { kind: 'print', text: `${programName()} ${RELEASE.version}\n` }
  }
  return { kind: 'run', options: checked(parsed, words) }
}

async function parserOf(words: readonly string[]): Promise<Argv> {
  const { default: yargs } = await import('yargs')
  const parser = yargs([...words])
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
    .option('help', { alias: 'h', type: 'boolean' })
    .option('version', { alias: 'V', type: 'boolean' })
  for (const name of OPTION_NAMES) declare(parser, name)
  return parser
}

function declare(parser: Argv, name: OptionName): void {
  const option = OPTIONS[name] as Option<unknown>
  const { type, environmentOnly, alias } = option
  if (environmentOnly === true) return
  parser.option(flagName(name), {
    ...(alias === undefined ? {} : { alias: flagName(alias) }),
    ...(type.isFlag ? { type: 'boolean' } : {}),
  })
}

/** @throws LaunchError for an unknown or repeated option, or a missing value */
function checked(
  parsed: { readonly [name: string]: unknown },
  words: readonly string[],
): Map<OptionName, string> {
  const given = new Map<OptionName, string>()
  const unexpected = (parsed['_'] as readonly unknown[] | undefined)?.[0]
  if (unexpected !== undefined) throw usageError(`unexpected argument '${unexpected}' found`)
  for (const [flag, value] of Object.entries(parsed)) {
    if (flag === '_' || flag === '$0' || value === undefined) continue
    const name = BY_FLAG.get(flag)
    if (name === undefined) throw usageError(unknownText(flag))
    // yargs merges a repeated flag into one value.
    const isTwice = words.indexOf(`--${flag}`) !== words.lastIndexOf(`--${flag}`)
    if (isTwice || Array.isArray(value)) {
      const shown = usageName(name, OPTIONS[name].type)
      throw usageError(`the argument '${shown}' cannot be used multiple times`)
    }
    given.set(name, textOf(name, value))
  }
  return given
}

function unknownText(flag: string): string {
  const near = likelyFlag(flag.replaceAll('_', '-').toLowerCase())
  const advice = near === null ? '' : `; did you mean '--${near}'?`
  return `unexpected argument '${dashed(flag)}' found${advice}`
}

/** Flags of other servers, and shorter ones that people try, with ours for the same purpose. */
const SAME_PURPOSE: ReadonlyMap<string, OptionName> = new Map([
  ['host', 'httpAddr'],
  ['port', 'httpAddr'],
  ['bind', 'httpAddr'],
  ['listen', 'httpAddr'],
  ['data-dir', 'dbPath'],
  ['api-key', 'masterKey'],
])

/** Returns the flag that was probably meant: nearly the same, or the only one that begins so. */
function likelyFlag(flag: string): string | null {
  const flags = [...BY_FLAG.keys()]
  const near = nearest(flag, flags)
  if (near !== null) return near
  const purpose = SAME_PURPOSE.get(flag)
  if (purpose !== undefined) return flagName(purpose)
  const longer = flags.filter((candidate) => candidate.startsWith(`${flag}-`))
  return longer.length === 1 ? longer[0]! : null
}

const dashed = (flag: string): string => (flag.length === 1 ? `-${flag}` : `--${flag}`)

function textOf(name: OptionName, value: unknown): string {
  const { type } = OPTIONS[name]
  if (value === '' || (value === true && !type.isFlag)) {
    if (type.bare !== undefined) return value === '' ? '' : type.bare
    throw usageError(`a value is required for '${usageName(name, type)}' but none was supplied`)
  }
  return String(value)
}
