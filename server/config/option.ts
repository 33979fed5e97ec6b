// One launch option: its names in all sources, its type, its help text.
import type { OptionType } from './option-types.ts'

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
  readonly type: OptionType<T>
  /** Value when the option is not set. */
  readonly absent: T
  readonly group: OptionGroup
  /** One or two sentences for the help page. */
  readonly help: string
  /** Text for the default, if the value itself does not tell. */
  readonly absentWords?: string
  /** True if only an environment variable sets it. */
  readonly environmentOnly?: true
  /** True if the configuration file may not hold it. */
  readonly notInFile?: true
  /** A second name, in the same form as the first. */
  readonly alias?: string
  /** True if its value must not be shown. */
  readonly secret?: true
  /**
   * The option is accepted and checked but has no effect yet; this text is logged when it is set.
   */
  readonly later?: string
}

export const option = <T>(
  type: OptionType<T>,
  absent: T,
  group: OptionGroup,
  help: string,
  more: Omit<Option<T>, 'type' | 'absent' | 'group' | 'help'> = {},
): Option<T> => ({ type, absent, group, help, ...more })

/** Defines an option whose default is null. */
export const maybe = <T>(
  type: OptionType<T>,
  group: OptionGroup,
  help: string,
  more: Omit<Option<T | null>, 'type' | 'absent' | 'group' | 'help'> = {},
): Option<T | null> => ({ type, absent: null, group, help, ...more })

const ENVIRONMENT_PREFIX = 'SVC_'

/** `maxIndexingThreads` → `max_indexing_threads`: the key in the configuration file. */
export const fileKey = (name: string): string =>
  name.replace(/(?<=[a-z])(?=[A-Z0-9])|(?<=\d)(?=[A-Z])/g, '_').toLowerCase()

/** `maxIndexingThreads` → `max-indexing-threads`: the flag without its leading dashes. */
export const flagName = (name: string): string => fileKey(name).replaceAll('_', '-')

/** `maxIndexingThreads` → `SVC_MAX_INDEXING_THREADS` */
export const variableName = (name: string): string =>
  ENVIRONMENT_PREFIX + fileKey(name).toUpperCase()

/** `--max-indexing-threads <MAX_INDEXING_THREADS>`, the form in messages. */
export const usageName = (name: string, { isFlag }: OptionType<unknown>): string =>
  isFlag ? `--${flagName(name)}` : `--${flagName(name)} <${fileKey(name).toUpperCase()}>`

/** Returns the text for a default. */
export const absentWords = ({ absent, absentWords: words }: Option<unknown>): string =>
  words ?? (absent === null ? 'none' : String(absent))
