// Which instances are worth asking: one that failed rests for 30 s, longer when it fails again, or
// until a probe finds it; one that lacks writes is asked where no other can be. In memory only.

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

const NONE: ReadonlySet<string> = new Set()

export type Status = 'available' | 'unavailable'

export class Availability {
  readonly #now: () => number
  readonly #rests = new Map<string, Rest>()
  /** Until when they are not asked because they lack writes. */
  readonly #behind = new Map<string, number>()
  readonly #lacking: () => ReadonlySet<string>

  /**
   * `now`: milliseconds of any clock. `lacking`: instances that are known to lack writes, beside
   * those that `behind` tells of.
   */
  constructor(now: () => number, lacking: () => ReadonlySet<string> = () => NONE) {
    this.#now = now
    this.#lacking = lacking
  }

  /** Whether it can be reached, as far as is known. */
  status(remote: string): Status {
    const rest = this.#rests.get(remote)
    return rest !== undefined && rest.until > this.#now() ? 'unavailable' : 'available'
  }

  /** Whether it is asked before others. */
  isAvailable(remote: string): boolean {
    return this.status(remote) === 'available' && !this.lacksWrites(remote)
  }

  lacksWrites(remote: string): boolean {
    return (this.#behind.get(remote) ?? 0) > this.#now() || this.#lacking().has(remote)
  }

  /** No operator took it out: it may be asked where no other is left. */
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
    if (known !== undefined && known.until !== Number.POSITIVE_INFINITY) this.#rests.delete(remote)
  }

  /** For so long it lacks writes that clients were answered for. */
  behind(remote: string, ms: number): void {
    this.#behind.set(remote, this.#now() + ms)
  }

  /** An operator says so: until it is said otherwise. */
  set(remote: string, status: Status): void {
    if (status === 'available') {
      this.#rests.delete(remote)
      this.#behind.delete(remote)
    } else {
      const never = Number.POSITIVE_INFINITY
      this.#rests.set(remote, { until: never, ms: REST_MS, probeAt: never, probeMs: never })
    }
  }
}
