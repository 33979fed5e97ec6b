// Where the server of this machine keeps its database, for programs that read it beside the server:
// by the environment, else by the configuration file, else by default.
import { CONFIG_FILE_DEFAULT, readConfigFile } from './config-file.ts'
import { variableName } from './option.ts'
import { OPTIONS } from './options.table.ts'

/** @throws LaunchFault for a configuration file that cannot be read */
export async function databasePath(environment: {
  readonly [variable: string]: string | undefined
}): Promise<string> {
  const given = environment[variableName('dbPath')]
  if (given !== undefined && given !== '') return given
  const path = environment[variableName('configFilePath')] || null
  const file = await readConfigFile(path ?? CONFIG_FILE_DEFAULT, path !== null)
  return (file?.get('dbPath') as string | undefined) ?? OPTIONS.dbPath.absent
}
