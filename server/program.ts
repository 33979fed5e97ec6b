// The server as a program: options, engine, listening, stopping. It is the only place that ends the
// process. ./main.ts loads it.
import { isatty } from 'node:tty'
import type { Worker } from 'node:worker_threads'
import {
  type Engine,
  type EngineOptions,
  leanCompilation,
  nativeReports,
  openEngine,
  openFollower,
  raiseMainThread,
  watchMemory,
} from '../engine/index.ts'
import {
  type Config,
  checkMasterKey,
  LaunchError,
  masterKeyWarning,
  RELEASE,
  readCommandLine,
  readConfig,
} from './config/index.ts'
import type { TlsServerMaker } from './http/index.ts'
import {
  banner,
  engineOptions,
  folderFailure,
  followOptions,
  importAtLaunch,
  keepAfterStart,
  launchFeatures,
  publishingCaller,
  publishOptions,
  type RoleParts,
  Roles,
  type Running,
  run,
  type ServiceManager,
  serviceManager,
  tlsMaker,
} from './launch/index.ts'
import { Log, StderrLines, writeStderr } from './log/index.ts'

const STDERR = 2
const INTERRUPTED = 130
/** Milliseconds before native packages are examined: the first requests have precedence. */
const NATIVES_PAUSE_MS = 1500

/** The entry files of the threads, and the first search thread if it already runs. */
export type Workers = {
  readonly search: URL
  readonly index: URL
  readonly archive: URL
  readonly template: URL
  readonly models: URL
  readonly bodies: URL
  readonly firstSearch: Worker | null
}

/** Set if the compiled form of this program lacks code: see `onWarm`. */
let keepCompiled = (): void => undefined

/** For `launch.cjs`: `keep` is called once all code of a usual start has run. */
export const onWarm = (keep: () => void): void => {
  keepCompiled = keep
}

/**
 * Runs until a signal stops it; a failure to start ends the process with a message. `preview` is
 * the folder with the files of the preview page.
 */
export function start(workers: Workers, preview: URL): void {
  // The operator sees only the text of the failure.
  main(workers, preview).catch(end)
}

async function main(workers: Workers, preview: URL): Promise<void> {
  const line = await readCommandLine(process.argv.slice(2))
  if (line.kind === 'print') return void process.stdout.write(line.text)
  const config = await readConfig(line.options, process.env)
  const lines = new StderrLines()
  process.on('exit', lines.flush)
  const log = logOf(config, lines)
  const isText = config.experimentalLogsMode === 'human' || !log.shows('ERROR')
  try {
    checkMasterKey(config.masterKey, config.env, isText)
    await startServer(config, workers, preview, log, lines)
  } catch (error) {
    lines.flush()
    if (isText) throw error
    // With JSON lines, the failure is a JSON object as well.
    const [message = '', ...reasons] = causes(error)
    log.error(message, reasons.length === 0 ? {} : { cause: reasons.join(': ') })
    lines.flush()
    process.exit(error instanceof LaunchError ? error.exitCode : 1)
  }
}

/** The banner is for a person at a terminal; a log gets the same facts as an event. */
const hasBanner = (config: Config): boolean =>
  config.experimentalLogsMode === 'human' && isatty(STDERR)

/** Names the native packages that cannot be used, and what is used instead. */
function logNatives(log: Log): void {
  const missing: { [name: string]: string } = {}
  for (const { name, missing: found } of nativeReports()) {
    if (found !== null) missing[name.replace('-', '_')] = `${found.instead} (${found.reason})`
  }
  if (Object.keys(missing).length === 0) return
  log.info('running without native packages: svc-tools doctor says more', missing)
}

function logStart(config: Config, log: Log): void {
  for (const warning of config.warnings) log.warn(warning)
  if (hasBanner(config)) return
  const { version, commitSha } = RELEASE
  const { env, dbPath, configFilePath } = config
  log.info('starting', { version, commit: commitSha, env, db_path: dbPath, config: configFilePath })
  const warning = masterKeyWarning(config.masterKey)
  if (warning !== null) log.warn(warning)
}

async function startServer(
  config: Config,
  workers: Workers,
  preview: URL,
  log: Log,
  lines: StderrLines,
): Promise<void> {
  logStart(config, log)
  raiseMainThread()
  watchMemory(process.env)
  // Certificates are read before slow work, so that a wrong file is reported immediately.
  const serving = tlsMaker(config)
  const isImported = await importAtLaunch({
    config,
    log: log.for('svc::import'),
    indexWorker: workers.index,
    isWatched: isatty(STDERR),
    write: writeStderr,
  })
  const made = engineOptions(config, RELEASE.version, workers, log.for('svc::engine'))
  const options = { ...made, upgrade: made.upgrade || isImported }
  const serve = (engine: Engine, before: Running | null): Promise<Running> => {
    keepAfterStart(engine, keepCompiled)
    return run(config, engine, log, preview, before ?? serving ?? null, workers.bodies)
  }
  const running = await opened(config, options, log, serve).catch((error: unknown) => {
    throw folderFailure(error)
  })
  leanCompilation.begin()
  if (hasBanner(config)) {
    lines.flush()
    const address = { host: config.httpAddr.host, port: running.address.port }
    writeStderr(banner(config, address, mayColour()))
  }
  setTimeout(() => logNatives(log), NATIVES_PAUSE_MS).unref()
  const manager = serviceManager(process.env, (message, cause) => log.warn(message, { cause }))
  manager.notify('ready', `listening on port ${running.address.port}`)
  reloadOnSignal(serving ?? null, log, manager)
  stopOnSignals(running, log, lines, manager)
  exitWithMessage(log)
}

type Serving = Pick<Running, 'address' | 'stop'>

/** Opens the database and serves it, in the role that the options give this instance. */
async function opened(
  config: Config,
  options: EngineOptions,
  log: Log,
  serve: RoleParts['serve'],
): Promise<Serving> {
  const { objstoreWriterLease: leaseS } = config
  const store = options.snapshots?.store
  if (leaseS !== null && store !== undefined) {
    const roles = await Roles.start({
      config,
      leaseMs: leaseS * 1000,
      options,
      store,
      transport: publishingCaller(config),
      log,
      serve,
      exit: (error) => {
        log.error('the server ends: its files cannot be changed for its new role', {
          cause: error.message,
        })
        process.exit(1)
      },
    })
    return { address: roles.running.address, stop: () => roles.stop() }
  }
  const follow =
    config.follow === null ? null : followOptions(config, RELEASE.version, log.for('svc::follow'))
  const publish = publishOptions(config, options, log.for('svc::publish'), null)
  const engine =
    follow === null
      ? await openEngine({ ...options, ...publish })
      : await openFollower({ ...options, follow, alwaysOn: launchFeatures(config) })
  return serve(engine, null)
}

const logOf = (config: Config, lines: StderrLines): Log =>
  new Log({
    level: config.logLevel,
    mode: config.experimentalLogsMode,
    write: lines.write,
    now: () => performance.timeOrigin + performance.now(),
    colours: mayColour(),
  })

/** https://no-color.org: any non-empty value means no colours. */
const mayColour = (): boolean => isatty(STDERR) && (process.env['NO_COLOR'] ?? '') === ''

/** Reads a renewed certificate on SIGHUP, without a restart. */
function reloadOnSignal(serving: TlsServerMaker | null, log: Log, manager: ServiceManager): void {
  process.on('SIGHUP', () => {
    if (serving === null) {
      log.info('SIGHUP reloads the TLS files, but TLS is off')
      return
    }
    manager.notify('reloading', 'reading the TLS files')
    try {
      serving.reload()
      log.info('the TLS files were reloaded')
    } catch (error) {
      // If a file is missing or wrong, the old certificate stays active.
      const [problem, ...reasons] = causes(error)
      const details = { problem, ...(reasons.length === 0 ? {} : { cause: reasons.join(': ') }) }
      log.error('the TLS files could not be reloaded, the old ones stay active', details)
    }
    manager.notify('ready', 'listening')
  })
}

/** On the first signal, running requests finish; the second one ends the process immediately. */
function stopOnSignals(
  running: Serving,
  log: Log,
  lines: StderrLines,
  manager: ServiceManager,
): void {
  let isStopping = false
  const stop = (signal: NodeJS.Signals, exitCode: number): void => {
    if (isStopping) process.exit(exitCode)
    isStopping = true
    log.info('stopping', { signal })
    manager.notify('stopping', 'finishing running requests')
    running.stop().then(
      () => lines.drained().finally(() => process.exit(exitCode)),
      (error: unknown) => {
        log.error('stopping failed', { cause: String(error) })
        process.exit(1)
      },
    )
  }
  process.on('SIGTERM', (signal) => stop(signal, 0))
  process.on('SIGINT', (signal) => stop(signal, INTERRUPTED))
}

/**
 * Logs an uncaught exception, which is a defect, in one line and ends the process. Data on disk
 * stays consistent.
 */
function exitWithMessage(log: Log): void {
  process.on('uncaughtException', (error) => {
    log.error('the server ended after an unexpected error', { cause: error.stack ?? String(error) })
    process.exit(1)
  })
}

function end(error: unknown): void {
  if (error instanceof LaunchError && error.exitCode === 2) {
    writeStderr(`${error.message}\n`)
  } else {
    writeStderr(`Error: ${causes(error).join('\n\nCaused by:\n    ')}\n`)
  }
  process.exit(error instanceof LaunchError ? error.exitCode : 1)
}

/** Returns the messages of an error and of its causes. */
function causes(error: unknown): readonly string[] {
  if (!(error instanceof Error)) return [String(error)]
  return [error.message, ...(error.cause === undefined ? [] : causes(error.cause))]
}
