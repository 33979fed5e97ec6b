// The sizes of the database and of its indexes over the last hour, one reading a minute, in memory.
// `GET /stats/history` shows them.
import type { Engine } from '../../engine/index.ts'
import type { IndexUid } from '../../format/ids.ts'

const INTERVAL_MS = 60_000
/** An hour and its beginning. */
const READINGS_MAX = 61
/** The largest ones: a database may have thousands, and each reading holds a number of each. */
const INDEXES_MAX = 200

type Reading = {
  readonly at: number
  readonly databaseSize: number
  readonly sizes: ReadonlyMap<IndexUid, number>
}
type Visible = Parameters<Engine['administration']['stats']>[0]
type Sizes = Engine['administration']['sizes']

export type StatsHistoryView = {
  readonly intervalMs: number
  /** In order of time, at most 61. */
  readonly readings: readonly {
    readonly at: string
    readonly databaseSize: number
    readonly indexes: { readonly [uid: string]: number }
  }[]
}

export class StatsHistory {
  readonly #sizes: Sizes
  readonly #now: () => number
  readonly #readings: Reading[] = []
  readonly #timer: NodeJS.Timeout

  /** Takes a reading a minute until `stop`. The first `view` takes one too, so that a start does not. */
  constructor(sizes: Sizes, now: () => number) {
    this.#sizes = sizes
    this.#now = now
    this.#timer = setInterval(() => this.#read(), INTERVAL_MS)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  view(visible: Visible): StatsHistoryView {
    if (this.#readings.length === 0) this.#read()
    return {
      intervalMs: INTERVAL_MS,
      readings: this.#readings.map(({ at, databaseSize, sizes }) => ({
        at: new Date(at).toISOString(),
        databaseSize,
        indexes: Object.fromEntries([...sizes].filter(([uid]) => visible?.(uid) ?? true)),
      })),
    }
  }

  #read(): void {
    const { databaseSize, indexes } = this.#sizes()
    const largest = [...indexes].sort(([, a], [, b]) => b - a).slice(0, INDEXES_MAX)
    this.#readings.push({ at: this.#now(), databaseSize, sizes: new Map(largest) })
    if (this.#readings.length > READINGS_MAX) this.#readings.shift()
  }
}
