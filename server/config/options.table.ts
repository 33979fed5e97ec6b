// Every launch option, in the order of the help page. The names of flags, variables and keys of the
// configuration file are derived from here: `dbPath` is `--db-path`, `SVC_DB_PATH` and `db_path`.
import { GiB, MiB } from '../../format/bytes/index.ts'
import {
  address,
  anySize,
  byteSize,
  count,
  exactWord,
  flag,
  followed,
  httpUrl,
  ipNetworks,
  name,
  objectPath,
  path,
  presence,
  schedule,
  text,
  textOrNone,
  threads,
  url,
  word,
} from './kinds.ts'
import { maybe, option } from './option.ts'

/** Longest validity of a signed URL, in seconds: the protocol allows seven days. */
const WEEK_S = 604_800

const LOG_LEVELS = ['OFF', 'ERROR', 'WARN', 'INFO', 'DEBUG', 'TRACE'] as const
const LOGS_MODES = ['human', 'json'] as const
/** When a follower begins to serve: after the download, or before it is complete. */
const FOLLOW_DOWNLOADS = ['before', 'lazily'] as const
const ENVIRONMENTS = ['development', 'production'] as const

const FIXED_BUDGET = 'the budget of rules is fixed'
const ONE_INDEXER = 'there is one indexer to choose from'

/** An accepted option for the work limit of dynamic search rules, without effect. */
const budget = (absent: number, help: string) =>
  option(count(), absent, 'Internals', help, { environmentOnly: true, later: FIXED_BUDGET })

export const OPTIONS = {
  configFilePath: maybe(path, 'Service', 'The configuration file.', {
    absentWords: './config.toml, if it exists',
    notInFile: true,
  }),
  dbPath: option(path, 'data.ms/', 'Service', 'Where the database is kept.'),
  env: option(
    exactWord(ENVIRONMENTS),
    'development',
    'Service',
    'In production a master key is mandatory and the search preview is off.',
  ),
  httpAddr: option(
    address,
    { host: 'localhost', port: 7700 },
    'Service',
    'Where to listen. Every address that the host stands for is bound.',
    { absentWords: 'localhost:7700' },
  ),
  masterKey: maybe(
    text,
    'Service',
    'Protects all routes but the health check. At least 16 bytes in production.',
    { secret: true },
  ),
  masterKeyFile: maybe(
    path,
    'Service',
    'A file whose first line is the master key, in place of the option above.',
  ),
  httpPayloadSizeLimit: option(
    anySize,
    100_000_000,
    'Service',
    'The largest body that is accepted, after decoding.',
    { absentWords: '100 MB' },
  ),
  httpJsonPayloadSizeLimit: option(
    anySize,
    10_000_000,
    'Service',
    'The same for JSON that is not documents, settings or a list of ids to delete; never more ' +
      'than the limit above.',
    { absentWords: '10 MB' },
  ),
  noAnalytics: option(
    flag,
    false,
    'Service',
    'Turns telemetry off. Nothing is ever sent either way.',
  ),
  experimentalDumplessUpgrade: option(
    flag,
    false,
    'Service',
    'Brings a database of an older release up to this one.',
    { alias: 'upgradeDb' },
  ),
  experimentalReplicationParameters: option(
    flag,
    false,
    'Service',
    'For clusters: finished tasks are never deleted by themselves; the request headers `TaskId` ' +
      'and `DryRun` are honoured.',
  ),

  logLevel: option(word(LOG_LEVELS), 'INFO', 'Logs', 'How much is logged.'),
  experimentalLogsMode: option(
    word(LOGS_MODES),
    'human',
    'Logs',
    'Human-readable lines or one JSON object per line.',
  ),
  slowSearchThreshold: maybe(
    count(1),
    'Logs',
    'Milliseconds: a search that takes longer leaves a warning in the log with its query.',
    { absentWords: 'none' },
  ),
  experimentalEnableLogsRoute: option(flag, false, 'Logs', 'Switches the `/logs` routes on.'),
  experimentalEnableMetrics: option(flag, false, 'Logs', 'Switches `GET /metrics` on.'),

  maxIndexingMemory: maybe(
    anySize,
    'Indexing',
    'How much memory indexing may take; may be exceeded briefly.',
    { absentWords: '2/3 of the memory' },
  ),
  maxIndexingThreads: option(
    threads,
    null,
    'Indexing',
    'How many threads build the index of one batch, at most one per core.',
    { absentWords: 'half of the cores' },
  ),
  experimentalReduceIndexingMemoryUsage: option(
    flag,
    false,
    'Indexing',
    'Less memory at the price of slower writes.',
    { later: 'indexing keeps to its memory limit anyway' },
  ),
  experimentalMaxNumberOfBatchedTasks: option(
    count(),
    Number.MAX_SAFE_INTEGER,
    'Indexing',
    'How many tasks run together at most; 0 keeps all of them waiting.',
    { absentWords: 'unlimited' },
  ),
  experimentalLimitBatchedTasksTotalSize: maybe(
    anySize,
    'Indexing',
    'How many bytes of documents run together at most.',
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
    'How many searches may wait; one more and a waiting one is turned away.',
  ),
  experimentalNbSearchesPerCore: option(
    count(1),
    4,
    'Searching',
    'Searches that run at once, per core; more of them wait in the queue.',
  ),
  experimentalNoSearchWarmUp: option(
    flag,
    false,
    'Searching',
    'Search threads do not prepare themselves in idle time; the first searches take longer.',
  ),
  experimentalDropSearchAfter: option(
    count(1),
    60,
    'Searching',
    'Seconds after which a search is given up, waiting included.',
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
    'How many embeddings of search texts are cached per embedder.',
  ),
  experimentalPersonalizationApiKey: option(
    textOrNone,
    null,
    'Searching',
    'Key for the provider of personal ranking; switches it on.',
    { secret: true },
  ),
  experimentalPersonalizationUrl: option(
    httpUrl,
    'https://api.cohere.com/v1/rerank',
    'Searching',
    'Address of the provider of personal ranking: another one, or one of your own.',
  ),

  dumpDir: option(path, 'dumps/', 'Dumps', 'Where dumps are written.'),
  importDump: maybe(path, 'Dumps', 'A dump to import before starting.'),
  ignoreMissingDump: option(
    flag,
    false,
    'Dumps',
    'Start without the dump when it is missing or invalid.',
  ),
  ignoreDumpIfDbExists: option(
    flag,
    false,
    'Dumps',
    'Start without the dump when there is a database.',
  ),

  snapshotDir: option(path, 'snapshots/', 'Snapshots', 'Where snapshots are written.'),
  scheduleSnapshot: option(
    schedule,
    null,
    'Snapshots',
    'Seconds between snapshots; 86400 when given without a value.',
    { absentWords: 'none' },
  ),
  snapshotRetention: maybe(
    count(1),
    'Snapshots',
    'How many snapshots are kept in the folder, with their time in the name; older ones go when ' +
      'there is a new one.',
    { absentWords: 'the last one, without its time' },
  ),
  experimentalNoSnapshotCompaction: option(
    flag,
    false,
    'Snapshots',
    'Snapshots are copied as they are: faster and larger.',
  ),
  importSnapshot: maybe(path, 'Snapshots', 'A snapshot to import before starting.'),
  ignoreMissingSnapshot: option(
    flag,
    false,
    'Snapshots',
    'Start without the snapshot when it is missing or invalid.',
  ),
  ignoreSnapshotIfDbExists: option(
    flag,
    false,
    'Snapshots',
    'Start without the snapshot when there is a database.',
  ),

  objstoreBucketUrl: maybe(
    httpUrl,
    'Snapshots in an object store',
    'Address of the store: `https://<service>.<region>.<domain>`. Snapshots go there, not to a file.',
  ),
  objstoreBucketRegion: maybe(name, 'Snapshots in an object store', 'Region of the bucket.'),
  objstoreBucketName: maybe(name, 'Snapshots in an object store', 'Name of the bucket.'),
  objstoreSnapshotPrefix: maybe(
    objectPath,
    'Snapshots in an object store',
    'Path of the snapshots in the bucket, with slashes.',
  ),
  objstoreAccessKey: maybe(text, 'Snapshots in an object store', 'Access key.', { secret: true }),
  objstoreSecretKey: maybe(text, 'Snapshots in an object store', 'Secret key.', { secret: true }),
  objstoreIncremental: option(
    flag,
    false,
    'Snapshots in an object store',
    'Sends only the files that the bucket does not have yet.',
  ),
  objstoreRetention: maybe(
    count(1),
    'Snapshots in an object store',
    'How many incremental snapshots are kept; older ones go when there is a new one.',
    { absentWords: 'all' },
  ),
  experimentalObjstoreRoleArn: maybe(
    text,
    'Snapshots in an object store',
    'Role for web identity federation, in place of the keys.',
  ),
  experimentalObjstoreWebIdentityTokenFile: maybe(
    path,
    'Snapshots in an object store',
    'File with the web identity token, in place of the keys.',
  ),
  experimentalObjstoreMaxInFlightParts: option(
    count(1),
    10,
    'Snapshots in an object store',
    'How many parts are sent at once.',
  ),
  experimentalObjstoreCompressionLevel: option(
    count(0, 9),
    0,
    'Snapshots in an object store',
    'Compression level of snapshots; 0: not compressed.',
  ),
  experimentalObjstoreSignatureDurationSeconds: option(
    count(1, WEEK_S),
    28_800,
    'Snapshots in an object store',
    'How long sending a snapshot may take.',
  ),
  experimentalObjstoreMultipartPartSize: option(
    byteSize(10 * MiB, 8 * GiB, 'above 10 MiB and below 8 GiB'),
    375 * MiB,
    'Snapshots in an object store',
    'Size of a part.',
    { absentWords: '375 MiB' },
  ),
  experimentalObjstoreWebIdentityTokenDurationSeconds: option(
    count(900, 43_200),
    3600,
    'Snapshots in an object store',
    'For how long the keys count that a web identity token is exchanged for.',
    { environmentOnly: true },
  ),

  objstorePublishInterval: maybe(
    count(1),
    'Followers',
    'Seconds between states of the database that go to the object store, for followers.',
    { absentWords: 'none is published' },
  ),
  objstorePublishAddress: maybe(
    httpUrl,
    'Followers',
    'The address of this instance that followers name to clients whose writes they refuse.',
    { absentWords: 'the name of the host' },
  ),
  follow: maybe(
    followed,
    'Followers',
    'Serve what another instance publishes, and take no writes: `objstore:` and the name of its ' +
      'database folder, or `objstore:` alone where the own one has the same name.',
  ),
  followDownload: option(
    exactWord(FOLLOW_DOWNLOADS),
    'before',
    'Followers',
    'What a new follower has to have before it serves: `before`: everything; `lazily`: what all ' +
      'indexes have in common, and then each index as soon as its own files are there.',
  ),
  followPollInterval: option(
    count(1),
    1,
    'Followers',
    'Seconds between looks at the object store for what is new.',
  ),

  taskWebhookUrl: maybe(url, 'Notifications', 'Called when tasks have finished.'),
  taskWebhookAuthorizationHeader: maybe(
    text,
    'Notifications',
    'The `Authorization` header of these calls.',
    { secret: true },
  ),

  experimentalAllowedIpNetworks: option(
    ipNetworks,
    null,
    'Outbound connections',
    'Networks that are not global but may be called: addresses with prefixes, separated by ' +
      'commas, or `any`.',
    { absentWords: 'none' },
  ),
  experimentalRemoteSearchTimeoutSeconds: option(
    count(1),
    30,
    'Outbound connections',
    'How long a search may wait for other instances.',
    { environmentOnly: true },
  ),
  experimentalProxyConnectTimeoutSeconds: option(
    count(1),
    3,
    'Outbound connections',
    'How long connecting to another instance may take, for a write that is handed on.',
    { environmentOnly: true },
  ),
  experimentalProxyRequestTimeoutSeconds: option(
    count(1),
    30,
    'Outbound connections',
    'How long another instance may take for such a write, one attempt.',
    { environmentOnly: true },
  ),
  experimentalProxyBackoffTimeoutSeconds: option(
    count(1),
    25,
    'Outbound connections',
    'How long such a write is tried again before its client is answered.',
    { environmentOnly: true },
  ),
  experimentalNetworkBacklogSize: option(
    anySize,
    GiB,
    'Outbound connections',
    'What is kept at most for an instance that is away; past that it gets its shards anew.',
    { environmentOnly: true, absentWords: '1 GiB' },
  ),
  experimentalNetworkHedging: option(
    flag,
    false,
    'Outbound connections',
    'When an instance of the network answers a search more slowly than it nearly always does, ' +
      'another owner of its shards is asked as well, and the quicker answer counts.',
  ),
  experimentalRestEmbedderTimeoutSeconds: option(
    count(1),
    30,
    'Outbound connections',
    'How long an embedder may take for an answer.',
    { environmentOnly: true },
  ),
  experimentalRestEmbedderMaxRetryDurationSeconds: option(
    count(),
    60,
    'Outbound connections',
    'The longest pause before an embedder is asked again; 0: no pauses are made.',
    { environmentOnly: true },
  ),

  sslCertPath: maybe(path, 'TLS', 'Certificates as PEM: first that of the key, last a root.'),
  sslKeyPath: maybe(path, 'TLS', 'Private key as PEM, not encrypted.'),
  sslAuthPath: maybe(
    path,
    'TLS',
    'Authorities as PEM: certificates of clients are asked for and checked against them.',
  ),
  sslOcspPath: maybe(path, 'TLS', 'Answer of an OCSP responder, DER, sent with the certificate.'),
  sslRequireAuth: option(flag, false, 'TLS', 'Clients without a certificate are turned away.'),
  sslResumption: option(flag, false, 'TLS', 'Sessions can be taken up again.'),
  sslTickets: option(flag, false, 'TLS', 'Session tickets are given out.'),

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
    'How many searches may read an index at once.',
    { environmentOnly: true, later: 'any number of searches may read an index' },
  ),
  experimentalDsrFuelMaxCountedWords: budget(10, 'Words of a query that rules look at.'),
  experimentalDsrFuelMaxActiveRules: budget(1000, 'Rules that are looked at.'),
  experimentalDsrFuelMaxPinActions: budget(100, 'Documents that rules put at a place.'),
  experimentalDsrFuelWordFuel: budget(4096, 'Words of conditions that are compared.'),
  experimentalDsrFuelFilterFuel: budget(4096, 'Parts of filters that are compared.'),
  experimentalDsrFuelFilterOrFuel: budget(100, 'Alternatives of a filter that are looked at.'),
  experimentalDsrFuelFilterAndFuel: budget(100, 'Parts of a conjunction that are looked at.'),
  experimentalDsrFuelFilterDepthFuel: budget(25, 'Depth of a filter that is looked at.'),
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
  ['objstorePublishAddress', 'objstorePublishInterval'],
  ...STORE_OPTIONS.flatMap((given) =>
    STORE_PLACE.flatMap((needed) => (given === needed ? [] : [[given, needed] as const])),
  ),
]

/** Options that exclude each other. */
export const CONFLICTS: readonly (readonly [OptionName, OptionName])[] = [
  ['masterKey', 'masterKeyFile'],
  ['importDump', 'importSnapshot'],
  ['follow', 'importDump'],
  ['follow', 'importSnapshot'],
  ['follow', 'scheduleSnapshot'],
  ['follow', 'objstorePublishInterval'],
  ['objstoreAccessKey', 'experimentalObjstoreRoleArn'],
  ['objstoreAccessKey', 'experimentalObjstoreWebIdentityTokenFile'],
  ['objstoreSecretKey', 'experimentalObjstoreRoleArn'],
  ['objstoreSecretKey', 'experimentalObjstoreWebIdentityTokenFile'],
]
