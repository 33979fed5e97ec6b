// Which instances are worth asking: one that failed rests for 30 s, longer when it fails again. In
// memory only.

/** The first rest, and the longest. */
const REST_MS = 30_000
const REST_MS_MAX = 300_000

type Rest = { readonly until: number; readonly ms: number }

export type Status = 'available' | 'unavailable'

export class Availability {
  readonly #now: () => number
  readonly #rests = new Map<string, Rest>()

  /** `now`: milliseconds of any clock. */
  constructor(now: () => number) {
    this.#now = now
  }

  status(remote: string): Status {
    const rest = this.#rests.get(remote)
    return rest !== undefined && rest.until > this.#now() ? 'unavailable' : 'available'
  }

  isAvailable(remote: string): boolean {
    return this.status(remote) === 'available'
  }

  /** It rests, but nobody has said that it must: it may be asked where no other is left. */
  mayBeTried(remote: string): boolean {
    return this.#rests.get(remote)?.until !== Number.POSITIVE_INFINITY
  }

  failed(remote: string): void {
    const known = this.#rests.get(remote)
    // Failing while it rests makes the rest no longer.
    if (known !== undefined && known.until > this.#now()) return
    const ms = known === undefined ? REST_MS : Math.min(known.ms * 2, REST_MS_MAX)
    this.#rests.set(remote, { until: this.#now() + ms, ms })
  }

  answered(remote: string): void {
    const known = this.#rests.get(remote)
    if (known !== undefined && known.until !== Number.POSITIVE_INFINITY) this.#rests.delete(remote)
  }

  /** An operator says so: until it is said otherwise. */
  set(remote: string, status: Status): void {
    if (status === 'available') this.#rests.delete(remote)
    else this.#rests.set(remote, { until: Number.POSITIVE_INFINITY, ms: REST_MS })
  }
}
