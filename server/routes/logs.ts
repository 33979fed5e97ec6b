// The log over HTTP: listening to it, and changing what stderr shows. One listener at a time.
import { ApiError } from '../errors/index.ts'
import { type Caller, type Reply, type Route, type Rules, route } from '../http/index.ts'
import { type Log, LogStream } from '../log/index.ts'
import { type LogStreamRequest, readLogStreamQuery, readLogTargetQuery } from '../parse/index.ts'
import { checkFeature } from './gates.ts'
import type { RouteOptions } from './options.ts'

const CHANGE: Rules = { permits: 'metrics.get', body: 'json', query: false }
const ASK: Rules = { permits: 'metrics.get', body: 'none', query: true }
const STOP: Rules = { permits: 'metrics.get', body: 'none', query: false }

export function logRoutes({ engine, log, bodies }: RouteOptions): readonly Route[] {
  const gate = (): void => {
    checkFeature(engine.features, 'logsRoute', 'Modifying logs through the `/logs/*` routes')
  }
  /** With GET the routes are there only while the feature is on. */
  const absent = (allow: string): Reply | null =>
    engine.features.logsRoute ? null : { status: 405, headers: ['Allow', allow] }
  return [
    route('POST', '/logs/stream', CHANGE, async (request) => {
      const asked = await bodies.read(request, 'logStream')
      gate()
      return listen(log, asked, request.caller)
    }),
    route('GET', '/logs/stream', ASK, ({ query, caller }) => {
      return absent('POST, DELETE') ?? listen(log, readLogStreamQuery(query), caller)
    }),
    route('DELETE', '/logs/stream', STOP, () => {
      gate()
      log.stream?.end()
      return { status: 204 }
    }),
    route('POST', '/logs/stderr', CHANGE, async (request) => {
      const targets = await bodies.read(request, 'logTarget')
      gate()
      log.setTargets(targets)
      return { status: 204 }
    }),
    route('GET', '/logs/stderr', ASK, ({ query }) => {
      const refusal = absent('POST')
      if (refusal !== null) return refusal
      log.setTargets(readLogTargetQuery(query))
      return { status: 204 }
    }),
  ]
}

/** A stream outlives the check of its key: it ends so long after the key, at the latest. */
const KEY_CHECK_MS = 1000

/** @throws ApiError where somebody listens already */
function listen(
  log: Log,
  { target, mode, profileMemory }: LogStreamRequest,
  caller: Caller,
): Reply {
  if (log.stream !== null) {
    const words = 'The `/logs/stream` route is currently in use by someone else.'
    throw new ApiError('bad_request', words)
  }
  const now = (): number => performance.timeOrigin + performance.now()
  const onClosed = (): void => {
    clearInterval(watching)
    if (log.stream === stream) log.stream = null
  }
  const stream = new LogStream({ targets: target, mode, profileMemory, now, onClosed })
  log.stream = stream
  const watching = setInterval(() => {
    if (!caller.isValid()) stream.end()
  }, KEY_CHECK_MS)
  watching.unref()
  return {
    status: 200,
    contentType: mode === 'human' ? 'text/plain; charset=utf-8' : 'application/octet-stream',
    // A proxy in between hands lines on as they come.
    headers: ['X-Accel-Buffering', 'no'],
    pieces: stream,
  }
}
