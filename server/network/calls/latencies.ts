// Durations of searches on other instances. They decide when hedging calls a second owner.
import { DURATIONS_KEPT, DURATIONS_MIN, HEDGE_MS, HEDGE_MS_MAX, HEDGE_MS_MIN } from './limits.ts'

const PERCENTILE = 0.95

type Durations = { readonly ms: number[]; next: number; delay: number | null }

export class Latencies {
  readonly #byRemote = new Map<string, Durations>()

  add(remote: string, ms: number): void {
    let known = this.#byRemote.get(remote)
    if (known === undefined) {
      known = { ms: [], next: 0, delay: null }
      this.#byRemote.set(remote, known)
    }
    known.ms[known.next] = ms
    known.next = (known.next + 1) % DURATIONS_KEPT
    known.delay = null
  }

  /** Returns the 95th percentile of an instance's durations, in milliseconds, within bounds. */
  hedgeDelay(remote: string): number {
    const known = this.#byRemote.get(remote)
    if (known === undefined || known.ms.length < DURATIONS_MIN) return HEDGE_MS
    known.delay ??= percentile(known.ms)
    return Math.min(Math.max(known.delay, HEDGE_MS_MIN), HEDGE_MS_MAX)
  }
}

function percentile(durations: readonly number[]): number {
  const sorted = durations.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * PERCENTILE))]!
}
