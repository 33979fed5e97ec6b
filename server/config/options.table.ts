// Every launch option, in the order of the help page. The names of flags, variables and keys of the
// configuration file are derived from here: `dbPath` is `--db-path`, `SVC_DB_PATH` and `db_path`.
import { GiB, MiB } from '../../format/bytes/index.ts'
import { maybe, option } from './option.ts'
import {
  address,
  anySize,
  byteSize,
  count,
  exactWord,
  flag,
  followed,
  headerText,
  headerTextOrNone,
  httpUrl,
  ipNetworks,
  name,
  objectPath,
  origins,
  path,
  presence,
  schedule,
  text,
  threads,
  url,
  word,
} from './option-types.ts'

/** Longest validity of a signed URL, in seconds: the protocol allows seven days. */
const WEEK_S = 604_800

const LOG_LEVELS = ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'] as const
const LOGS_MODES = ['human', 'json'] as const
/** When a write is acknowledged. */
const PUBLISH_MODES = ['interval', 'sync'] as const
/** When a follower begins to serve: after the download, or before it is complete. */
const FOLLOW_DOWNLOADS = ['before', 'lazily'] as const
const ENVIRONMENTS = ['development', 'production'] as const

const FIXED_BUDGET = 'the work that dynamic search rules may do has a fixed limit'
const ONE_INDEXER = 'there is one indexer to choose from'

/** An accepted option for the work limit of dynamic search rules, without effect. */
const budget = (absent: number, help: string) =>
  option(count(), absent, 'Internals', help, { environmentOnly: true, later: FIXED_BUDGET })

export const OPTIONS = {
  configFilePath: maybe(path, 'Service', 'The configuration file.', {
    absentWords: './config.toml, if it exists',
    notInFile: true,
  }),
  dbPath: option(path, 'data.ms/', 'Service', 'Folder of the database.'),
  env: option(
    exactWord(ENVIRONMENTS),
    'development',
    'Service',
    'In production a master key is mandatory, and the search preview is off without `--preview-in-production`.',
  ),
  previewInProduction: option(
    flag,
    false,
    'Service',
    'Shows the search preview in production too, without functions that change data. The page ' +
      'itself contains no data: each of its requests needs a key.',
  ),
  previewImages: maybe(
    origins,
    'Service',
    'Addresses from which the search preview may show pictures of documents, separated by commas: ' +
      '`https://cdn.example.com`.',
  ),
  httpAddr: option(
    address,
    { host: 'localhost', port: 7700 },
    'Service',
    'Address to listen on. For a host name, the server listens on all its addresses.',
    { absentWords: 'localhost:7700' },
  ),
  masterKey: maybe(
    text,
    'Service',
    'Protects all routes except the health check. At least 16 bytes in production.',
    { secret: true },
  ),
  masterKeyFile: maybe(
    path,
    'Service',
    'A file whose first line is the master key, instead of `--master-key`.',
  ),
  httpPayloadSizeLimit: option(
    anySize,
    100_000_000,
    'Service',
    'Largest accepted body, after decompression.',
    { absentWords: '100 MB' },
  ),
  httpJsonPayloadSizeLimit: option(
    anySize,
    10_000_000,
    'Service',
    'Largest accepted JSON body other than documents, settings, functions and lists of ids to ' +
      'delete; never more than `--http-payload-size-limit`.',
    { absentWords: '10 MB' },
  ),
  noAnalytics: option(
    flag,
    false,
    'Service',
    'Turns telemetry off. The server has no telemetry: it never sends any, with or without the option.',
  ),
  upgradeDb: option(
    flag,
    false,
    'Service',
    'Upgrades a database of an older release to this one.',
    { alias: 'experimentalDumplessUpgrade' },
  ),
  experimentalReplicationParameters: option(
    flag,
    false,
    'Service',
    'For clusters: the server never deletes finished tasks automatically, and reads the request ' +
      'headers `TaskId` and `DryRun`.',
  ),

  logLevel: option(word(LOG_LEVELS), 'INFO', 'Logs', 'Level of the log.'),
  experimentalLogsMode: option(
    word(LOGS_MODES),
    'human',
    'Logs',
    'Human-readable lines or one JSON object per line.',
  ),
  slowSearchThreshold: maybe(
    count(1),
    'Logs',
    'Milliseconds: each search that takes longer is logged as a warning with its query.',
    { absentWords: 'none' },
  ),
  experimentalEnableLogsRoute: option(flag, false, 'Logs', 'Switches the `/logs` routes on.'),
  experimentalEnableMetrics: option(flag, false, 'Logs', 'Switches `GET /metrics` on.'),

  maxIndexingMemory: maybe(
    anySize,
    'Indexing',
    'Memory for indexing. Indexing may use more for a short time.',
    { absentWords: '2/3 of the memory' },
  ),
  maxIndexingThreads: option(
    threads,
    null,
    'Indexing',
    'Number of threads that build the index of one batch, at most one per core.',
    { absentWords: 'half of the cores' },
  ),
  maxSearchMemory: maybe(
    anySize,
    'Searching',
    'Memory for the caches of all search threads together.',
    { absentWords: '1/8 of the memory, at least 128 MiB' },
  ),
  experimentalReduceIndexingMemoryUsage: option(
    flag,
    false,
    'Indexing',
    'Uses less memory; writes are slower.',
    { later: 'indexing always has a memory limit' },
  ),
  experimentalMaxNumberOfBatchedTasks: option(
    count(),
    Number.MAX_SAFE_INTEGER,
    'Indexing',
    'Largest number of tasks in one batch; 0 keeps all tasks waiting.',
    { absentWords: 'unlimited' },
  ),
  experimentalLimitBatchedTasksTotalSize: maybe(
    anySize,
    'Indexing',
    'Largest number of bytes of documents in one batch.',
    { absentWords: 'half of the memory, at most 10 GiB' },
  ),
  experimentalNoEdition2024ForSettings: option(
    flag,
    false,
    'Indexing',
    'Names another indexer for changes of settings.',
    { later: ONE_INDEXER },
  ),
  experimentalNoEdition2024ForDumps: option(
    flag,
    false,
    'Indexing',
    'Names another indexer for the import of dumps.',
    { later: ONE_INDEXER },
  ),

  experimentalSearchQueueSize: option(
    count(),
    1000,
    'Searching',
    'Number of searches that may wait. If there are more, one of the waiting searches is refused.',
  ),
  experimentalNbSearchesPerCore: option(
    count(1),
    4,
    'Searching',
    'Concurrent searches per core. Further searches wait in the queue.',
  ),
  experimentalNoSearchWarmUp: option(
    flag,
    false,
    'Searching',
    'Disables the warm-up of search threads at idle times. The first searches then take longer.',
  ),
  experimentalDropSearchAfter: option(
    count(1),
    60,
    'Searching',
    'Seconds after which a search is canceled, including its time in the queue.',
  ),
  experimentalContainsFilter: option(
    flag,
    false,
    'Searching',
    'Switches the filter operator `CONTAINS` on.',
  ),
  experimentalLegacySearchDefault: option(
    flag,
    false,
    'Searching',
    'Switches the feature `legacySearch` on.',
    { alias: 'experimentalLegacySearch', later: 'there is one search to choose from' },
  ),
  experimentalEmbeddingCacheEntries: option(
    count(),
    0,
    'Searching',
    'Number of embeddings of search texts in the cache of each embedder.',
  ),
  experimentalPersonalizationApiKey: option(
    headerTextOrNone,
    null,
    'Searching',
    'Key for the personalization provider; enables personalization.',
    { secret: true },
  ),
  experimentalPersonalizationUrl: option(
    httpUrl,
    'https://api.cohere.com/v1/rerank',
    'Searching',
    'URL of the personalization provider.',
  ),

  dumpDir: option(path, 'dumps/', 'Dumps', 'Folder for dumps.'),
  importDump: maybe(path, 'Dumps', 'A dump to import before starting.'),
  ignoreMissingDump: option(
    flag,
    false,
    'Dumps',
    'Starts without the dump if it is missing or invalid.',
  ),
  ignoreDumpIfDbExists: option(
    flag,
    false,
    'Dumps',
    'Starts without the dump if a database exists.',
  ),

  snapshotDir: option(path, 'snapshots/', 'Snapshots', 'Folder for snapshots.'),
  scheduleSnapshot: option(
    schedule,
    null,
    'Snapshots',
    'Seconds between snapshots. The option without a value means 86400.',
    { absentWords: 'none' },
  ),
  snapshotRetention: maybe(
    count(1),
    'Snapshots',
    'Number of snapshots to keep in the folder, with their time in the file name. When there are ' +
      'more, the oldest is deleted.',
    { absentWords: 'only the last one, without the time' },
  ),
  experimentalNoSnapshotCompaction: option(
    flag,
    false,
    'Snapshots',
    'Does not compress snapshots: they are made faster and are larger.',
  ),
  importSnapshot: maybe(path, 'Snapshots', 'A snapshot to import before starting.'),
  ignoreMissingSnapshot: option(
    flag,
    false,
    'Snapshots',
    'Starts without the snapshot if it is missing or invalid.',
  ),
  ignoreSnapshotIfDbExists: option(
    flag,
    false,
    'Snapshots',
    'Starts without the snapshot if a database exists.',
  ),

  objstoreBucketUrl: maybe(
    httpUrl,
    'Snapshots in an object store',
    'Address of the store: `https://<service>.<region>.<domain>`. Snapshots are sent to the store instead of written to a file.',
  ),
  objstoreBucketRegion: maybe(name, 'Snapshots in an object store', 'Region of the bucket.'),
  objstoreBucketName: maybe(name, 'Snapshots in an object store', 'Name of the bucket.'),
  objstoreSnapshotPrefix: maybe(
    objectPath,
    'Snapshots in an object store',
    'Path of the snapshots in the bucket. It may contain slashes.',
  ),
  objstoreAccessKey: maybe(headerText, 'Snapshots in an object store', 'Access key.', {
    secret: true,
  }),
  objstoreSecretKey: maybe(headerText, 'Snapshots in an object store', 'Secret key.', {
    secret: true,
  }),
  objstoreIncremental: option(
    flag,
    false,
    'Snapshots in an object store',
    'Sends only the files that the bucket does not have yet.',
  ),
  objstoreRetention: maybe(
    count(1),
    'Snapshots in an object store',
    'Number of incremental snapshots to keep. When there are more, the oldest is deleted.',
    { absentWords: 'all' },
  ),
  experimentalObjstoreRoleArn: maybe(
    text,
    'Snapshots in an object store',
    'Role for web identity federation, instead of the keys.',
  ),
  experimentalObjstoreWebIdentityTokenFile: maybe(
    path,
    'Snapshots in an object store',
    'File with the web identity token, instead of the keys.',
  ),
  experimentalObjstoreMaxInFlightParts: option(
    count(1),
    10,
    'Snapshots in an object store',
    'Number of parts that are sent at the same time.',
  ),
  experimentalObjstoreCompressionLevel: option(
    count(0, 9),
    0,
    'Snapshots in an object store',
    'Compression level of snapshots; 0 means none.',
  ),
  experimentalObjstoreSignatureDurationSeconds: option(
    count(1, WEEK_S),
    28_800,
    'Snapshots in an object store',
    'Longest time for sending a snapshot, in seconds.',
  ),
  experimentalObjstoreMultipartPartSize: option(
    byteSize(10 * MiB, 8 * GiB, 'above 10 MiB and below 8 GiB'),
    375 * MiB,
    'Snapshots in an object store',
    'Size of each part of an upload.',
    { absentWords: '375 MiB' },
  ),
  experimentalObjstoreWebIdentityTokenDurationSeconds: option(
    count(900, 43_200),
    3600,
    'Snapshots in an object store',
    'Seconds for which the keys are valid that the server gets for a web identity token.',
    { environmentOnly: true },
  ),

  objstorePublishInterval: maybe(
    count(1),
    'Followers',
    'Seconds between published states of the database in the object store, for followers.',
    { absentWords: 'nothing is published' },
  ),
  objstorePublishAddress: maybe(
    httpUrl,
    'Followers',
    'Address of this instance. Followers show it when they refuse a write.',
    { absentWords: 'the name of the host' },
  ),
  objstorePublish: option(
    exactWord(PUBLISH_MODES),
    'interval',
    'Followers',
    'Moment at which a write is acknowledged. `interval`: when it is on the disk of this ' +
      'instance; `sync`: when it is also published.',
  ),
  objstoreWriterLease: maybe(
    count(1, 3600),
    'Followers',
    'Makes one instance the only writer. If it does not renew its lease for this number of ' +
      'seconds, another instance takes over.',
    { absentWords: 'no lease' },
  ),
  objstorePublishReplaces: maybe(
    name,
    'Followers',
    'Identity of an instance that will never publish again. This instance then publishes in its ' +
      'place.',
    { absentWords: 'none' },
  ),
  follow: maybe(
    followed,
    'Followers',
    'Follows another instance and accepts no writes. The value is `objstore:` and the name of ' +
      'its database folder, or only `objstore:` if the folder of this instance has the same name.',
  ),
  followDownload: option(
    exactWord(FOLLOW_DOWNLOADS),
    'before',
    'Followers',
    'Moment at which a new follower accepts requests. `before`: after it has downloaded all ' +
      'files; `lazily`: after the common files, and for each index after the files of this index.',
  ),
  followStandby: option(
    flag,
    false,
    'Followers',
    'Takes over when the writer has not renewed its lease in time.',
  ),
  followPollInterval: option(
    count(1),
    1,
    'Followers',
    'Seconds between polls of the object store.',
  ),

  taskWebhookUrl: maybe(url, 'Notifications', 'URL that is called when tasks have finished.'),
  taskWebhookAuthorizationHeader: maybe(
    headerText,
    'Notifications',
    'The `Authorization` header of calls to `--task-webhook-url`.',
    { secret: true },
  ),

  experimentalAllowedIpNetworks: option(
    ipNetworks,
    null,
    'Outbound connections',
    'Local networks that the server may call: addresses with prefix lengths, separated by commas, ' +
      'or `any`.',
    { absentWords: 'none' },
  ),
  experimentalRemoteSearchTimeoutSeconds: option(
    count(1),
    30,
    'Outbound connections',
    'Seconds that a search may wait for other instances.',
    { environmentOnly: true },
  ),
  experimentalProxyConnectTimeoutSeconds: option(
    count(1),
    3,
    'Outbound connections',
    'Seconds for the connection to another instance when a write is forwarded.',
    { environmentOnly: true },
  ),
  experimentalProxyRequestTimeoutSeconds: option(
    count(1),
    30,
    'Outbound connections',
    'Seconds for one attempt to forward a write.',
    { environmentOnly: true },
  ),
  experimentalProxyBackoffTimeoutSeconds: option(
    count(1),
    25,
    'Outbound connections',
    'Seconds during which a forwarded write is retried before the client gets its answer.',
    { environmentOnly: true },
  ),
  experimentalNetworkBacklogSize: option(
    anySize,
    GiB,
    'Outbound connections',
    'Bytes of tasks that are stored for an unavailable instance. If there are more, the instance ' +
      'gets its shards again.',
    { environmentOnly: true, absentWords: '1 GiB' },
  ),
  experimentalNetworkHedging: option(
    flag,
    false,
    'Outbound connections',
    'If an instance of the network answers a search unusually slowly, another owner of its ' +
      'shards is called too, and the first answer is used.',
  ),
  experimentalRestEmbedderTimeoutSeconds: option(
    count(1),
    30,
    'Outbound connections',
    'Seconds that an embedder may take for an answer.',
    { environmentOnly: true },
  ),
  experimentalRestEmbedderMaxRetryDurationSeconds: option(
    count(),
    60,
    'Outbound connections',
    'Longest pause in seconds before a request to an embedder is retried; 0 means no pause.',
    { environmentOnly: true },
  ),

  sslCertPath: maybe(
    path,
    'TLS',
    'Certificates as PEM: the certificate of the server first, a root certificate last.',
  ),
  sslKeyPath: maybe(path, 'TLS', 'Private key as PEM, not encrypted.'),
  sslAuthPath: maybe(
    path,
    'TLS',
    'Certificates of authorities as PEM. The server requests client certificates and verifies ' +
      'them with these.',
  ),
  sslOcspPath: maybe(
    path,
    'TLS',
    'Answer of an OCSP responder as DER. The server sends it with the certificate.',
  ),
  sslRequireAuth: option(flag, false, 'TLS', 'Refuses clients without a certificate.'),
  sslResumption: option(flag, false, 'TLS', 'Allows session resumption.'),
  sslTickets: option(flag, false, 'TLS', 'Issues session tickets.'),

  experimentalDisableFidBasedDatabasesCleanup: option(
    presence,
    false,
    'Internals',
    'Skips a clean-up when upgrading from releases before 1.32.',
    { environmentOnly: true, later: 'no database of this engine needs that clean-up' },
  ),
  experimentalIndexMaxReaders: option(
    count(1),
    1024,
    'Internals',
    'Number of searches that may read an index at the same time.',
    { environmentOnly: true, later: 'any number of searches may read an index' },
  ),
  experimentalDsrFuelMaxCountedWords: budget(10, 'Words of a query that rules examine.'),
  experimentalDsrFuelMaxActiveRules: budget(1000, 'Rules that are examined.'),
  experimentalDsrFuelMaxPinActions: budget(100, 'Documents that rules pin.'),
  experimentalDsrFuelWordFuel: budget(4096, 'Words of conditions that are compared.'),
  experimentalDsrFuelFilterFuel: budget(4096, 'Parts of filters that are compared.'),
  experimentalDsrFuelFilterOrFuel: budget(100, 'Alternatives of a filter that are examined.'),
  experimentalDsrFuelFilterAndFuel: budget(100, 'Parts of a conjunction that are examined.'),
  experimentalDsrFuelFilterDepthFuel: budget(25, 'Depth of a filter that is examined.'),
} as const

export type OptionName = keyof typeof OPTIONS

export const OPTION_NAMES = Object.keys(OPTIONS) as readonly OptionName[]

/** The location of the object store: all of these options must be set, or none. */
const STORE_PLACE = [
  'objstoreBucketUrl',
  'objstoreBucketRegion',
  'objstoreBucketName',
  'objstoreSnapshotPrefix',
] as const satisfies readonly OptionName[]

/** Options that select the object store. */
export const STORE_OPTIONS = [
  ...STORE_PLACE,
  'objstoreAccessKey',
  'objstoreSecretKey',
  'objstoreIncremental',
  'objstoreRetention',
  'objstorePublishInterval',
  'objstorePublish',
  'objstorePublishAddress',
  'objstorePublishReplaces',
  'objstoreWriterLease',
  'follow',
  'experimentalObjstoreRoleArn',
  'experimentalObjstoreWebIdentityTokenFile',
  'experimentalObjstoreMaxInFlightParts',
  'experimentalObjstoreCompressionLevel',
  'experimentalObjstoreSignatureDurationSeconds',
  'experimentalObjstoreMultipartPartSize',
] as const satisfies readonly OptionName[]

/** Options that need another option, and are refused without it. */
export const REQUIRES: readonly (readonly [option: OptionName, needed: OptionName])[] = [
  ['ignoreMissingDump', 'importDump'],
  ['ignoreDumpIfDbExists', 'importDump'],
  ['ignoreMissingSnapshot', 'importSnapshot'],
  ['ignoreSnapshotIfDbExists', 'importSnapshot'],
  ['objstoreAccessKey', 'objstoreSecretKey'],
  ['objstoreSecretKey', 'objstoreAccessKey'],
  ['experimentalObjstoreRoleArn', 'experimentalObjstoreWebIdentityTokenFile'],
  ['experimentalObjstoreWebIdentityTokenFile', 'experimentalObjstoreRoleArn'],
  ['objstoreRetention', 'objstoreIncremental'],
  ['followStandby', 'follow'],
  ['followStandby', 'objstoreWriterLease'],
  ...STORE_OPTIONS.flatMap((given) =>
    STORE_PLACE.flatMap((needed) => (given === needed ? [] : [[given, needed] as const])),
  ),
]

/** Options for writers, which a follower may have if it stands by. */
export const FOR_WRITERS: ReadonlySet<OptionName> = new Set([
  'scheduleSnapshot',
  'objstorePublishInterval',
  'objstorePublish',
  'objstoreWriterLease',
] as const)

/** Options that exclude each other. */
export const CONFLICTS: readonly (readonly [OptionName, OptionName])[] = [
  ['masterKey', 'masterKeyFile'],
  ['importDump', 'importSnapshot'],
  ['follow', 'importDump'],
  ['follow', 'importSnapshot'],
  ['follow', 'scheduleSnapshot'],
  ['follow', 'objstorePublishInterval'],
  ['follow', 'objstorePublish'],
  ['follow', 'objstoreWriterLease'],
  ['objstoreAccessKey', 'experimentalObjstoreRoleArn'],
  ['objstoreAccessKey', 'experimentalObjstoreWebIdentityTokenFile'],
  ['objstoreSecretKey', 'experimentalObjstoreRoleArn'],
  ['objstoreSecretKey', 'experimentalObjstoreWebIdentityTokenFile'],
]
