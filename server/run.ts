// A running server over an engine: routes, listening, stopping in order.
import { randomUUID } from 'node:crypto'
import type { Engine } from '../engine/api.ts'
import { createDefaultKeys } from '../engine/keys/index.ts'
import { authorisation } from './auth/index.ts'
import { type Config, OPTION_NAMES, OPTIONS, type Option, RELEASE } from './config/index.ts'
import {
  type Address,
  type HttpLog,
  HttpServer,
  loadTls,
  Router,
  type ServerMaker,
} from './http/index.ts'
import type { Log } from './log/index.ts'
import { allRoutes } from './routes/index.ts'

export type Running = {
  readonly address: Address
  /** Takes no more requests, finishes those that run, closes the engine. */
  readonly stop: () => Promise<void>
}

/** Starts to listen; the engine is open. @throws what listening fails with */
export async function run(config: Config, engine: Engine, log: Log): Promise<Running> {
  sayWhatComesLater(config, log)
  await switchFeaturesOn(config, engine)
  await createDefaultKeys(engine.keys, randomUUID)
  const routes = allRoutes({
    engine,
    release: RELEASE,
    canPersonalize: config.experimentalPersonalizationApiKey !== null,
    masterKey: config.masterKey,
  })
  const http = new HttpServer(
    {
      router: new Router(routes),
      authorise: authorisation({
        masterKey: config.masterKey,
        keys: engine.keys,
        now: Date.now,
      }),
      bodyBytesMax: config.httpPayloadSizeLimit,
      log: httpLog(log.for('svc::http')),
    },
    await tlsMaker(config),
  )
  const address = await http.listen(config.httpAddr)
  log.info('listening', { host: address.host, port: address.port })
  return {
    address,
    stop: async () => {
      await http.stop()
      await engine.close()
    },
  }
}

function sayWhatComesLater({ given }: Config, log: Log): void {
  for (const name of OPTION_NAMES) {
    const { later } = OPTIONS[name] as Option<unknown>
    if (later !== undefined && given.has(name)) log.warn(`option ${name} is accepted, but ${later}`)
  }
}

/** Options switch a feature on at each start; switching it off is for the route. */
async function switchFeaturesOn(config: Config, engine: Engine): Promise<void> {
  const patch = {
    ...(config.experimentalContainsFilter ? { containsFilter: true } : {}),
    ...(config.experimentalEnableLogsRoute ? { logsRoute: true } : {}),
    ...(config.experimentalEnableMetrics ? { metrics: true } : {}),
  }
  const isNews = Object.keys(patch).some((name) => !engine.features[name as keyof typeof patch])
  if (isNews) await engine.setFeatures(patch)
}

/** TLS where both files are given; with one alone it is plain HTTP. */
function tlsMaker(config: Config): Promise<ServerMaker> | undefined {
  const { sslCertPath: certPath, sslKeyPath: keyPath } = config
  if (certPath === null || keyPath === null) return undefined
  return loadTls({
    certPath,
    keyPath,
    authPath: config.sslAuthPath,
    ocspPath: config.sslOcspPath,
    requireAuth: config.sslRequireAuth,
    tickets: config.sslTickets,
  })
}

/** A path may hold the text of a key, spelt with escapes or without; it is a secret. */
const withoutKey = (path: string): string => path.replace(/[0-9a-f%]{64,}/gi, '…')

const httpLog = (log: Log): HttpLog => ({
  failed: (route, error) => {
    const cause = error.cause instanceof Error ? (error.cause.stack ?? '') : String(error.cause)
    log.error(error.message, {
      method: route.method,
      route: route.path,
      code: error.code,
      cause: error.cause === undefined ? undefined : cause,
    })
  },
  answered: log.shows('DEBUG')
    ? (method, path, status, millis) =>
        log.debug('HTTP request', {
          method,
          path: withoutKey(path),
          status,
          millis: Number(millis.toFixed(3)),
        })
    : null,
})
