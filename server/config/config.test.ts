// Launch options: every source, every kind of value, every refusal.
import { mkdirSync, mkdtempSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { parseByteSize } from './byte-size.ts'
import { readCommandLine } from './command-line.ts'
import { type Config, readConfig } from './config.ts'
import { helpPage, shortHelpPage } from './help-page.ts'
import { addressBytes } from './ip-networks.ts'
import { LaunchError } from './launch-error.ts'
import { checkMasterKey, masterKeyNotices } from './master-key.ts'
import { flagName, type Option, variableName } from './option.ts'
import { count } from './option-types.ts'
import { OPTION_NAMES, OPTIONS, type OptionName } from './options.table.ts'
import { readPlainly } from './plain-line.ts'
import { RELEASE } from './release.ts'
import { readWithYargs } from './yargs-line.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-config-'))
const home = process.cwd()
process.chdir(folder)
afterAll(() => {
  process.chdir(home)
  rmSync(folder, { recursive: true })
})

const namesOf = (
  name: OptionName,
): { readonly flag: string | null; readonly variable: string } => ({
  flag: (OPTIONS[name] as Option<unknown>).environmentOnly === true ? null : flagName(name),
  variable: variableName(name),
})

type Environment = { readonly [variable: string]: string }

async function configOf(words: string, environment: Environment = {}): Promise<Config> {
  const line = await readCommandLine(words === '' ? [] : words.split(' '))
  if (line.kind !== 'run') throw new Error('it only prints')
  return readConfig(line.options, environment)
}

async function faultOf(action: () => Promise<unknown>): Promise<LaunchError> {
  try {
    await action()
  } catch (error) {
    expect(error).toBeInstanceOf(LaunchError)
    return error as LaunchError
  }
  throw new Error('it was not refused')
}

const withFile = async <T>(toml: string, action: (path: string) => Promise<T>): Promise<T> => {
  const path = join(folder, 'some.toml')
  writeFileSync(path, toml)
  try {
    return await action(path)
  } finally {
    rmSync(path)
  }
}

test('the names are those that users of Meilisearch know', () => {
  const specified = [
    ['--config-file-path', 'SVC_CONFIG_FILE_PATH'],
    ['--db-path', 'SVC_DB_PATH'],
    ['--env', 'SVC_ENV'],
    ['--http-addr', 'SVC_HTTP_ADDR'],
    ['--master-key', 'SVC_MASTER_KEY'],
    ['--no-analytics', 'SVC_NO_ANALYTICS'],
    ['--upgrade-db', 'SVC_UPGRADE_DB'],
    ['--dump-dir', 'SVC_DUMP_DIR'],
    ['--import-dump', 'SVC_IMPORT_DUMP'],
    ['--ignore-missing-dump', 'SVC_IGNORE_MISSING_DUMP'],
    ['--ignore-dump-if-db-exists', 'SVC_IGNORE_DUMP_IF_DB_EXISTS'],
    ['--log-level', 'SVC_LOG_LEVEL'],
    ['--experimental-logs-mode', 'SVC_EXPERIMENTAL_LOGS_MODE'],
    ['--max-indexing-memory', 'SVC_MAX_INDEXING_MEMORY'],
    ['--max-search-memory', 'SVC_MAX_SEARCH_MEMORY'],
    [
      '--experimental-reduce-indexing-memory-usage',
      'SVC_EXPERIMENTAL_REDUCE_INDEXING_MEMORY_USAGE',
    ],
    ['--max-indexing-threads', 'SVC_MAX_INDEXING_THREADS'],
    ['--http-payload-size-limit', 'SVC_HTTP_PAYLOAD_SIZE_LIMIT'],
    ['--experimental-search-queue-size', 'SVC_EXPERIMENTAL_SEARCH_QUEUE_SIZE'],
    ['--experimental-embedding-cache-entries', 'SVC_EXPERIMENTAL_EMBEDDING_CACHE_ENTRIES'],
    ['--schedule-snapshot', 'SVC_SCHEDULE_SNAPSHOT'],
    ['--snapshot-dir', 'SVC_SNAPSHOT_DIR'],
    ['--experimental-no-snapshot-compaction', 'SVC_EXPERIMENTAL_NO_SNAPSHOT_COMPACTION'],
    ['--import-snapshot', 'SVC_IMPORT_SNAPSHOT'],
    ['--ignore-missing-snapshot', 'SVC_IGNORE_MISSING_SNAPSHOT'],
    ['--ignore-snapshot-if-db-exists', 'SVC_IGNORE_SNAPSHOT_IF_DB_EXISTS'],
    ['--task-webhook-url', 'SVC_TASK_WEBHOOK_URL'],
    ['--task-webhook-authorization-header', 'SVC_TASK_WEBHOOK_AUTHORIZATION_HEADER'],
    ['--experimental-max-number-of-batched-tasks', 'SVC_EXPERIMENTAL_MAX_NUMBER_OF_BATCHED_TASKS'],
    [
      '--experimental-limit-batched-tasks-total-size',
      'SVC_EXPERIMENTAL_LIMIT_BATCHED_TASKS_TOTAL_SIZE',
    ],
    ['--experimental-replication-parameters', 'SVC_EXPERIMENTAL_REPLICATION_PARAMETERS'],
    [
      '--experimental-no-edition-2024-for-settings',
      'SVC_EXPERIMENTAL_NO_EDITION_2024_FOR_SETTINGS',
    ],
    ['--experimental-no-edition-2024-for-dumps', 'SVC_EXPERIMENTAL_NO_EDITION_2024_FOR_DUMPS'],
    ['--experimental-enable-logs-route', 'SVC_EXPERIMENTAL_ENABLE_LOGS_ROUTE'],
    ['--experimental-enable-metrics', 'SVC_EXPERIMENTAL_ENABLE_METRICS'],
    ['--experimental-contains-filter', 'SVC_EXPERIMENTAL_CONTAINS_FILTER'],
    ['--experimental-drop-search-after', 'SVC_EXPERIMENTAL_DROP_SEARCH_AFTER'],
    ['--experimental-nb-searches-per-core', 'SVC_EXPERIMENTAL_NB_SEARCHES_PER_CORE'],
    ['--experimental-no-search-warm-up', 'SVC_EXPERIMENTAL_NO_SEARCH_WARM_UP'],
    ['--experimental-personalization-api-key', 'SVC_EXPERIMENTAL_PERSONALIZATION_API_KEY'],
    ['--experimental-allowed-ip-networks', 'SVC_EXPERIMENTAL_ALLOWED_IP_NETWORKS'],
    [null, 'SVC_EXPERIMENTAL_REMOTE_SEARCH_TIMEOUT_SECONDS'],
    [null, 'SVC_EXPERIMENTAL_DISABLE_FID_BASED_DATABASES_CLEANUP'],
    ['--objstore-bucket-url', 'SVC_OBJSTORE_BUCKET_URL'],
    ['--objstore-bucket-region', 'SVC_OBJSTORE_BUCKET_REGION'],
    ['--objstore-bucket-name', 'SVC_OBJSTORE_BUCKET_NAME'],
    ['--objstore-snapshot-prefix', 'SVC_OBJSTORE_SNAPSHOT_PREFIX'],
    ['--objstore-access-key', 'SVC_OBJSTORE_ACCESS_KEY'],
    ['--objstore-secret-key', 'SVC_OBJSTORE_SECRET_KEY'],
    ['--experimental-objstore-role-arn', 'SVC_EXPERIMENTAL_OBJSTORE_ROLE_ARN'],
    [
      '--experimental-objstore-web-identity-token-file',
      'SVC_EXPERIMENTAL_OBJSTORE_WEB_IDENTITY_TOKEN_FILE',
    ],
    [
      '--experimental-objstore-max-in-flight-parts',
      'SVC_EXPERIMENTAL_OBJSTORE_MAX_IN_FLIGHT_PARTS',
    ],
    ['--experimental-objstore-compression-level', 'SVC_EXPERIMENTAL_OBJSTORE_COMPRESSION_LEVEL'],
    [
      '--experimental-objstore-signature-duration-seconds',
      'SVC_EXPERIMENTAL_OBJSTORE_SIGNATURE_DURATION_SECONDS',
    ],
    [
      '--experimental-objstore-multipart-part-size',
      'SVC_EXPERIMENTAL_OBJSTORE_MULTIPART_PART_SIZE',
    ],
    ['--ssl-auth-path', 'SVC_SSL_AUTH_PATH'],
    ['--ssl-cert-path', 'SVC_SSL_CERT_PATH'],
    ['--ssl-key-path', 'SVC_SSL_KEY_PATH'],
    ['--ssl-ocsp-path', 'SVC_SSL_OCSP_PATH'],
    ['--ssl-require-auth', 'SVC_SSL_REQUIRE_AUTH'],
    ['--ssl-resumption', 'SVC_SSL_RESUMPTION'],
    ['--ssl-tickets', 'SVC_SSL_TICKETS'],
    // Options that the specification does not have.
    ['--objstore-incremental', 'SVC_OBJSTORE_INCREMENTAL'],
    ['--objstore-retention', 'SVC_OBJSTORE_RETENTION'],
    [null, 'SVC_EXPERIMENTAL_OBJSTORE_WEB_IDENTITY_TOKEN_DURATION_SECONDS'],
  ]
  const named = OPTION_NAMES.map((name) => {
    const { flag, variable } = namesOf(name)
    return [flag === null ? null : `--${flag}`, variable]
  })
  const isSpecified = ([, variable]: (string | null)[]): boolean =>
    specified.some(([, known]) => known === variable)
  expect(named.filter(isSpecified).sort()).toEqual(specified.sort())
  // Options beyond the specification: the page in production, its pictures, a key file for operators, a limit, the address of another
  // provider, followers, and a second name for the log of slow searches.
  expect(named.filter((one) => !isSpecified(one))).toEqual([
    ['--preview-in-production', 'SVC_PREVIEW_IN_PRODUCTION'],
    ['--preview-images', 'SVC_PREVIEW_IMAGES'],
    ['--master-key-file', 'SVC_MASTER_KEY_FILE'],
    ['--http-json-payload-size-limit', 'SVC_HTTP_JSON_PAYLOAD_SIZE_LIMIT'],
    ['--slow-search-threshold', 'SVC_SLOW_SEARCH_THRESHOLD'],
    ['--experimental-legacy-search-default', 'SVC_EXPERIMENTAL_LEGACY_SEARCH_DEFAULT'],
    ['--experimental-personalization-url', 'SVC_EXPERIMENTAL_PERSONALIZATION_URL'],
    ['--snapshot-retention', 'SVC_SNAPSHOT_RETENTION'],
    ['--objstore-publish-interval', 'SVC_OBJSTORE_PUBLISH_INTERVAL'],
    ['--objstore-publish-address', 'SVC_OBJSTORE_PUBLISH_ADDRESS'],
    ['--objstore-publish', 'SVC_OBJSTORE_PUBLISH'],
    ['--objstore-writer-lease', 'SVC_OBJSTORE_WRITER_LEASE'],
    ['--objstore-publish-replaces', 'SVC_OBJSTORE_PUBLISH_REPLACES'],
    ['--follow', 'SVC_FOLLOW'],
    ['--follow-download', 'SVC_FOLLOW_DOWNLOAD'],
    ['--follow-standby', 'SVC_FOLLOW_STANDBY'],
    ['--follow-poll-interval', 'SVC_FOLLOW_POLL_INTERVAL'],
    [null, 'SVC_EXPERIMENTAL_PROXY_CONNECT_TIMEOUT_SECONDS'],
    [null, 'SVC_EXPERIMENTAL_PROXY_REQUEST_TIMEOUT_SECONDS'],
    [null, 'SVC_EXPERIMENTAL_PROXY_BACKOFF_TIMEOUT_SECONDS'],
    [null, 'SVC_EXPERIMENTAL_NETWORK_BACKLOG_SIZE'],
    ['--experimental-network-hedging', 'SVC_EXPERIMENTAL_NETWORK_HEDGING'],
    [null, 'SVC_EXPERIMENTAL_REST_EMBEDDER_TIMEOUT_SECONDS'],
    [null, 'SVC_EXPERIMENTAL_REST_EMBEDDER_MAX_RETRY_DURATION_SECONDS'],
    [null, 'SVC_EXPERIMENTAL_INDEX_MAX_READERS'],
    [null, 'SVC_EXPERIMENTAL_DSR_FUEL_MAX_COUNTED_WORDS'],
    [null, 'SVC_EXPERIMENTAL_DSR_FUEL_MAX_ACTIVE_RULES'],
    [null, 'SVC_EXPERIMENTAL_DSR_FUEL_MAX_PIN_ACTIONS'],
    [null, 'SVC_EXPERIMENTAL_DSR_FUEL_WORD_FUEL'],
    [null, 'SVC_EXPERIMENTAL_DSR_FUEL_FILTER_FUEL'],
    [null, 'SVC_EXPERIMENTAL_DSR_FUEL_FILTER_OR_FUEL'],
    [null, 'SVC_EXPERIMENTAL_DSR_FUEL_FILTER_AND_FUEL'],
    [null, 'SVC_EXPERIMENTAL_DSR_FUEL_FILTER_DEPTH_FUEL'],
  ])
})

test('the defaults are those that users of Meilisearch know', async () => {
  const config = await configOf('')
  expect(config).toMatchObject({
    configFilePath: null,
    dbPath: 'data.ms/',
    env: 'development',
    httpAddr: { host: 'localhost', port: 7700 },
    masterKey: null,
    noAnalytics: false,
    dumpDir: 'dumps/',
    snapshotDir: 'snapshots/',
    scheduleSnapshot: null,
    logLevel: 'INFO',
    experimentalLogsMode: 'human',
    httpPayloadSizeLimit: 100_000_000,
    httpJsonPayloadSizeLimit: 10_000_000,
    experimentalSearchQueueSize: 1000,
    experimentalEmbeddingCacheEntries: 0,
    experimentalDropSearchAfter: 60,
    experimentalNbSearchesPerCore: 4,
    experimentalNoSearchWarmUp: false,
    experimentalRemoteSearchTimeoutSeconds: 30,
    experimentalObjstoreMaxInFlightParts: 10,
    experimentalObjstoreCompressionLevel: 0,
    experimentalObjstoreSignatureDurationSeconds: 28_800,
    experimentalObjstoreMultipartPartSize: 375 * 1024 ** 2,
  })
  expect(config.maxIndexingThreads).toBe(Math.ceil(availableParallelism() / 2))
  expect(config.maxIndexingMemory).toBeGreaterThan(1e6)
  expect(config.maxSearchMemory).toBeGreaterThanOrEqual(128 * 1024 ** 2)
  expect(config.experimentalLimitBatchedTasksTotalSize).toBeLessThanOrEqual(10 * 1024 ** 3)
  expect(config.explicitOptions.size).toBe(0)
  expect(RELEASE.version).toBe(
    (JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as { version: string }).version,
  )
})

describe('sources', () => {
  test('the command line overrides the environment, the environment overrides the file', async () => {
    const toml = 'db_path = "file"\nlog_level = "WARN"\nenv = "production"\nno_analytics = true\n'
    await withFile(toml, async (path) => {
      const config = await configOf(`--db-path line --config-file-path ${path}`, {
        SVC_DB_PATH: 'variable',
        SVC_LOG_LEVEL: 'debug',
      })
      expect(config).toMatchObject({
        dbPath: 'line',
        logLevel: 'DEBUG',
        env: 'production',
        noAnalytics: true,
        configFilePath: path,
      })
      const other = await configOf('', { SVC_CONFIG_FILE_PATH: path })
      expect(other).toMatchObject({ dbPath: 'file', logLevel: 'WARN' })
    })
  })

  test('the file of the default name is read if it exists', async () => {
    writeFileSync('config.toml', 'http_addr = "[::1]:80"\nimport_dump = "a.dump"\n')
    const config = await configOf('')
    rmSync('config.toml')
    expect(config).toMatchObject({
      configFilePath: './config.toml',
      httpAddr: { host: '::1', port: 80 },
      importDump: 'a.dump',
    })
  })

  test('a file of the default name that cannot be read keeps the server from starting', async () => {
    mkdirSync('config.toml')
    const fault = await faultOf(() => configOf(''))
    rmdirSync('config.toml')
    expect(fault.exitCode).toBe(1)
    expect(fault.message).toMatch(/^unable to open or read the ".\/config.toml" .*: EISDIR/)
  })

  test('every kind of value in a file', async () => {
    const toml = `
      max_indexing_threads = 1
      max_indexing_memory = "1 GiB"
      max_search_memory = "64 MiB"
      http_payload_size_limit = 5000
      schedule_snapshot = true
      experimental_allowed_ip_networks = ["10.0.0.0/8", "fd00::/8"]
      upgrade_db = true
      ignore_missing_dump = false
    `
    await withFile(toml, async (path) => {
      const config = await configOf('', { SVC_CONFIG_FILE_PATH: path })
      expect(config).toMatchObject({
        maxIndexingThreads: 1,
        maxIndexingMemory: 1024 ** 3,
        maxSearchMemory: 64 * 1024 ** 2,
        httpPayloadSizeLimit: 5000,
        scheduleSnapshot: 86_400,
        upgradeDb: true,
      })
      expect(config.experimentalAllowedIpNetworks).toHaveLength(2)
    })
  })

  test.each([
    ['db_path = 5', 'expected a string'],
    ['no_analytics = "true"', 'expected `true` or `false`'],
    ['max_indexing_threads = 1.5', 'expected a whole number'],
    ['max_indexing_threads = "2"', 'expected a whole number'],
    ['http_payload_size_limit = "x"', 'expected a size such as `100MB` or `2GiB`'],
    ['http_payload_size_limit = true', 'expected a size such as `100MB`'],
    ['experimental_allowed_ip_networks = "any"', 'expected an array of strings'],
    ['schedule_snapshot = "a"', 'expected a whole number of seconds, at least 1'],
    ['port = 80', 'unknown field `port`'],
    ['[http]\naddr = "x"', 'unknown field `http`'],
    ['config_file_path = "x"', '`config_file_path` is not supported in the configuration file'],
    ['experimental_remote_search_timeout_seconds = 5', 'unknown field'],
    ['db_path = ', 'line 1 of the configuration file'],
    ['db_path = "a"\ndb_path = "b"', 'line 2 of the configuration file'],
    ['\nhttp_adr = "x"', 'some.toml" (line 2): did you mean `http_addr`?'],
    ['\n\nhttp_addr = "x"', 'some.toml" (line 3): expected `host:port`: the port is missing'],
    ['env = production', 'put the value in quotes: env = "…"'],
    ['db_path = "a"\nmax_indexing_memory = 2 GiB', 'quotes: max_indexing_memory = "…"'],
  ])('%j in a file is refused', async (toml, message) => {
    const fault = await withFile(toml, (path) =>
      faultOf(() => configOf(`--config-file-path ${path}`)),
    )
    expect(fault.exitCode).toBe(1)
    expect(fault.message).toContain(message)
  })

  test('a file that the operator names must exist', async () => {
    const fault = await faultOf(() => configOf('--config-file-path /nowhere/a.toml'))
    expect(fault.exitCode).toBe(1)
    expect(fault.message).toMatch(
      /^unable to open or read the "\/nowhere\/a.toml" configuration file: ENOENT/,
    )
  })

  test.each([
    ['schedule_snapshot = true', 86_400],
    ['schedule_snapshot = false', null],
    ['schedule_snapshot = 7', 7],
  ])('%s', async (toml, seconds) => {
    await withFile(toml, async (path) => {
      const config = await configOf(`--config-file-path ${path}`)
      expect(config.scheduleSnapshot).toBe(seconds)
    })
  })

  test('variables without a flag, and the variable that all programs share', async () => {
    const config = await configOf('', {
      SVC_EXPERIMENTAL_PROXY_CONNECT_TIMEOUT_SECONDS: '7',
      SVC_EXPERIMENTAL_LEGACY_SEARCH: 'true',
      SSLKEYLOGFILE: '/tmp/keys',
    })
    expect(config).toMatchObject({
      experimentalProxyConnectTimeoutSeconds: 7,
      experimentalLegacySearchDefault: true,
      keyLogPath: '/tmp/keys',
    })
    expect((await configOf('', { SSLKEYLOGFILE: '' })).keyLogPath).toBeNull()
    for (const [text, skips] of [
      ['1', true],
      ['yes', true],
      ['false', false],
      ['0', false],
    ]) {
      const given = { SVC_EXPERIMENTAL_DISABLE_FID_BASED_DATABASES_CLEANUP: String(text) }
      expect(await configOf('', given)).toMatchObject({
        experimentalDisableFidBasedDatabasesCleanup: skips,
      })
    }
    const fault = await faultOf(() =>
      configOf('', { SVC_EXPERIMENTAL_REST_EMBEDDER_TIMEOUT_SECONDS: '0' }),
    )
    expect(fault.exitCode).toBe(2)
    expect(fault.message).toContain('(from SVC_EXPERIMENTAL_REST_EMBEDDER_TIMEOUT_SECONDS)')
  })

  test('an empty variable counts as unset', async () => {
    const config = await configOf('', {
      SVC_MASTER_KEY: '',
      SVC_NO_ANALYTICS: '',
      SVC_SCHEDULE_SNAPSHOT: '',
      SVC_MAX_INDEXING_MEMORY: '',
      SVC_UPGRADE_DB: 'true',
    })
    expect(config).toMatchObject({
      masterKey: null,
      noAnalytics: false,
      scheduleSnapshot: null,
      upgradeDb: true,
    })
  })
})

describe('the command line', () => {
  test.each([
    ['--db-path=a=b', 'dbPath', 'a=b'],
    ['--no-analytics', 'noAnalytics', true],
    ['--schedule-snapshot', 'scheduleSnapshot', 86_400],
    ['--schedule-snapshot --no-analytics', 'scheduleSnapshot', 86_400],
    ['--schedule-snapshot 60', 'scheduleSnapshot', 60],
    ['--experimental-dumpless-upgrade', 'upgradeDb', true],
    [
      '--max-indexing-threads unlimited',
      'maxIndexingThreads',
      Math.ceil(availableParallelism() / 2),
    ],
    ['--max-indexing-threads=', 'maxIndexingThreads', Math.ceil(availableParallelism() / 2)],
    ['--schedule-snapshot=', 'scheduleSnapshot', null],
    // Not a plain line: an ambiguous word, which yargs reads.
    ['--schedule-snapshot= --no-analytics --db-path=-x', 'scheduleSnapshot', null],
    ['--max-indexing-threads 9999', 'maxIndexingThreads', availableParallelism()],
    ['--experimental-personalization-api-key=', 'experimentalPersonalizationApiKey', null],
    ['--experimental-allowed-ip-networks any', 'experimentalAllowedIpNetworks', 'any'],
  ] as const)('%s', async (line, name, value) => {
    expect((await configOf(line))[name]).toEqual(value)
  })

  test.each([
    ['--nothing', "unexpected argument '--nothing' found"],
    ['--dbPath x', "unexpected argument '--dbPath' found"],
    ['-x', "unexpected argument '-x' found"],
    ['start', "unexpected argument 'start' found"],
    ['--db-path', "a value is required for '--db-path <DB_PATH>' but none was supplied"],
    ['--db-path=', "invalid value '' for '--db-path <DB_PATH>': expected a path"],
    ['--db-path a --db-path b', 'cannot be used multiple times'],
    ['--no-analytics --no-analytics', 'cannot be used multiple times'],
    ['--experimental-remote-search-timeout-seconds 5', 'unexpected argument'],
    ['--http-addr 7700', "invalid value '7700' for '--http-addr <HTTP_ADDR>'"],
    ['--http-addr a:70000', 'expected a port from 0 to 65535'],
    ['--http-addr ::1:80', 'IPv6 addresses in brackets'],
    ['--http-addr http://a:80', 'expected `host:port` without `http://`'],
    ['--http-addr 7700', 'the host is missing'],
    ['--http-addr :7700', 'the host is missing, for example `localhost:7700`'],
    ['--http-adr a:80', "unexpected argument '--http-adr' found; did you mean '--http-addr'?"],
    ['--db_path a', "did you mean '--db-path'?"],
    ['--port 7700', "did you mean '--http-addr'?"],
    ['--db data.ms', "unexpected argument '--db' found; did you mean '--db-path'?"],
    ['--config x', "did you mean '--config-file-path'?"],
    ['--experimental x', "'--experimental' found\n"],
    ['-p 7700', "'-p' found\n"],
    ['--env production --ssl-cert-path a', "needs '--ssl-key-path <SSL_KEY_PATH>' as well"],
    ['--env production --ssl-key-path a', "needs '--ssl-cert-path <SSL_CERT_PATH>' as well"],
    ['--env prod', 'expected one of `development`, `production`'],
    ['--log-level loud', 'expected one of `OFF`, `ERROR`'],
    ['--task-webhook-url nowhere', 'expected an absolute URL'],
    ['--http-payload-size-limit many', 'expected a size such as `100MB` or `2GiB`'],
    ['--http-payload-size-limit 0', 'expected a size above 0 bytes'],
    ['--experimental-objstore-multipart-part-size 10MiB', 'above 10 MiB and below 8 GiB'],
    ['--experimental-objstore-multipart-part-size 8GiB', 'above 10 MiB and below 8 GiB'],
    ['--objstore-bucket-url ftp://a', 'expected an http or https URL'],
    ['--objstore-bucket-url http://a?b', 'expected a URL without user, query and fragment'],
    ['--objstore-bucket-name a/b', 'expected a name of letters, digits'],
    ['--objstore-snapshot-prefix a/../b', 'expected a path with slashes'],
    ['--objstore-retention 0', 'expected a whole number from 1'],
    ['--experimental-objstore-compression-level 10', 'expected a whole number 0 to 9'],
    ['--experimental-drop-search-after 0', 'expected a whole number from 1'],
    ['--experimental-search-queue-size 1e3', 'expected a whole number from 0'],
    ['--experimental-objstore-signature-duration-seconds 604801', 'number 1 to 604800'],
    ['--objstore-bucket-url ftp://a', 'expected an http or https URL'],
    ['--schedule-snapshot 0', 'expected a whole number of seconds, at least 1'],
    ['--experimental-allowed-ip-networks 10.0.0.1/8', 'bits set after its prefix'],
    ['--preview-images https://a.example,b', 'without a path'],
    ['--preview-images https://a.example/x', 'without a path'],
    ['--preview-images ftp://a.example', 'without a path'],
    ["--preview-images https://a.example;x'self'", 'without a path'],
    ['--experimental-allowed-ip-networks 10.0.0.0/33', 'needs a prefix of 0 to 32 bits'],
    ['--experimental-allowed-ip-networks any,x', '`x` is not a network'],
    ['--ignore-missing-dump', 'were not provided:\n  --import-dump <IMPORT_DUMP>'],
    ['--ignore-snapshot-if-db-exists', '--import-snapshot <IMPORT_SNAPSHOT>'],
    [
      '--import-dump a --import-snapshot b',
      "the argument '--import-dump <IMPORT_DUMP>' cannot be used with " +
        "'--import-snapshot <IMPORT_SNAPSHOT>'",
    ],
    ['--objstore-access-key a', '--objstore-secret-key <OBJSTORE_SECRET_KEY>'],
    ['--objstore-retention 3', '--objstore-incremental'],
    ['--objstore-incremental', '--objstore-bucket-url <OBJSTORE_BUCKET_URL>'],
    [
      '--experimental-objstore-compression-level 3',
      '--objstore-snapshot-prefix <OBJSTORE_SNAPSHOT_PREFIX>',
    ],
    [
      '--objstore-bucket-url http://a --objstore-bucket-region r --objstore-bucket-name n ' +
        '--objstore-snapshot-prefix p',
      '--objstore-access-key <OBJSTORE_ACCESS_KEY>',
    ],
    [
      '--objstore-access-key a --objstore-secret-key b --experimental-objstore-role-arn c',
      'cannot be used with',
    ],
  ])('%s is refused', async (line, message) => {
    const fault = await faultOf(() => configOf(line))
    expect(fault.exitCode).toBe(2)
    expect(fault.message).toMatch(/^error: /)
    expect(fault.message).toContain(message)
    expect(fault.message).toContain("For more information, try '--help'.")
  })

  test('a fault of the environment names its variable, and no secret', async () => {
    const fault = await faultOf(() => configOf('', { SVC_NO_ANALYTICS: '1' }))
    expect(fault.exitCode).toBe(2)
    expect(fault.message).toContain(
      "invalid value '1' for '--no-analytics' (from SVC_NO_ANALYTICS)",
    )
    const companion = await faultOf(() => configOf('', { SVC_IGNORE_MISSING_DUMP: 'true' }))
    expect(companion.message).toContain('--import-dump <IMPORT_DUMP>')
    expect((await configOf('', { SVC_IGNORE_MISSING_DUMP: 'false' })).ignoreMissingDump).toBe(false)
  })

  test.each([
    'experimental-personalization-api-key',
    'objstore-access-key',
    'objstore-secret-key',
    'task-webhook-authorization-header',
  ])('--%s has to fit into a header', async (option) => {
    const variable = `SVC_${option.replaceAll('-', '_').toUpperCase()}`
    for (const end of ['\n', '\r\nX-Evil: 1', '\u0001']) {
      const fault = await faultOf(() => configOf('', { [variable]: `hidden-key${end}` }))
      expect(fault.message).toContain(
        end === '\n' ? 'it ends with a line end' : 'which no HTTP header can carry',
      )
      expect(fault.message).toContain(variable)
      expect(fault.message).not.toContain('hidden-key')
    }
    const name = option.replaceAll('-', '_')
    const fault = await withFile(`${name} = "hidden-key\\n"`, (path) =>
      faultOf(() => configOf(`--config-file-path ${path}`)),
    )
    expect(fault.message).toContain('it ends with a line end')
    expect(fault.message).not.toContain('hidden-key')
  })

  test('a secret in an unreadable file is not repeated', async () => {
    const fault = await withFile('master_key = a-very-secret-key', (path) =>
      faultOf(() => configOf(`--config-file-path ${path}`)),
    )
    expect(fault.message).toContain('quotes: master_key = "…"')
    expect(fault.message).not.toContain('secret')
  })

  test('the master key can be in a file', async () => {
    const keyOf = (path: string) => configOf(`--master-key-file ${path}`)
    const config = await withFile('a key of sixteen bytes\r\nmore', keyOf)
    expect(config.masterKey).toBe('a key of sixteen bytes')
    const theirs = { MEILI_MASTER_KEY: 'x' }
    await withFile('key', (path) => configOf(`--master-key-file ${path}`, theirs))
    const empty = await withFile('\nkey', (path) => faultOf(() => keyOf(path)))
    expect(empty.message).toContain('is empty: expected the master key in its first line')
    const missing = await faultOf(() => keyOf('nowhere/key'))
    expect(missing).toMatchObject({ exitCode: 2 })
    expect(missing.message).toContain('"nowhere/key" of \'--master-key-file\' cannot be read')
    const both = await faultOf(() => configOf('--master-key a --master-key-file b'))
    expect(both.message).toContain("'--master-key-file <MASTER_KEY_FILE>'")
  })

  test('incomplete TLS options are refused only in production', async () => {
    expect((await configOf('--ssl-cert-path a')).sslCertPath).toBe('a')
    const both = '--env production --ssl-cert-path a --ssl-key-path b'
    expect((await configOf(both)).sslKeyPath).toBe('b')
  })

  test('variables of Meilisearch are refused by name, unless the option has a value', async () => {
    const theirs = { MEILI_MASTER_KEY: 'a-secret-of-theirs', MEILI_DB_PATH: 'x', MEILI_ENV: '' }
    const fault = await faultOf(() => configOf('--db-path y', theirs))
    expect(fault.exitCode).toBe(2)
    expect(fault.message).toContain('\n  MEILI_MASTER_KEY: rename it to SVC_MASTER_KEY\n')
    expect(fault.message).not.toMatch(/DB_PATH|MEILI_ENV|secret/)
    const config = await configOf('', { ...theirs, SVC_MASTER_KEY: 'k', SVC_DB_PATH: 'z' })
    expect(config).toMatchObject({ masterKey: 'k', dbPath: 'z', warnings: [] })
    expect((await configOf('', { MEILI_OTHER: '1' })).warnings).toEqual([
      'MEILI_OTHER has no effect: this server has no option of that name',
    ])
  })

  test('misspelt variables of ours cause a warning, those of orchestrators do not', async () => {
    const { warnings } = await configOf('', {
      SVC_MASTERKEY: 'a-secret-of-ours',
      SVC_UNHEARD_OF: '1',
      SVC_OPENAI_API_KEY: 'k',
      SVC_UPGRADE_DB: 'false',
      SVC_SEARCH_SERVICE_HOST: '10.0.0.1',
      SVC_SEARCH_SERVICE_PORT_HTTP: '7700',
      SVC_SEARCH_PORT: 'tcp://10.0.0.1:7700',
      SVC_SEARCH_PORT_7700_TCP_ADDR: '10.0.0.1',
    })
    expect(warnings).toEqual([
      'SVC_MASTERKEY has no effect: did you mean SVC_MASTER_KEY?',
      'SVC_UNHEARD_OF has no effect: this server has no option of that name',
    ])
  })

  test('prints a help page with every flag, and the release', async () => {
    const help = await readCommandLine(['--db-path', 'x', '--help'])
    if (help.kind !== 'print') throw new Error('it does not print')
    for (const name of OPTION_NAMES) {
      const { flag } = namesOf(name)
      if (flag !== null) expect(help.text).toContain(`--${flag}`)
    }
    for (const name of OPTION_NAMES) {
      const { group, environmentOnly } = OPTIONS[name] as Option<unknown>
      const shown = environmentOnly === true ? `\n  ${variableName(name)}  ` : `\n${group}:\n`
      expect(help.text).toContain(shown)
    }
    for (const line of help.text.split('\n')) expect(line.length).toBeLessThanOrEqual(100)
    expect(help.text).toContain('\n  --env <development|production>\n')
    expect(help.text).toContain('[default: localhost:7700]')
    expect(await readCommandLine(['-V'])).toEqual({
      kind: 'print',
      text: `svc-server ${RELEASE.version}\n`,
    })
  })

  test('fits help to the terminal, has a short form, and uses the name of the program', async () => {
    const lines = helpPage(60).split('\n')
    const wide = lines.filter((line) => line.length > 60)
    // Names of options cannot be broken.
    expect(wide.filter((line) => !/^ {2}(--|SVC_)/.test(line))).toEqual([])
    const short = await readCommandLine(['-h'])
    if (short.kind !== 'print') throw new Error('it does not print')
    expect(short.text).toContain('--http-addr <HOST:PORT>')
    expect(short.text.split('\n').length).toBeLessThan(50)
    const [node = '', program = ''] = process.argv
    process.argv.splice(0, 2, node, '/usr/local/bin/svc-search')
    const named = shortHelpPage(80)
    process.argv.splice(0, 2, node, program)
    expect(named).toMatch(/^Usage: svc-search \[OPTIONS\]\n/)
  })

  test('reads plain lines the same way with both readers', async () => {
    const flags = fc.constantFrom('--no-analytics', '--ssl-tickets')
    const valued = fc
      .tuple(
        fc.constantFrom('--db-path', '--log-level', '--dump-dir'),
        fc.stringMatching(/^\w{1,9}$/),
      )
      .chain(([flag, value]) => fc.constantFrom([flag, value], [`${flag}=${value}`]))
    const line = fc.uniqueArray(
      fc.oneof(
        flags.map((flag) => [flag]),
        valued,
      ),
      {
        selector: (words) => words[0]!.split('=')[0],
        maxLength: 4,
      },
    )
    await fc.assert(
      fc.asyncProperty(line, async (groups) => {
        const words = groups.flat()
        const plain = readPlainly(words)
        const full = await readWithYargs(words)
        expect(full.kind === 'run' && new Map([...full.options].sort())).toEqual(
          new Map([...plain!].sort()),
        )
      }),
      { numRuns: 30 },
    )
  })
})

describe('values', () => {
  test.each([
    ['0', 0],
    ['1000', 1000],
    ['100 MB', 100_000_000],
    ['100M', 100_000_000],
    ['2 GiB', 2 * 1024 ** 3],
    ['1.5 kib', 192],
    ['1.5 KiB', 1536],
    ['1.5 KB', 1500],
    ['107.7Gb', 13_462_500_000],
    ['8 bit', 1],
    ['12 bits', 1],
    ['3Kibit', 384],
    ['7 B', 7],
    ['1.', 1],
    ['1 tb', 125_000_000_000],
    ['9999 EB', Number.MAX_SAFE_INTEGER],
    ['18446744073709551615', Number.MAX_SAFE_INTEGER],
  ])('%s is %i bytes', (text, bytes) => {
    expect(parseByteSize(text)).toBe(bytes)
  })

  test.each(['', 'MB', '.5', '-1', '+1', '1 XB', '1,5 MB', '1e3', '1 M B', 'Infinity'])(
    '%s is not a size',
    (text) => {
      expect(() => parseByteSize(text)).toThrow()
    },
  )

  test.each([
    ['1.2.3.4', [1, 2, 3, 4]],
    ['::', new Array(16).fill(0)],
    ['::1', [...new Array(15).fill(0), 1]],
    ['fd00::', [0xfd, ...new Array(15).fill(0)]],
    ['1:2:3:4:5:6:7:8', [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 0, 7, 0, 8]],
    ['::ffff:1.2.3.4', [...new Array(10).fill(0), 255, 255, 1, 2, 3, 4]],
  ])('%s is an address', (text, bytes) => {
    expect([...addressBytes(text)!]).toEqual(bytes)
  })

  test.each(['', '1.2.3', '1.2.3.256', ':', 'g::', 'fe80::1%eth0', 'a.b.c.d'])(
    '%s is not an address',
    (text) => {
      expect(addressBytes(text)).toBeNull()
    },
  )
})

describe('the master key', () => {
  const LONG = 'x'.repeat(16)

  test('must be long in production', () => {
    checkMasterKey(LONG, 'production')
    checkMasterKey(null, 'development')
    checkMasterKey('short', 'development')
    const missing =
      /^You must provide a master key .* option\.\n\nWe .*\n {2}export SVC_MASTER_KEY=[\w-]{43}$/s
    expect(() => checkMasterKey(null, 'production')).toThrow(missing)
    expect(() => checkMasterKey('é'.repeat(7), 'production')).toThrow('is only 14 bytes.')
  })

  test('is described in notices and warnings', () => {
    const texts = (key: string | null) => masterKeyNotices(key).map(({ text }) => text)
    expect(texts(LONG)).toHaveLength(1)
    expect(texts('short')).toHaveLength(3)
    expect(texts(null)[0]).toContain('No master key was found.')
    for (const key of [null, 'short', LONG]) expect(texts(key).join()).not.toContain('xxxx')
  })
})

describe('numbers without a largest value', () => {
  const huge = '18446744073709551615'

  test('may be larger than exact numbers, in every place', async () => {
    const variable = 'SVC_EXPERIMENTAL_MAX_NUMBER_OF_BATCHED_TASKS'
    const set = await configOf('', { [variable]: huge })
    expect(set.experimentalMaxNumberOfBatchedTasks).toBe(Number.MAX_SAFE_INTEGER)
    const line = await configOf(`--experimental-limit-batched-tasks-total-size ${huge}`)
    expect(line.experimentalLimitBatchedTasksTotalSize).toBe(Number.MAX_SAFE_INTEGER)
    expect(count().fromToml(2n ** 63n - 1n)).toBe(Number.MAX_SAFE_INTEGER)
    expect(() => count().fromToml(1e300)).toThrow('expected a whole number')
    expect(() => count(0, 9).fromText(huge)).toThrow('expected a whole number 0 to 9')
  })
})

test('the failure modes of embedders may have spaces around them', async () => {
  const variable = 'SVC_EXPERIMENTAL_CONFIG_EMBEDDER_FAILURE_MODES'
  const modes = ' ignore_embedder_failures , ignore_document_template_failures,'
  expect((await configOf('', { [variable]: modes })).embedderFailures).toEqual({
    ignoresEmbedders: true,
    ignoresTemplates: true,
  })
  const fault = await faultOf(() => configOf('', { [variable]: 'ignore_nothing' }))
  expect(fault.message).toContain("invalid value 'ignore_nothing'")
})
