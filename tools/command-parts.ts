// The shared parts of the commands of `svc-tools`: output, exit codes, common options.
import { existsSync } from 'node:fs'
import type { Parsed, Parser, Terminal, YargsOption } from './terminal/index.ts'
import { ToolError } from './terminal/index.ts'

/** Output and exit code of a command: 0 success, 1 problems were found. */
export type CommandContext = {
  readonly terminal: Terminal
  readonly release: () => Promise<string>
  exitCode: number
}

const DB: YargsOption = {
  describe:
    'The folder of the database; default: SVC_DB_PATH, then db_path of config.toml, then ./data.ms',
  type: 'string',
  alias: 'db-path',
  requiresArg: true,
}

/** The same without the option's name. */
const FOLDER: YargsOption = { describe: 'The folder of the database, as --db', type: 'string' }

/** Adds `[folder]` and --db to a command that reads a database. */
export const withDatabase = (parser: Parser): Parser =>
  withDatabaseOption(parser.positional('folder', FOLDER))

export const withDatabaseOption = (parser: Parser): Parser => parser.option('db', DB)

/**
 * Returns the folder of the database. `mayBeMissing`: also that in which a server would create one.
 * @throws ToolError
 */
export async function databaseOf(parsed: Parsed, mayBeMissing = false): Promise<string> {
  const [folder, db] = [textOf(parsed, 'folder'), textOf(parsed, 'db')]
  if (folder !== null && db !== null) {
    throw new ToolError('name the database once: by its folder or with --db PATH')
  }
  const named = folder ?? db
  if (named !== null) return named
  const { databasePath, LaunchError } = await import('../server/config/index.ts')
  try {
    const path = await databasePath(process.env)
    if (mayBeMissing || existsSync(path)) return path
    const words = `no database was named, and there is no folder \`${path}\``
    throw new ToolError(`${words}: name the database with --db PATH`)
  } catch (error) {
    if (!(error instanceof LaunchError)) throw error
    throw new ToolError(`${error.message}. Name the database with --db PATH instead`)
  }
}

export const LOCKED: YargsOption = {
  describe: 'Lock the database against servers; with --no-lock it may change during the check',
  type: 'boolean',
  default: true,
}

export const INDEX: YargsOption = { describe: 'The uid of an index', type: 'string' }

export const OUTPUT: YargsOption = {
  describe: 'A file for the documents; default: standard output',
  type: 'string',
  alias: 'o',
  requiresArg: true,
}

export const SETTINGS: YargsOption = {
  describe: 'A file for the settings, in the form of PATCH …/settings',
  type: 'string',
  requiresArg: true,
}

export const FORCE: YargsOption = {
  describe: 'Overwrite files',
  type: 'boolean',
  default: false,
}

export const limit = (count: number, describe: string): YargsOption => ({
  describe,
  type: 'number',
  default: count,
  requiresArg: true,
})

type Answer<R> = {
  readonly result: R
  readonly text: (result: R) => string
  readonly problems: number
}

/** Prints the result as text or as JSON, and sets the exit code. */
export function answer<R>(context: CommandContext, parsed: Parsed, given: Answer<R>): void {
  const { result, text, problems } = given
  const isJson = parsed['json'] === true
  context.terminal.out(isJson ? `${JSON.stringify(result, null, 2)}\n` : text(result))
  if (problems > 0) context.exitCode = 1
}

/** @throws ToolError if it is not a whole number from 0 */
export function countOf(parsed: Parsed, name: string): number {
  const value = Number(parsed[name])
  if (Number.isSafeInteger(value) && value >= 0) return value
  throw new ToolError(`--${name} must be a whole number from 0`)
}

/** Returns the text of an optional option, or null. */
export function textOf(parsed: Parsed, name: string): string | null {
  const value = parsed[name]
  return value === undefined ? null : String(value)
}

/** Returns the parts of `a,b,c`, or null if the option is absent. */
export const listOf = (parsed: Parsed, name: string): readonly string[] | null =>
  textOf(parsed, name)
    ?.split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '') ?? null

/** Environment variable with the key for a running server. */
export const KEY_VARIABLE = 'SVC_API_KEY'

export const URL_OPTION: YargsOption = {
  describe: 'The URL of the server',
  type: 'string',
  default: 'http://localhost:7700',
  requiresArg: true,
}
