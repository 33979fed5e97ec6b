// One launch option: what it is called everywhere, what it holds, what it says on the help page.
import type { OptionKind } from './kinds.ts'

export type OptionGroup =
  | 'Service'
  | 'Logs'
  | 'Indexing'
  | 'Searching'
  | 'Dumps'
  | 'Snapshots'
  | 'Snapshots in an object store'
  | 'Followers'
  | 'Notifications'
  | 'Outbound connections'
  | 'TLS'
  | 'Internals'

export type Option<T> = {
  readonly kind: OptionKind<T>
  /** What stands for it when it is not given. */
  readonly absent: T
  readonly group: OptionGroup
  /** A sentence or two for the help page. */
  readonly help: string
  /** How the default reads, where the value does not say it. */
  readonly absentWords?: string
  /** Whether it exists as an environment variable alone. */
  readonly environmentOnly?: true
  /** Whether the configuration file may not hold it. */
  readonly notInFile?: true
  /** Another name it is understood by, in the form of its own. */
  readonly alias?: string
  /** Its value is not shown. */
  readonly secret?: true
  /** Accepted and checked, without effect so far. Said in the log when it is given. */
  readonly later?: string
}

export const option = <T>(
  kind: OptionKind<T>,
  absent: T,
  group: OptionGroup,
  help: string,
  more: Omit<Option<T>, 'kind' | 'absent' | 'group' | 'help'> = {},
): Option<T> => ({ kind, absent, group, help, ...more })

/** An option whose absence is null. */
export const maybe = <T>(
  kind: OptionKind<T>,
  group: OptionGroup,
  help: string,
  more: Omit<Option<T | null>, 'kind' | 'absent' | 'group' | 'help'> = {},
): Option<T | null> => ({ kind, absent: null, group, help, ...more })

const ENVIRONMENT_PREFIX = 'SVC_'

/** `maxIndexingThreads` → `max_indexing_threads`: the key in the configuration file. */
export const fileKey = (name: string): string =>
  name.replace(/(?<=[a-z])(?=[A-Z0-9])|(?<=\d)(?=[A-Z])/g, '_').toLowerCase()

/** `maxIndexingThreads` → `--max-indexing-threads`, without the dashes in front. */
export const flagName = (name: string): string => fileKey(name).replaceAll('_', '-')

/** `maxIndexingThreads` → `SVC_MAX_INDEXING_THREADS` */
export const variableName = (name: string): string =>
  ENVIRONMENT_PREFIX + fileKey(name).toUpperCase()

/** `--max-indexing-threads <MAX_INDEXING_THREADS>`, as messages call it. */
export const usageName = (name: string, { isFlag }: OptionKind<unknown>): string =>
  isFlag ? `--${flagName(name)}` : `--${flagName(name)} <${fileKey(name).toUpperCase()}>`

/** How a default reads. */
export const absentWords = ({ absent, absentWords: words }: Option<unknown>): string =>
  words ?? (absent === null ? 'none' : String(absent))
