// Combines all sources: command line over environment over file over default.

import { availableParallelism, totalmem } from 'node:os'
import { join } from 'node:path'
import { GiB, MiB } from '../../format/bytes/index.ts'
import { CONFIG_FILE_DEFAULT, type FileValues, readConfigFile } from './config-file.ts'
import { checkVariables, FAILURE_MODES, OPENAI_KEY } from './foreign-variables.ts'
import { ValueError } from './launch-error.ts'
import { readMasterKey } from './master-key-file.ts'
import { type Option, usageName, variableName } from './option.ts'
import {
  CONFLICTS,
  FOR_WRITERS,
  OPTION_NAMES,
  OPTIONS,
  type OptionName,
  REQUIRES,
  STORE_OPTIONS,
} from './options.table.ts'
import type { OptionTexts } from './plain-line.ts'
import { usageError } from './usage.ts'

type Values = {
  readonly [K in OptionName]: (typeof OPTIONS)[K] extends Option<infer T> ? T : never
}

/** The value of every option; `configFilePath` is the file that was read. */
export type Config = Omit<
  Values,
  | 'maxIndexingMemory'
  | 'maxIndexingThreads'
  | 'maxSearchMemory'
  | 'experimentalLimitBatchedTasksTotalSize'
> & {
  /** Bytes. */
  readonly maxIndexingMemory: number
  readonly maxIndexingThreads: number
  /** Bytes. */
  readonly maxSearchMemory: number
  /** Bytes. */
  readonly experimentalLimitBatchedTasksTotalSize: number
  /** The options that any source sets. */
  readonly explicitOptions: ReadonlySet<OptionName>
  /** File for TLS secrets, from the variable that all programs share; null writes none. */
  readonly keyLogPath: string | null
  /** Key for embedders of the source openAi that have no key themselves. */
  readonly openAiKey: string | null
  /** Folder of the model hub's cache, from the variables that its tools share, or null. */
  readonly modelsHome: string | null
  /** The failures of embedders that do not fail a batch. */
  readonly embedderFailures: EmbedderFailures
  /** Warnings for the log at the start: variables that have no effect. */
  readonly warnings: readonly string[]
}

/** Members that come from other environment variables. */
type FromOtherVariables =
  | 'keyLogPath'
  | 'openAiKey'
  | 'modelsHome'
  | 'embedderFailures'
  | 'warnings'

/** Failures of embedders that do not fail a batch. */
type EmbedderFailures = { readonly ignoresEmbedders: boolean; readonly ignoresTemplates: boolean }

/** The environment variables. */
export type Environment = { readonly [variable: string]: string | undefined }

/** @throws LaunchError */
export async function readConfig(line: OptionTexts, environment: Environment): Promise<Config> {
  const values = new Map<OptionName, unknown>()
  for (const name of OPTION_NAMES) readGiven(name, line, environment, values)
  const path = values.get('configFilePath') as string | undefined
  const file = await readConfigFile(path ?? CONFIG_FILE_DEFAULT, path !== undefined)
  if (file !== null) {
    addFile(file, values)
    values.set('configFilePath', path ?? CONFIG_FILE_DEFAULT)
  }
  checkTogether(values)
  const given = new Set(values.keys())
  if (isRequested(values, 'masterKeyFile')) given.add('masterKey')
  const warnings = checkVariables(environment, given)
  for (const name of OPTION_NAMES) if (!values.has(name)) values.set(name, OPTIONS[name].absent)
  const keyFile = values.get('masterKeyFile') as string | null
  return {
    ...withMachineDefaults(Object.fromEntries(values) as Values, given),
    ...(keyFile === null ? {} : { masterKey: readMasterKey(keyFile) }),
    keyLogPath: environment['SSLKEYLOGFILE'] || null,
    openAiKey: environment[OPENAI_KEY] || environment['OPENAI_API_KEY'] || null,
    modelsHome: modelsHomeOf(environment),
    embedderFailures: embedderFailuresOf(environment),
    warnings,
  }
}

/** @throws LaunchError for an unknown word */
function embedderFailuresOf(environment: Environment): EmbedderFailures {
  const words = (environment[FAILURE_MODES] ?? '').split(',').map((mode) => mode.trim())
  const modes = new Set(words.filter((mode) => mode !== ''))
  const take = (mode: string): boolean => modes.delete(mode)
  const failures = {
    ignoresEmbedders: take('ignore_embedder_failures'),
    ignoresTemplates: take('ignore_document_template_failures'),
  }
  const [unknown] = modes
  if (unknown === undefined) return failures
  throw usageError(`invalid value '${unknown}' in ${FAILURE_MODES}`)
}

function modelsHomeOf({ HF_HOME, HOME }: Environment): string | null {
  if (HF_HOME) return HF_HOME
  return HOME ? join(HOME, '.cache', 'huggingface') : null
}

/** An empty variable counts as unset. */
function readGiven(
  name: OptionName,
  line: OptionTexts,
  environment: Environment,
  values: Map<OptionName, unknown>,
): void {
  const option = OPTIONS[name] as Option<unknown>
  const onLine = line.get(name)
  if (onLine !== undefined) {
    values.set(name, read(name, option, onLine, null))
    return
  }
  for (const known of option.alias === undefined ? [name] : [name, option.alias]) {
    const variable = variableName(known)
    const text = environment[variable]
    if (text === undefined || text === '') continue
    values.set(name, read(name, option, text, variable))
    return
  }
}

function read(
  name: OptionName,
  { type, secret }: Option<unknown>,
  text: string,
  variable: string | null,
): unknown {
  try {
    return type.fromText(text)
  } catch (error) {
    if (!(error instanceof ValueError)) throw error
    const shown = secret === true ? 'the value' : `'${text}'`
    const from = variable === null ? '' : ` (from ${variable})`
    throw usageError(
      `invalid value ${shown} for '${usageName(name, type)}'${from}: ${error.message}`,
    )
  }
}

function addFile(file: FileValues, values: Map<OptionName, unknown>): void {
  for (const [name, value] of file) if (!values.has(name)) values.set(name, value)
}

/** A flag that is off and an absent value request nothing. */
const isRequested = (values: ReadonlyMap<OptionName, unknown>, name: OptionName): boolean => {
  const value = values.get(name)
  return value !== undefined && value !== null && value !== false
}

/** @throws LaunchError */
function checkTogether(values: ReadonlyMap<OptionName, unknown>): void {
  if (
    process.platform === 'win32' &&
    isRequested(values, 'experimentalReduceIndexingMemoryUsage')
  ) {
    const name = '`experimental-reduce-indexing-memory-usage`'
    throw usageError(`The ${name} flag is not supported on Windows`)
  }
  for (const [one, other] of CONFLICTS) {
    if (!isRequested(values, one) || !isRequested(values, other)) continue
    if (FOR_WRITERS.has(other) && isRequested(values, 'followStandby')) continue
    throw usageError(`the argument '${shown(one)}' cannot be used with '${shown(other)}'`)
  }
  checkTlsPair(values)
  const missing = new Set<OptionName>()
  for (const [name, needed] of REQUIRES) {
    if (isRequested(values, name) && !isRequested(values, needed)) missing.add(needed)
  }
  const hasStore = STORE_OPTIONS.some((name) => isRequested(values, name))
  const hasRole = isRequested(values, 'experimentalObjstoreRoleArn')
  if (hasStore && !hasRole && !isRequested(values, 'objstoreAccessKey')) {
    missing.add('objstoreAccessKey')
    missing.add('objstoreSecretKey')
  }
  if (missing.size === 0) return
  const list = [...missing].map((name) => `  ${shown(name)}`).join('\n')
  throw usageError(`the following required arguments were not provided:\n${list}`)
}

/**
 * Refuses a certificate without its key, or a key without its certificate, in production, because
 * plain HTTP would be served instead.
 */
function checkTlsPair(values: ReadonlyMap<OptionName, unknown>): void {
  const [hasCert, hasKey] = [isRequested(values, 'sslCertPath'), isRequested(values, 'sslKeyPath')]
  if (hasCert === hasKey || values.get('env') !== 'production') return
  const [present, missing] = hasCert ? TLS_PAIR : ([TLS_PAIR[1], TLS_PAIR[0]] as const)
  throw usageError(
    `'${shown(present)}' needs '${shown(missing)}' as well: with only one of them the server ` +
      'would use plain HTTP, which is refused in production',
  )
}

const TLS_PAIR = ['sslCertPath', 'sslKeyPath'] as const

const shown = (name: OptionName): string => usageName(name, OPTIONS[name].type)

const BATCH_BYTES_MAX = 10 * GiB
/** Part of the memory that the caches of searches may take, and its least value. */
const SEARCH_PART = 8
const SEARCH_BYTES_MIN = 128 * MiB

/** Fills in the defaults that depend on the machine. */
function withMachineDefaults(
  values: Values,
  given: ReadonlySet<OptionName>,
): Omit<Config, FromOtherVariables> {
  const cores = availableParallelism()
  const memory = memoryBytes()
  return {
    ...values,
    maxIndexingMemory: values.maxIndexingMemory ?? Math.floor((memory / 3) * 2),
    maxSearchMemory:
      values.maxSearchMemory ?? Math.max(SEARCH_BYTES_MIN, Math.floor(memory / SEARCH_PART)),
    maxIndexingThreads: Math.min(values.maxIndexingThreads ?? Math.ceil(cores / 2), cores),
    experimentalLimitBatchedTasksTotalSize:
      values.experimentalLimitBatchedTasksTotalSize ??
      Math.min(Math.floor(memory / 2), BATCH_BYTES_MAX),
    explicitOptions: given,
  }
}

/** Memory limit of the container, or else the memory of the machine. */
function memoryBytes(): number {
  const allowed = process.constrainedMemory()
  const total = totalmem()
  return allowed > 0 && allowed < total ? allowed : total
}
