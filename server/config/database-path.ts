// Finds the database folder of the server on this machine, for programs that read it beside the
// server: from the environment, else the configuration file, else the default.
import { CONFIG_FILE_DEFAULT, readConfigFile } from './config-file.ts'
import { variableName } from './option.ts'
import { OPTIONS } from './options.table.ts'

/** @throws LaunchError if the configuration file cannot be read */
export async function databasePath(environment: {
  readonly [variable: string]: string | undefined
}): Promise<string> {
  const given = environment[variableName('dbPath')]
  if (given !== undefined && given !== '') return given
  const path = environment[variableName('configFilePath')] || null
  const file = await readConfigFile(path ?? CONFIG_FILE_DEFAULT, path !== null)
  return (file?.get('dbPath') as string | undefined) ?? OPTIONS.dbPath.absent
}
