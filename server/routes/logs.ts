// The log over HTTP: streaming it, and changing the levels on stderr. One listener at a time.

import { jsonBody } from '../bodies/index.ts'
import { ApiError } from '../errors/index.ts'
import { route } from '../http/index.ts'
import type { Caller, Reply, Route } from '../http/messages/index.ts'
import { type Log, LogStream } from '../log/index.ts'
import { type LogStreamRequest, readLogStreamQuery, readLogTargetQuery } from '../parse/index.ts'
import { checkFeature, type RouteOptions } from './context/index.ts'

const OPEN_STREAM = { permits: 'metrics.get', body: jsonBody('logStream'), query: null } as const
const GET_STREAM = { permits: 'metrics.get', body: 'none', query: readLogStreamQuery } as const
const STOP = { permits: 'metrics.get', body: 'none', query: null } as const
const SET_TARGET = { permits: 'metrics.get', body: jsonBody('logTarget'), query: null } as const
const GET_TARGET = { permits: 'metrics.get', body: 'none', query: readLogTargetQuery } as const

export function logRoutes({ engine, log }: RouteOptions): readonly Route[] {
  const gate = (): void => {
    checkFeature(
      engine.administration.features,
      'logsRoute',
      'Modifying logs through the `/logs/*` routes',
    )
  }
  /** With GET the routes exist only while the feature is on. */
  const absent = (allow: string) => (): Reply | null =>
    engine.administration.features.logsRoute ? null : { status: 405, headers: ['Allow', allow] }
  return [
    route('POST', '/logs/stream', OPEN_STREAM, ({ body, caller }) => {
      gate()
      return listen(log, body, caller)
    }),
    route(
      'GET',
      '/logs/stream',
      { ...GET_STREAM, precheck: absent('POST, DELETE') },
      ({ query, caller }) => listen(log, query, caller),
    ),
    route('DELETE', '/logs/stream', STOP, () => {
      gate()
      log.stream?.end()
      return { status: 204 }
    }),
    route('POST', '/logs/stderr', SET_TARGET, ({ body: targets }) => {
      gate()
      log.setTargets(targets)
      return { status: 204 }
    }),
    route('GET', '/logs/stderr', { ...GET_TARGET, precheck: absent('POST') }, ({ query }) => {
      log.setTargets(query)
      return { status: 204 }
    }),
  ]
}

/** A stream outlives the check of its key, so the key is checked at this interval. */
const KEY_CHECK_MS = 1000

/** @throws ApiError if there is already a listener */
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
    // Proxies must pass lines on as they come.
    headers: ['X-Accel-Buffering', 'no'],
    pieces: stream,
  }
}
