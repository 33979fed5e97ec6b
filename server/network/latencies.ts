// How long other instances take for searches, for the moment at which a second one is asked.
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

  /** Milliseconds after which an instance is slower than it nearly always is. */
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
