// Checks the options of the embedded engine and completes them to those of the engine. The program
// needs memory and cores itself, so some defaults are smaller than a server's.

import { availableParallelism, totalmem } from 'node:os'
import { basename, resolve } from 'node:path'
import type { EngineOptions as Complete } from '../../engine/index.ts'
import { GiB } from '../../format/bytes/index.ts'
import { errorBody } from '../errors/index.ts'
import { SvcSearchError } from './errors.ts'
import type { EngineOptions } from './types.ts'

const INDEXING_MEMORY_MAX = 2 * GiB
const BATCH_BYTES_MAX = 10 * GiB
const SEARCH_TIMEOUT_MS = 60_000
/** The longest delay that a timer accepts. */
const TIMEOUT_MS_MAX = 2 ** 31 - 1
/** More threads than any machine has cores. */
const THREADS_MAX = 1024
const INDEXING_MEMORY_MIN = 16 * 1024 ** 2
/** As in a server: searches that may wait, and running searches per core. */
const SEARCH_QUEUE_MAX = 1000
const SEARCHES_A_CORE = 4

type Check = (value: unknown) => string | null

const text: Check = (value) =>
  typeof value === 'string' && value !== '' && !value.includes('\0') ? null : 'a path'
/** URLs of other realms, such as those of Jest, are no instances of this realm's class. */
const place: Check = (value) => {
  const href = typeof value === 'object' && value !== null && 'href' in value ? value.href : value
  const isPlace = text(href) === null && !/^(?!file:)\w{2,}:/.test(String(href))
  return isPlace ? null : 'a file URL or a path'
}
const flag: Check = (value) => (typeof value === 'boolean' ? null : 'true or false')
const call: Check = (value) => (typeof value === 'function' ? null : 'a function')
const integer =
  (least: number, most: number): Check =>
  (value) =>
    Number.isSafeInteger(value) && (value as number) >= least && (value as number) <= most
      ? null
      : `an integer from ${least} to ${most}`

const CHECKS: { readonly [Name in keyof Required<EngineOptions>]: Check } = {
  path: text,
  searchThreads: integer(1, THREADS_MAX),
  indexingThreads: integer(1, THREADS_MAX),
  indexingMemoryBytes: integer(INDEXING_MEMORY_MIN, Number.MAX_SAFE_INTEGER),
  searchTimeoutMs: integer(1, TIMEOUT_MS_MAX),
  upgrade: flag,
  readOnly: flag,
  workersUrl: place,
  dumpFolder: text,
  snapshotFolder: text,
  onWarning: call,
}

/** @throws SvcSearchError invalid_options */
export function checkOptions(given: unknown): asserts given is EngineOptions {
  if (typeof given !== 'object' || given === null) throw invalid('options have to be an object')
  for (const [name, value] of Object.entries(given)) {
    if (!Object.hasOwn(CHECKS, name)) {
      const known = Object.keys(CHECKS).join('`, `')
      throw invalid(`unknown option \`${name}\`: expected one of \`${known}\``)
    }
    if (value === undefined) continue
    const wanted = CHECKS[name as keyof EngineOptions](value)
    if (wanted !== null) throw invalid(`option \`${name}\` has to be ${wanted}`)
  }
  const { path, upgrade, readOnly } = given as Partial<EngineOptions>
  if (path === undefined) throw invalid('option `path` is missing')
  if (upgrade && readOnly) throw invalid('option `upgrade` needs a database that may be written to')
}

const invalid = (message: string): SvcSearchError => new SvcSearchError('invalid_options', message)

/** `workers` null runs everything on the main thread, for tests. */
export function completed(
  options: EngineOptions,
  version: string,
  workers: Complete['workers'],
): Complete {
  const cores = availableParallelism()
  const warn = options.onWarning === undefined ? emitWarning : guarded(options.onWarning)
  const path = resolve(options.path)
  return {
    path,
    version,
    upgrade: options.upgrade ?? false,
    workers,
    searchThreads: options.searchThreads ?? cores,
    keepsSearchReserve: (options.searchThreads ?? cores) >= cores,
    searchQueueMax: SEARCH_QUEUE_MAX,
    searchesAtOnce: (options.searchThreads ?? cores) * SEARCHES_A_CORE,
    searchDropAfterMs: options.searchTimeoutMs ?? SEARCH_TIMEOUT_MS,
    indexingMemoryMax:
      options.indexingMemoryBytes ?? Math.min(Math.floor(totalmem() / 4), INDEXING_MEMORY_MAX),
    indexingThreads: options.indexingThreads ?? Math.max(1, Math.floor(cores / 2)),
    batchTasksMax: Number.POSITIVE_INFINITY,
    batchBytesMax: Math.min(Math.floor(totalmem() / 2), BATCH_BYTES_MAX),
    snapshots: {
      folder: resolve(options.snapshotFolder ?? 'snapshots'),
      name: basename(path),
      compact: true,
    },
    dumps: {
      folder: resolve(options.dumpFolder ?? 'dumps'),
      describe: (code) => {
        const { type, link } = errorBody(code, '')
        return { type, link }
      },
    },
    note: (message) => warn(message),
    report: (message, error) => warn(message, error),
  }
}

/** A function of the program that throws must not stop the work that it is told about. */
const guarded =
  (onWarning: NonNullable<EngineOptions['onWarning']>): typeof emitWarning =>
  (...warning) => {
    try {
      onWarning(...warning)
    } catch (error) {
      emitWarning(...warning)
      emitWarning('onWarning has thrown an error', error)
    }
  }

const emitWarning = (message: string, cause?: unknown): void =>
  process.emitWarning(message, {
    type: 'SvcSearchWarning',
    ...(cause instanceof Error ? { detail: cause.stack ?? cause.message } : {}),
  })
