// Reads the configuration file: TOML, one key per option. The parser is loaded only if the file
// exists.
import { existsSync, readFileSync } from 'node:fs'
import { nearest } from '../parse/schema/index.ts'
import { LaunchError, ValueError } from './launch-error.ts'
import { fileKey, type Option } from './option.ts'
import { OPTION_NAMES, OPTIONS, type OptionName } from './options.table.ts'

export const CONFIG_FILE_DEFAULT = './config.toml'

export type FileValues = ReadonlyMap<OptionName, unknown>

const BY_KEY: ReadonlyMap<string, OptionName> = new Map(
  OPTION_NAMES.map((name) => [fileKey(name), name]),
)

/**
 * Returns the values of a file, or null if it does not exist; `wanted` makes a missing file an
 * error. @throws LaunchError
 */
export async function readConfigFile(path: string, wanted: boolean): Promise<FileValues | null> {
  const text = textOf(path, wanted)
  if (text === null) return null
  const { parse, TomlError } = await import('smol-toml')
  let table: { readonly [key: string]: unknown }
  try {
    table = parse(text)
  } catch (error) {
    if (!(error instanceof TomlError)) throw error
    throw new LaunchError(syntaxText(path, text, error), 1)
  }
  return valuesOf({ path, text }, table)
}

/** The message and the position in a parser's error. */
type SyntaxProblem = { readonly message: string; readonly line: number; readonly column: number }

/** The text of the line is not repeated, because it may contain a key. */
function syntaxText(path: string, text: string, { message, line, column }: SyntaxProblem): string {
  const reason = /^Invalid TOML document: (.*)/.exec(message)?.[1] ?? 'it cannot be read'
  const bare = BARE_VALUE.exec(text.split(/\r?\n/)[line - 1] ?? '')?.[1]
  const advice = bare === undefined ? '' : `; put the value in quotes: ${bare} = "…"`
  return `line ${line} of the configuration file ${quoted(path)} is not TOML (column ${column}): ${reason}${advice}`
}

/** Matches `env = production`: a value that begins like a word where TOML needs quotes. */
const BARE_VALUE = /^\s*([\w-]+)\s*=\s*(?!(?:true|false|inf|nan)\s*(?:#|$))[^\s"'[{#]/

/** The configuration file, for messages. */
type ConfigFile = { readonly path: string; readonly text: string }

/** Returns ` "config.toml" (line 3)`; the line of a quoted key is not searched for. */
function placeOf({ path, text }: ConfigFile, key: string): string {
  const line = text.split(/\r?\n/).findIndex((candidate) => {
    const name = /^\s*\[*\s*([\w-]+)\s*[\].=]/.exec(candidate)?.[1]
    return name === key
  })
  return `${quoted(path)}${line < 0 ? '' : ` (line ${line + 1})`}`
}

function textOf(path: string, wanted: boolean): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    // System errors: the file is missing, not readable, or a folder, which Docker creates in place
    // of a missing mount. A file that exists is never ignored, because it may hold the master key.
    if (!wanted && !existsSync(path)) return null
    const { message } = error as Error
    throw new LaunchError(
      `unable to open or read the ${quoted(path)} configuration file: ${message}.`,
      1,
    )
  }
}

const quoted = (path: string): string => JSON.stringify(path)

function valuesOf(file: ConfigFile, table: { readonly [key: string]: unknown }): FileValues {
  const values = new Map<OptionName, unknown>()
  for (const [key, value] of Object.entries(table)) {
    const name = BY_KEY.get(key) ?? byAlias(key)
    if (name === undefined || isVariableOnly(name)) {
      throw new LaunchError(unknownText(file, key), 1)
    }
    const option = OPTIONS[name] as Option<unknown>
    if (option.notInFile === true) {
      throw new LaunchError(`\`${key}\` is not supported in the configuration file`, 1)
    }
    values.set(name, read(file, key, option, value))
  }
  return values
}

const isVariableOnly = (name: OptionName): boolean =>
  (OPTIONS[name] as Option<unknown>).environmentOnly === true

function unknownText(file: ConfigFile, key: string): string {
  const name = BY_KEY.get(key)
  const isVariable = name !== undefined && isVariableOnly(name)
  const problem = `unknown field \`${key}\` in the configuration file ${placeOf(file, key)}`
  if (isVariable) return `${problem}: it can only be set as a variable, SVC_${key.toUpperCase()}`
  const near = nearest(key.replaceAll('-', '_'), [...BY_KEY.keys()])
  return near === null ? problem : `${problem}: did you mean \`${near}\`?`
}

const byAlias = (key: string): OptionName | undefined =>
  OPTION_NAMES.find((name) => {
    const { alias } = OPTIONS[name] as Option<unknown>
    return alias !== undefined && fileKey(alias) === key
  })

function read(file: ConfigFile, key: string, option: Option<unknown>, value: unknown): unknown {
  try {
    return option.type.fromToml(value)
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    throw new LaunchError(
      `invalid value for \`${key}\` in the configuration file ${placeOf(file, key)}: ${error.message}`,
      1,
    )
  }
}
