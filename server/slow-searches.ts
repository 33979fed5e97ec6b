// Searches that take longer than a threshold leave a line in the log with their query, so that an
// operator finds what to index, to filter or to limit differently.
import type { Answered, Route } from './http/index.ts'
import type { Log } from './log/index.ts'

/** Characters of a query that are shown: enough to send it again in most cases. */
const QUERY_CHARS_MAX = 4096
/** Longer lists of numbers are vectors: their length says enough. */
const NUMBERS_MAX = 8

export const isSearch = (route: Route): boolean => route.permits === 'search'

export class SlowSearches {
  readonly #log: Log
  readonly #thresholdMs: number

  /** `log`: for the part `svc::search`. */
  constructor(log: Log, thresholdMs: number) {
    this.#log = log
    this.#thresholdMs = thresholdMs
  }

  /** Waiting for the body does not count: that is the client's network. */
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

/** Leaves out what was not asked for. */
function shown(key: string, value: unknown): unknown {
  if (value === null || value === false) return undefined
  if (!Array.isArray(value)) return value
  if (value.length === 0 && key !== '') return undefined
  const isVector = value.length > NUMBERS_MAX && value.every((one) => typeof one === 'number')
  return isVector ? `${value.length} numbers` : value
}

const cut = (text: string): string =>
  text.length > QUERY_CHARS_MAX ? `${text.slice(0, QUERY_CHARS_MAX)}…` : text
