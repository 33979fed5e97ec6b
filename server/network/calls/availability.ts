// Decides which instances are called. An instance that failed is paused for 30 s, longer if it
// fails again, or until a probe succeeds. An instance that lacks writes is called only if no other
// can be. Held in memory only.

/** The first pause, and the longest. */
const PAUSE_MS = 30_000
const PAUSE_MS_MAX = 300_000

/** The first probe comes after this share of the pause; each later interval is doubled. */
const PROBE_SHARE = 1 / 60
/** The longest pause between two probes. */
const PROBE_MS_MAX = 30_000

type Pause = {
  readonly until: number
  readonly ms: number
  /** When it is probed next, and the interval after that. */
  readonly probeAt: number
  readonly probeMs: number
}

const NO_REMOTES: ReadonlySet<string> = new Set()

export type Status = 'available' | 'unavailable'

export class Availability {
  readonly #now: () => number
  readonly #pauses = new Map<string, Pause>()
  /** When instances that lack writes may be called again. */
  readonly #behind = new Map<string, number>()
  /** Instances that have answered a search since they last failed. */
  readonly #warm = new Set<string>()
  readonly #lacking: () => ReadonlySet<string>

  /**
   * `now` returns milliseconds of any clock. `lacking` returns instances that are known to lack
   * writes, in addition to those of `behind`.
   */
  constructor(now: () => number, lacking: () => ReadonlySet<string> = () => NO_REMOTES) {
    this.#now = now
    this.#lacking = lacking
  }

  /** Returns `unavailable` while the instance is paused. */
  status(remote: string): Status {
    const pause = this.#pauses.get(remote)
    return pause !== undefined && pause.until > this.#now() ? 'unavailable' : 'available'
  }

  /** Returns true if the instance is preferred: it is not paused and lacks no writes. */
  isAvailable(remote: string): boolean {
    return this.status(remote) === 'available' && !this.lacksWrites(remote)
  }

  lacksWrites(remote: string): boolean {
    return (this.#behind.get(remote) ?? 0) > this.#now() || this.#lacking().has(remote)
  }

  /** Returns false if an operator set it to unavailable; else it may be called as a last resort. */
  mayBeTried(remote: string): boolean {
    return this.#pauses.get(remote)?.until !== Number.POSITIVE_INFINITY
  }

  failed(remote: string): void {
    this.#warm.delete(remote)
    const known = this.#pauses.get(remote)
    // A failure during the pause does not extend it.
    if (known !== undefined && known.until > this.#now()) return
    const ms = known === undefined ? PAUSE_MS : Math.min(known.ms * 2, PAUSE_MS_MAX)
    const probeMs = ms * PROBE_SHARE
    const now = this.#now()
    this.#pauses.set(remote, { until: now + ms, ms, probeAt: now + probeMs, probeMs })
  }

  /** Returns true if the instance is paused and its next probe is due. */
  isDue(remote: string): boolean {
    const pause = this.#pauses.get(remote)
    return pause !== undefined && pause.until > this.#now() && pause.probeAt <= this.#now()
  }

  /** Ends the pause after a successful probe; after another failure the pause is longer. */
  recovered(remote: string): void {
    const pause = this.#pauses.get(remote)
    if (pause === undefined || pause.until === Number.POSITIVE_INFINITY) return
    this.#pauses.set(remote, { ...pause, until: this.#now() })
  }

  probeFailed(remote: string): void {
    const pause = this.#pauses.get(remote)
    if (pause === undefined || pause.until === Number.POSITIVE_INFINITY) return
    const probeMs = Math.min(pause.probeMs * 2, PROBE_MS_MAX)
    // The pause lasts as long as probes fail.
    const probeAt = this.#now() + probeMs
    this.#pauses.set(remote, {
      ...pause,
      until: Math.max(pause.until, probeAt + 1),
      probeAt,
      probeMs,
    })
  }

  /** Returns true until the instance has answered a search, also after a failure. */
  isCold(remote: string): boolean {
    return !this.#warm.has(remote)
  }

  answered(remote: string): void {
    this.#warm.add(remote)
    const known = this.#pauses.get(remote)
    if (known !== undefined && known.until !== Number.POSITIVE_INFINITY) this.#pauses.delete(remote)
  }

  /** Notes that the instance lacks acknowledged writes for this time. */
  behind(remote: string, ms: number): void {
    this.#behind.set(remote, this.#now() + ms)
  }

  /** Forgets which instances lack writes of this one: another instance leads now. */
  forgetBehind(): void {
    this.#behind.clear()
  }

  /** Sets the status by order of an operator; it holds until the next order. */
  set(remote: string, status: Status): void {
    if (status === 'available') {
      this.#pauses.delete(remote)
      this.#behind.delete(remote)
    } else {
      const never = Number.POSITIVE_INFINITY
      this.#pauses.set(remote, { until: never, ms: PAUSE_MS, probeAt: never, probeMs: never })
    }
  }
}
