// Reports each request: a line in the log, a count in the metrics and, while a profile is being
// recorded, a span. None of them contains the text of a key.
import type { ApiError } from '../errors/index.ts'
import type { Answered, HttpLog } from '../http/index.ts'
import type { Log, LogSpan } from '../log/index.ts'
import type { RequestTally } from '../metrics/index.ts'
import type { SlowSearches } from './slow-searches.ts'

/**
 * Returns the function to call with each answered request. `times`: whether response times are
 * recorded. `slow`: null if slow searches are not logged.
 */
export function requestLog(
  log: Log,
  requests: RequestTally,
  times: () => boolean,
  slow: SlowSearches | null = null,
): HttpLog {
  const http = log.for('svc::http')
  const logOverload = overloadLogger(http)
  return {
    failed: (route, error) => {
      if (error.status === UNAVAILABLE) return logOverload(error)
      const cause = error.cause instanceof Error ? (error.cause.stack ?? '') : String(error.cause)
      http.error(error.message, {
        method: route.method,
        route: route.path,
        code: error.code,
        cause: error.cause === undefined ? undefined : cause,
      })
    },
    answered: (answered) => {
      const { request, route, status, millis, idleMs } = answered
      const { method = '', url = '' } = request
      const mark = url.indexOf('?')
      const path = withoutKeys(mark < 0 ? url : url.slice(0, mark))
      slow?.answered(answered)
      requests.add(method, route?.path ?? null, path, status, times() ? millis : null)
      if (http.shows('INFO')) {
        const query = mark < 0 ? '' : withoutSecrets(url.slice(mark + 1))
        http.closed(spanOf(answered, path, query), millis - idleMs, idleMs)
      }
      if (http.stream?.isProfile === true) http.stream.span('svc::http', profiled(answered))
    },
  }
}

const UNAVAILABLE = 503
const BUSY_PAUSE_MS = 10_000

/**
 * Logs answers of an overloaded server. They are not failures, and a line for each would add to the
 * load, so one line is written per interval.
 */
function overloadLogger(http: Log): (error: ApiError) => void {
  let loggedAt = Number.NEGATIVE_INFINITY
  let unlogged = 0
  return ({ code, message }) => {
    unlogged++
    const now = performance.now()
    if (now - loggedAt < BUSY_PAUSE_MS) return
    http.warn('requests are refused: the server is overloaded', {
      requests: unlogged,
      code,
      error: message,
    })
    loggedAt = now
    unlogged = 0
  }
}

function spanOf({ request, status, error }: Answered, path: string, query: string): LogSpan {
  const { method, headers } = request
  return {
    name: 'HTTP request',
    fields: {
      method,
      host: headers.host ?? (headers[':authority'] as string | undefined),
      route: cut(path),
      query_parameters: cut(query),
      user_agent: cut(headers['user-agent']),
      status_code: status,
      error: error === null ? undefined : cut(withoutKeys(error.message)),
    },
  }
}

function profiled({ route, beganAt, millis, idleMs }: Answered) {
  const from = performance.timeOrigin + beganAt
  const parts = [
    { name: 'read the body', beganAt: from, endedAt: from + idleMs },
    { name: 'answer', beganAt: from + idleMs, endedAt: from + millis },
  ]
  return {
    name: route === null ? 'HTTP request' : `${route.method} ${route.path}`,
    thread: 'main',
    beganAt: from,
    endedAt: from + millis,
    parts: parts
      .filter((part) => part.endedAt > part.beganAt)
      .map((part) => ({ ...part, thread: 'main', parts: [] })),
  }
}

const SHOWN_CHARS_MAX = 2048

/** Cuts a text that a client has chosen to what a line of the log shows. */
export const cut = <T extends string | undefined>(text: T): T | string =>
  text !== undefined && text.length > SHOWN_CHARS_MAX ? `${text.slice(0, SHOWN_CHARS_MAX)}…` : text

/** Removes keys from a text, with or without percent escapes. */
const withoutKeys = (text: string): string =>
  text.length < 64 ? text : text.replace(/[0-9a-f%]{64,}/gi, '…')

/** No route reads a secret from its query; a secret that a client puts there is removed anyway. */
const withoutSecrets = (query: string): string =>
  withoutKeys(query).replace(
    /(^|&)([^=&]*(?:key|token|secret|password|auth)[^=&]*)=[^&]*/gi,
    '$1$2=…',
  )
