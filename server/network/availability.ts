// Which instances are worth asking: one that failed rests for 30 s, longer when it fails again, or
// until a probe finds it. In memory only.

/** The first rest, and the longest. */
const REST_MS = 30_000
const REST_MS_MAX = 300_000

/** The first probe comes after this share of the rest; later ones after twice as long each. */
const PROBE_SHARE = 1 / 60
/** The longest pause between two probes. */
const PROBE_MS_MAX = 30_000

type Rest = {
  readonly until: number
  readonly ms: number
  /** When it is probed next, and the pause after that. */
  readonly probeAt: number
  readonly probeMs: number
}

export type Status = 'available' | 'unavailable'

export class Availability {
  readonly #now: () => number
  readonly #rests = new Map<string, Rest>()
  /** Until when they are not asked because they lack writes. */
  readonly #behind = new Map<string, number>()

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

  /** It rests because of failed calls alone: it may be asked where no other is left. */
  mayBeTried(remote: string): boolean {
    return this.#rests.get(remote)?.until !== Number.POSITIVE_INFINITY
  }

  failed(remote: string): void {
    const known = this.#rests.get(remote)
    // Failing while it rests makes the rest no longer.
    if (known !== undefined && known.until > this.#now()) return
    const ms = known === undefined ? REST_MS : Math.min(known.ms * 2, REST_MS_MAX)
    const probeMs = ms * PROBE_SHARE
    const now = this.#now()
    this.#rests.set(remote, { until: now + ms, ms, probeAt: now + probeMs, probeMs })
  }

  /** Whether it rests and is to be probed now. */
  isDue(remote: string): boolean {
    const rest = this.#rests.get(remote)
    return rest !== undefined && rest.until > this.#now() && rest.probeAt <= this.#now()
  }

  /** A probe was answered: it rests no more, and longer than before if it fails again. */
  recovered(remote: string): void {
    const rest = this.#rests.get(remote)
    if (rest === undefined || rest.until === Number.POSITIVE_INFINITY) return
    if (this.isBehind(remote)) return
    this.#rests.set(remote, { ...rest, until: this.#now() })
  }

  probeFailed(remote: string): void {
    const rest = this.#rests.get(remote)
    if (rest === undefined || rest.until === Number.POSITIVE_INFINITY) return
    const probeMs = Math.min(rest.probeMs * 2, PROBE_MS_MAX)
    // It rests as long as probes fail.
    const probeAt = this.#now() + probeMs
    this.#rests.set(remote, { ...rest, until: Math.max(rest.until, probeAt + 1), probeAt, probeMs })
  }

  answered(remote: string): void {
    const known = this.#rests.get(remote)
    if (known !== undefined && known.until !== Number.POSITIVE_INFINITY && !this.isBehind(remote)) {
      this.#rests.delete(remote)
    }
  }

  /** It lacks writes that clients were answered for: it is not asked for so long, if it can be. */
  behind(remote: string, ms: number): void {
    const known = this.#rests.get(remote)
    if (known?.until === Number.POSITIVE_INFINITY) return
    const until = this.#now() + ms
    this.#behind.set(remote, until)
    if (known !== undefined && known.until >= until) return
    const never = Number.POSITIVE_INFINITY
    this.#rests.set(remote, { until, ms: known?.ms ?? REST_MS / 2, probeAt: never, probeMs: never })
  }

  isBehind(remote: string): boolean {
    return (this.#behind.get(remote) ?? 0) > this.#now()
  }

  /** An operator says so: until it is said otherwise. */
  set(remote: string, status: Status): void {
    if (status === 'available') this.#rests.delete(remote)
    else {
      const never = Number.POSITIVE_INFINITY
      this.#rests.set(remote, { until: never, ms: REST_MS, probeAt: never, probeMs: never })
    }
  }
}
