// Logs searches that take longer than a threshold, with their query, so that an operator can find
// out what to index, filter or limit differently.
import type { Answered } from '../http/index.ts'
import type { Route } from '../http/messages/index.ts'
import type { Log } from '../log/index.ts'

/** Characters of a query that are shown: in most cases enough to send it again. */
const QUERY_CHARS_MAX = 4096
/** Longer lists of numbers are vectors, which are shown by their length. */
const NUMBERS_MAX = 8

export const isSearch = (route: Route): boolean => route.permits === 'search'

export class SlowSearches {
  readonly #log: Log
  readonly #thresholdMs: number

  /** `log` is the log of the part `svc::search`. */
  constructor(log: Log, thresholdMs: number) {
    this.#log = log
    this.#thresholdMs = thresholdMs
  }

  /** Waiting for the body does not count, because it depends on the client's network. */
  answered({ request, route, status, millis, idleMs, body }: Answered): void {
    if (route === null || !isSearch(route) || millis - idleMs < this.#thresholdMs) return
    const [path = '', parameters] = (request.url ?? '').split('?', 2)
    this.#log.warn('slow search', {
      route: path,
      duration_ms: Math.round(millis - idleMs),
      status_code: status,
      query: cut(body === undefined ? (parameters ?? '') : JSON.stringify(body, shown)),
    })
  }
}

/** Leaves out parameters that were not set. */
function shown(key: string, value: unknown): unknown {
  if (value === null || value === false) return undefined
  if (!Array.isArray(value)) return value
  if (value.length === 0 && key !== '') return undefined
  const isVector = value.length > NUMBERS_MAX && value.every((one) => typeof one === 'number')
  return isVector ? `${value.length} numbers` : value
}

const cut = (text: string): string =>
  text.length > QUERY_CHARS_MAX ? `${text.slice(0, QUERY_CHARS_MAX)}…` : text
