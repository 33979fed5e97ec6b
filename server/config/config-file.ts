// The configuration file: TOML, one key an option. The parser is loaded when there is a file.
import { readFileSync } from 'node:fs'
import { LaunchFault, ValueProblem } from './launch-fault.ts'
import { fileKey, type Option } from './option.ts'
import { OPTION_NAMES, OPTIONS, type OptionName } from './options.table.ts'

export const CONFIG_FILE_DEFAULT = './config.toml'

export type FileValues = ReadonlyMap<OptionName, unknown>

const BY_KEY: ReadonlyMap<string, OptionName> = new Map(
  OPTION_NAMES.map((name) => [fileKey(name), name]),
)

/**
 * The values of a file, null when it is not there; `wanted`: then it has to be. @throws LaunchFault
 */
export async function readConfigFile(path: string, wanted: boolean): Promise<FileValues | null> {
  const text = textOf(path, wanted)
  if (text === null) return null
  const { parse } = await import('smol-toml')
  let table: { readonly [key: string]: unknown }
  try {
    table = parse(text)
  } catch (error) {
    // Only the parser's own error comes from here.
    throw new LaunchFault(`the configuration file ${quoted(path)} is no TOML: ${String(error)}`, 1)
  }
  return valuesOf(path, table)
}

function textOf(path: string, wanted: boolean): string | null {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    // The system's errors: not there, not ours to read, a folder.
    if (!wanted) return null
    const { message } = error as Error
    throw new LaunchFault(
      `unable to open or read the ${quoted(path)} configuration file: ${message}.`,
      1,
    )
  }
}

const quoted = (path: string): string => JSON.stringify(path)

function valuesOf(path: string, table: { readonly [key: string]: unknown }): FileValues {
  const values = new Map<OptionName, unknown>()
  for (const [key, value] of Object.entries(table)) {
    const name = BY_KEY.get(key) ?? byAlias(key)
    const option = name === undefined ? undefined : (OPTIONS[name] as Option<unknown>)
    if (name === undefined || option === undefined || option.environmentOnly === true) {
      throw new LaunchFault(`unknown field \`${key}\` in the configuration file ${quoted(path)}`, 1)
    }
    if (option.notInFile === true) {
      throw new LaunchFault(`\`${key}\` is not supported in the configuration file`, 1)
    }
    values.set(name, read(path, key, option, value))
  }
  return values
}

const byAlias = (key: string): OptionName | undefined =>
  OPTION_NAMES.find((name) => {
    const { alias } = OPTIONS[name] as Option<unknown>
    return alias !== undefined && fileKey(alias) === key
  })

function read(path: string, key: string, option: Option<unknown>, value: unknown): unknown {
  try {
    return option.kind.fromToml(value)
  } catch (error) {
    if (!(error instanceof ValueProblem)) throw error
    throw new LaunchFault(
      `invalid value for \`${key}\` in the configuration file ${quoted(path)}: ${error.message}`,
      1,
    )
  }
}
