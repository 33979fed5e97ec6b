// Launch configuration. Only this folder reads the environment and the command line.
export { readCommandLine } from './command-line.ts'
export { type Config, readConfig } from './config.ts'
export { databasePath } from './database-path.ts'
export { addressBytes, type IpNetwork, type IpNetworks } from './ip-networks.ts'

export { LaunchError } from './launch-error.ts'
export { checkMasterKey, type KeyNotice, masterKeyNotices, masterKeyWarning } from './master-key.ts'
export type { Option } from './option.ts'
export { OPTION_NAMES, OPTIONS } from './options.table.ts'
export { RELEASE } from './release.ts'
