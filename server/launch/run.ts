// A running server over an open engine: its routes, listening, and an orderly stop.
import { randomUUID } from 'node:crypto'
import { createDefaultKeys, type Engine, type Send, type Webhook } from '../../engine/index.ts'
import { authorisation, keyPermits } from '../auth/index.ts'
import { type BodyName, BodyReader } from '../bodies/index.ts'
import { type Config, OPTION_NAMES, OPTIONS, type Option, RELEASE } from '../config/index.ts'
import {
  type Address,
  HttpServer,
  type ReadBody,
  Router,
  type ServerMaker,
  type TlsServerMaker,
  tlsServerMaker,
} from '../http/index.ts'
import type { Route } from '../http/messages/index.ts'
import type { Log } from '../log/index.ts'
import { EventTally, Metrics, RequestTally, StatsHistory } from '../metrics/index.ts'
import { NetworkService } from '../network/index.ts'
import { registrationReader, withMembership } from '../network/writes/index.ts'
import {
  batchLog,
  isSearch,
  requestLog,
  SlowSearches,
  scheduleSnapshots,
} from '../observe/index.ts'
import { withDescription } from '../openapi/index.ts'
import { caller, modelCaller, providerCaller } from '../outbound/index.ts'
import { type Personalizer, personalizer } from '../personalize/index.ts'
import { withPreview } from '../preview/index.ts'
import { taskOf, taskStreams } from '../routes/context/index.ts'
import { allRoutes, LAUNCH_WEBHOOK } from '../routes/index.ts'
import { Delivery } from '../webhooks/index.ts'
import { withAcknowledgement } from './acknowledge.ts'
import { launchFeatures } from './engine-options.ts'
import { readRegistration } from './replication.ts'
import { listenFailure } from './start-failure.ts'
import { withWriteWait } from './write-wait.ts'

export type Running = {
  readonly address: Address
  readonly engine: Engine
  readonly http: HttpServer
  /** Refuses new requests, finishes running ones, closes the engine. */
  readonly stop: () => Promise<void>
  /**
   * Ends everything but the HTTP server and the engine, for another engine in its place: requests
   * wait until that one runs. Those that run may take `ms`.
   */
  readonly leave: (ms: number) => Promise<void>
}

const guarded = (
  routes: readonly Route[],
  engine: Engine,
  instances: NetworkService,
  isMemberKey: ReturnType<typeof keyPermits>,
): readonly Route[] =>
  withMembership(
    withWriteWait(withAcknowledgement(routes, engine), { engine, instances }),
    isMemberKey,
  )

/**
 * Starts to listen; the engine must be open. `preview`: the folder of the page that browsers get in
 * development mode, or null for no page. `serving`: the factory of the server if its TLS files have
 * already been read, or the server that listens already. `bodyThread`: the entry file of the thread
 * that reads large bodies, or null to read them on the main thread.
 * @throws any error of listening
 */
export async function run(
  config: Config,
  engine: Engine,
  log: Log,
  preview: URL | null = null,
  serving: ServerMaker | Pick<Running, 'http' | 'address'> | null = null,
  bodyThread: URL | null = null,
  send: Send = caller(config.experimentalAllowedIpNetworks),
): Promise<Running> {
  warnAboutOptions(config, log)
  if (engine.follows === null) await prepare(config, engine)
  const launchWebhook = launchWebhookOf(config)
  const events = new EventTally()
  const delivery = deliveryOf(config, engine, launchWebhook, log.for('svc::webhooks'), events)
  watchTasks(engine, delivery, batchLog(engine.tasks, log))
  const requests = new RequestTally()
  const authorise = authorisation({ masterKey: config.masterKey, keys: engine.keys, now: Date.now })
  const isMemberKey = keyPermits(authorise, 'network.update')
  const instances = networkService(config, engine, isMemberKey, send, log.for('svc::network'))
  const network = () => instances.measures()
  const connections = () => http.connections
  const streams = taskStreams(engine)
  const history = new StatsHistory(() => engine.administration.sizes(), Date.now)
  const metrics = new Metrics({ engine, requests, events, network, connections, now: Date.now })
  const bodies = bodyReader(bodyThread, log.for('svc::bodies'))
  const api = allRoutes({
    engine,
    registrationOf: registrationOf(config, engine),
    instances,
    release: RELEASE,
    models: modelCaller(config.experimentalAllowedIpNetworks),
    personalizer: personalizerOf(config, log.for('svc::personalization')),
    masterKey: config.masterKey,
    launchWebhook,
    log,
    metrics,
    history,
    streams,
    authorise,
    readBody: bodyReading(bodies),
    events,
  })
  const routes = withPages(api, preview, config)
  const slow = slowSearchesOf(config, log)
  const { http, address } = await listening(config, serving, log, {
    router: new Router(guarded(routes, engine, instances, isMemberKey)),
    authorise,
    ...bodyLimits(config),
    readBody: bodyReading(bodies),
    log: requestLog(log, requests, () => engine.administration.features.metrics, slow),
    ...(slow === null ? {} : { logsBody: isSearch }),
  })
  instances.start()
  const unschedule = snapshotsOf(config, engine, log.for('svc::snapshots'))
  const end = async (http: Promise<void>): Promise<void> => {
    unschedule()
    history.stop()
    log.stream?.end()
    streams.end()
    await Promise.all([instances.stop(), http])
    await bodies.close()
    await delivery.stop()
  }
  return {
    address,
    engine,
    http,
    stop: async () => {
      await end(http.stop())
      await engine.close()
    },
    leave: (ms) => end(http.hold(ms)),
  }
}

/** Has the tasks that finish together announced and logged. */
function watchTasks(
  { tasks }: Engine,
  delivery: Pick<ReturnType<typeof deliveryOf>, 'announce'>,
  logBatch: ReturnType<typeof batchLog>,
): void {
  tasks.watch((ended) => {
    delivery.announce(ended)
    logBatch(ended)
  })
}

/** Listens, or answers by other options where a server listens already. */
async function listening(
  config: Config,
  serving: ServerMaker | Pick<Running, 'http' | 'address'> | null,
  log: Log,
  options: ConstructorParameters<typeof HttpServer>[0],
): Promise<Pick<Running, 'http' | 'address'>> {
  if (serving !== null && typeof serving !== 'function') {
    serving.http.replace(options)
    return serving
  }
  const http = new HttpServer(options, serving ?? tlsMaker(config))
  const address = await http.listen(config.httpAddr).catch((error: unknown) => {
    throw listenFailure(error, config.httpAddr)
  })
  log.info('listening', { host: address.host, port: address.port })
  return { http, address }
}

/**
 * Adds the API description, and the pages of browsers if their files exist. In production, at most the
 * page that searches is added, for reading alone.
 */
function withPages(api: readonly Route[], preview: URL | null, config: Config): readonly Route[] {
  const { env, previewInProduction, previewImages } = config
  const isReadOnly = env === 'production'
  if (isReadOnly && !previewInProduction) return api
  const described = isReadOnly ? api : withDescription(api)
  if (preview === null) return described
  return withPreview(described, preview, { isReadOnly, images: previewImages ?? [] })
}

const slowSearchesOf = ({ slowSearchThreshold: ms }: Config, log: Log): SlowSearches | null =>
  ms === null ? null : new SlowSearches(log.for('svc::search'), ms)

const bodyLimits = (config: Config): { bodyBytesMax: number; jsonBytesMax: number } => ({
  bodyBytesMax: config.httpPayloadSizeLimit,
  jsonBytesMax: config.httpJsonPayloadSizeLimit,
})

const registrationOf = (config: Config, engine: Engine): ReturnType<typeof registrationReader> =>
  registrationReader(
    engine,
    config.masterKey === null,
    config.experimentalReplicationParameters ? readRegistration : ignoreHeaders,
  )

const networkService = (
  config: Config,
  engine: Engine,
  isMemberKey: (key: string) => boolean,
  send: Send,
  log: Log,
): NetworkService =>
  new NetworkService({
    engine,
    send,
    writes: {
      connectMs: config.experimentalProxyConnectTimeoutSeconds * 1000,
      requestMs: config.experimentalProxyRequestTimeoutSeconds * 1000,
      backoffMs: config.experimentalProxyBackoffTimeoutSeconds * 1000,
    },
    searchMs: config.experimentalRemoteSearchTimeoutSeconds * 1000,
    backlogBytesMax: config.experimentalNetworkBacklogSize,
    hedges: config.experimentalNetworkHedging,
    isOpen: config.masterKey === null,
    isMemberKey,
    report: (message, error) => log.warn(message, { cause: String(error) }),
  })

/** Returns null if no key for a personalization provider is set. */
function personalizerOf(config: Config, log: Log): Personalizer | null {
  const { experimentalPersonalizationApiKey: apiKey, experimentalPersonalizationUrl: url } = config
  if (apiKey === null) return null
  const send = providerCaller(config.experimentalAllowedIpNetworks)
  return personalizer({ url, apiKey, send }, (message) => log.warn(message))
}

/** Starts scheduled snapshots if options ask for them; the returned function stops them. */
const snapshotsOf = (config: Config, engine: Engine, log: Log): (() => void) =>
  scheduleSnapshots(
    engine.tasks,
    engine.follows === null ? config.scheduleSnapshot : null,
    (message) => log.error(message),
  )

/** Without the option, the headers of replication are ignored. */
const ignoreHeaders = (): undefined => undefined

const bodyReading =
  (bodies: BodyReader): ReadBody =>
  (source, body, details) =>
    bodies.read(source, body.reader as BodyName, ...(details as [])) as Promise<never>

const bodyReader = (file: URL | null, log: Log): BodyReader =>
  new BodyReader({
    file,
    report: (message, error) => log.error(message, { cause: String(error) }),
  })

function warnAboutOptions({ explicitOptions: given, ...config }: Config, log: Log): void {
  if ((config.sslCertPath === null) !== (config.sslKeyPath === null)) {
    log.warn('TLS is off: it needs both --ssl-cert-path and --ssl-key-path')
  }
  for (const name of OPTION_NAMES) {
    const { later } = OPTIONS[name] as Option<unknown>
    if (later !== undefined && given.has(name)) log.warn(`option ${name} is accepted, but ${later}`)
  }
}

/** Prepares an engine that accepts writes, before the first request. */
async function prepare(config: Config, engine: Engine): Promise<void> {
  await switchFeaturesOn(config, engine)
  // Without the function, `node:crypto` would be loaded here, also where no key is created.
  await createDefaultKeys(engine.keys, () => randomUUID())
}

/** Options switch a feature on at each start; only the route switches it off. */
async function switchFeaturesOn(config: Config, engine: Engine): Promise<void> {
  const missing = launchFeatures(config).filter(
    (feature) => !engine.administration.features[feature],
  )
  if (missing.length === 0) return
  await engine.administration.setFeatures(
    Object.fromEntries(missing.map((feature) => [feature, true])),
  )
}

function launchWebhookOf({
  taskWebhookUrl: url,
  taskWebhookAuthorizationHeader: authorization,
}: Config): Webhook | null {
  if (url === null) return null
  const headers = authorization === null ? {} : { Authorization: authorization }
  return { uuid: LAUNCH_WEBHOOK, url, headers }
}

function deliveryOf(
  config: Config,
  engine: Engine,
  launchWebhook: Webhook | null,
  log: Log,
  events: EventTally,
): Delivery {
  const first = launchWebhook === null ? [] : [launchWebhook]
  return new Delivery({
    send: caller(config.experimentalAllowedIpNetworks, true),
    webhooks: () => [...first, ...engine.webhooks.list()],
    view: async (uid) => {
      const task = await engine.tasks.get(uid, null)
      return task === null ? null : taskOf(task)
    },
    report: (message) => log.error(message),
    failed: (uuid) => events.webhookFailure(uuid),
  })
}

/**
 * Returns a factory for a TLS server if both files are configured; with only one of them the server
 * uses plain HTTP. @throws Error with a message for the operator
 */
export function tlsMaker(config: Config): TlsServerMaker | undefined {
  const { sslCertPath: certPath, sslKeyPath: keyPath } = config
  if (certPath === null || keyPath === null) return undefined
  return tlsServerMaker({
    certPath,
    keyPath,
    authPath: config.sslAuthPath,
    ocspPath: config.sslOcspPath,
    requireAuth: config.sslRequireAuth,
    resumption: config.sslResumption,
    tickets: config.sslTickets,
    keyLogPath: config.keyLogPath,
  })
}
