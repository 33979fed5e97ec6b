// Counts requests by method, path and status. Counting begins with the server and costs a map
// look-up; the library that formats the text is loaded with the first request for it.
import { STRAY_PATH_CHARS_MAX, STRAY_PATHS_MAX } from './limits.ts'

/** Upper limits of the buckets of response times, in seconds. */
export const TIME_BUCKETS_S: readonly number[] = [
  0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10,
]

export type RequestCount = {
  readonly method: string
  readonly path: string
  readonly status: number
  count: number
}

export type RequestTimes = {
  readonly method: string
  readonly path: string
  /** One per bucket and one for longer times; not cumulative. */
  readonly counts: Float64Array
  count: number
  sumS: number
}

/** Replaces unrouted paths once there are too many of them. */
const OTHER = 'other'

export class RequestTally {
  readonly #counts = new Map<string, RequestCount>()
  readonly #times = new Map<string, RequestTimes>()
  readonly #strayPaths = new Set<string>()
  readonly #labels = new Map<string, string>()

  /**
   * `route`: path of the route, or null; `path`: the requested path, without secrets; `millis`:
   * null if the time is not recorded.
   */
  add(
    method: string,
    route: string | null,
    path: string,
    status: number,
    millis: number | null,
  ): void {
    const label = route === null ? this.#strayLabel(path) : this.#routeLabel(route)
    const key = `${status} ${method} ${label}`
    const known = this.#counts.get(key)
    if (known === undefined) this.#counts.set(key, { method, path: label, status, count: 1 })
    else known.count++
    if (millis !== null && route !== null) this.#addTime(method, label, millis / 1000)
  }

  counts(): Iterable<RequestCount> {
    return this.#counts.values()
  }

  times(): Iterable<RequestTimes> {
    return this.#times.values()
  }

  #addTime(method: string, path: string, seconds: number): void {
    const key = `${method} ${path}`
    let times = this.#times.get(key)
    if (times === undefined) {
      const counts = new Float64Array(TIME_BUCKETS_S.length + 1)
      times = { method, path, counts, count: 0, sumS: 0 }
      this.#times.set(key, times)
    }
    let at = 0
    while (at < TIME_BUCKETS_S.length && seconds > TIME_BUCKETS_S[at]!) at++
    times.counts[at]!++
    times.count++
    times.sumS += seconds
  }

  /** `/indexes/:indexUid` → `/indexes/{index_uid}` */
  #routeLabel(route: string): string {
    let label = this.#labels.get(route)
    if (label === undefined) {
      label = route.replace(/:(\w+)/g, (_, name: string) => {
        return `{${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}}`
      })
      this.#labels.set(route, label)
    }
    return label
  }

  #strayLabel(path: string): string {
    const shown = path.slice(0, STRAY_PATH_CHARS_MAX)
    if (this.#strayPaths.has(shown)) return shown
    if (this.#strayPaths.size >= STRAY_PATHS_MAX) return OTHER
    this.#strayPaths.add(shown)
    return shown
  }
}
