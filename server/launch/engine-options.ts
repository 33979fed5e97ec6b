// Derives the options of the engine from the launch options.

import { randomUUID } from 'node:crypto'
import { availableParallelism, hostname } from 'node:os'
import { basename, resolve } from 'node:path'
import { openBucket, storeWords, type Transport, type WriterLease } from '../../engine/backup.ts'
import type { EngineOptions, Feature, FollowOptions } from '../../engine/index.ts'
import { MiB } from '../../format/bytes/index.ts'
import type { Config } from '../config/index.ts'
import { errorBody } from '../errors/index.ts'
import type { Log } from '../log/index.ts'
import { caller, providerCaller, storeOptions, streamingCaller } from '../outbound/index.ts'

/** Seconds between published states if the option is not given. */
const PUBLISH_INTERVAL_S = 1

/** The longest delay that a timer accepts: 24 days. */
const TIMER_MS_MAX = 2 ** 31 - 1
/**
 * Smallest body of an export. A chunk has to pass the payload limit of the target server, which may
 * be the same as ours.
 */
const EXPORT_BYTES_MIN = 20 * MiB

/** How long a follower retries a request to the store, in milliseconds. */
const POLL_RETRY_MS = 5000
/**
 * Milliseconds of silence after which a follower cancels a request and sends it again; the next
 * published state is only a second or two away.
 */
const PUBLISHED_SILENCE_MS = 10_000

/**
 * Milliseconds that a search thread works at idle times so that the first requests are fast; V8's
 * compiler threads use about as much again.
 */
const WARM_UP_MS = 4000

/** Half of the cores; searches use the others. */
export const indexingThreads = (): number => Math.max(1, Math.floor(availableParallelism() / 2))

/** Returns the engine's options. `workers` are the entry files of the engine's threads. */
export function engineOptions(
  config: Config,
  version: string,
  workers: NonNullable<EngineOptions['workers']>,
  log: Log,
): EngineOptions {
  const store = storeOptions(config)
  return {
    path: config.dbPath,
    version,
    upgrade: config.upgradeDb,
    workers,
    searchThreads: availableParallelism(),
    keepsSearchReserve: true,
    searchQueueMax: config.experimentalSearchQueueSize,
    searchesAtOnce: availableParallelism() * config.experimentalNbSearchesPerCore,
    searchDropAfterMs: Math.min(config.experimentalDropSearchAfter * 1000, TIMER_MS_MAX),
    searchCacheBytesMax: config.maxSearchMemory,
    warmUpMs: config.experimentalNoSearchWarmUp ? 0 : WARM_UP_MS,
    indexingMemoryMax: config.maxIndexingMemory,
    indexingThreads: config.maxIndexingThreads ?? indexingThreads(),
    batchTasksMax: config.experimentalMaxNumberOfBatchedTasks,
    ...(config.experimentalReplicationParameters ? { taskCountMax: Number.POSITIVE_INFINITY } : {}),
    batchBytesMax: config.experimentalLimitBatchedTasksTotalSize,
    send: caller(config.experimentalAllowedIpNetworks),
    embedding: {
      send: providerCaller(config.experimentalAllowedIpNetworks),
      now: () => performance.now(),
      openAiKey: config.openAiKey,
      requestMs: config.experimentalRestEmbedderTimeoutSeconds * 1000,
      pauseMsMax: config.experimentalRestEmbedderMaxRetryDurationSeconds * 1000,
      cacheEntriesMax: config.experimentalEmbeddingCacheEntries,
      modelsHome: config.modelsHome,
      ...config.embedderFailures,
    },
    snapshots: {
      ...(store === null ? {} : { store }),
      folder: config.snapshotDir,
      name: basename(resolve(config.dbPath)),
      compact: !config.experimentalNoSnapshotCompaction,
      ...(config.snapshotRetention === null ? {} : { retain: config.snapshotRetention }),
    },
    dumps: { folder: resolve(config.dumpDir), describe: describeError },
    exportBytes: Math.max(config.httpPayloadSizeLimit - MiB, EXPORT_BYTES_MIN),
    note: (message) => log.warn(message),
    report: (message, error) => log.error(message, { cause: causeText(error) }),
  }
}

/**
 * Returns the options of publishing, or nothing if it is not configured. `lease`: the writer lease,
 * or null without one. `transport`: calls the store.
 */
export function publishOptions(
  config: Config,
  { snapshots }: Pick<EngineOptions, 'snapshots'>,
  log: Log,
  lease: WriterLease | null,
  transport: Transport = publishingCaller(config),
): Pick<EngineOptions, 'publish'> {
  const { objstorePublishInterval: seconds, objstorePublish: mode } = config
  const store = snapshots?.store
  const isOn = seconds !== null || mode === 'sync' || lease !== null
  if (!isOn || store === undefined) return {}
  const writer = config.objstorePublishAddress ?? hostname()
  return {
    publish: {
      store,
      transport,
      intervalMs: (seconds ?? PUBLISH_INTERVAL_S) * 1000,
      mode,
      ...(lease === null ? {} : { lease }),
      ...(config.objstorePublishReplaces === null
        ? {}
        : { replaces: config.objstorePublishReplaces }),
      report: (message, error) => log.error(message, { cause: causeText(error) }),
      // A header may hold only printable characters.
      ...(/^[\x21-\x7e]{1,300}$/.test(writer) ? { writer } : {}),
      say: (level, message) => log[level](message),
    },
  }
}

/** Calls a store that must not be silent for long. */
export const publishingCaller = (config: Config): Transport =>
  streamingCaller(config.experimentalAllowedIpNetworks, PUBLISHED_SILENCE_MS)

/** Returns the options of a follower, or null if no store is configured. */
export function followOptions(
  config: Config,
  version: string,
  log: Log,
  transport: Transport = publishingCaller(config),
): FollowOptions | null {
  const { followPollInterval, followDownload: download } = config
  const store = storeOptions(config)
  if (store === null) return null
  const { place } = store
  // A failed request is repeated at the next poll.
  const retryingStore = { ...store, transport, retryMsMax: POLL_RETRY_MS }
  return {
    openBucket: (signal) => openBucket(retryingStore, signal),
    place,
    source: `the database \`${place.name}\` in the bucket \`${store.bucket}\``,
    store: storeWords(store),
    name: randomUUID(),
    pollMs: followPollInterval * 1000,
    download,
    version,
    say: (level, message) => log[level](message),
    report: (message, error) => log.error(message, { cause: causeText(error) }),
    now: Date.now,
  }
}

/** Experimental features that options switch on at each start. Only the route switches them off. */
export const launchFeatures = (config: Config): readonly Feature[] => [
  ...(config.experimentalContainsFilter ? (['containsFilter'] as const) : []),
  ...(config.experimentalEnableLogsRoute ? (['logsRoute'] as const) : []),
  ...(config.experimentalEnableMetrics ? (['metrics'] as const) : []),
  ...(config.experimentalLegacySearchDefault ? (['legacySearch'] as const) : []),
]

const describeError = (code: string): { readonly type: string; readonly link: string } => {
  const { type, link } = errorBody(code, '')
  return { type, link }
}

const causeText = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
