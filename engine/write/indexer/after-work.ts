// The memory of an index thread after large work: its garbage is collected, the building threads
// that it started are ended, and the main thread can read how large its heap still is. The thread
// itself stays: a new one would have to compile all its code again during the next batch.
import { getHeapStatistics } from 'node:v8'
import { MiB } from '../../../format/bytes/index.ts'
import { encourageCollection } from '../../runtime/index.ts'
import { later } from '../../time/index.ts'

/** Milliseconds of work from which garbage is collected: a batch of 2,500 documents takes fewer. */
const LARGE_WORK_MS = 500
const COLLECT_PAUSE_MS = 5
/** Milliseconds without a batch after which building threads end. */
const BUILDERS_IDLE_MS = 2000

export type AfterWorkOptions = {
  /** Receives the MiB of the thread's heap. */
  readonly held: (mebibytes: number) => void
  readonly endBuilders: () => void
  /** As `encourageCollection`. */
  readonly collect?: (done: () => void) => void
  /** Milliseconds of any clock. */
  readonly now: () => number
}

export class AfterWork {
  readonly #collectSoon: () => void
  readonly #endBuilders: () => void
  readonly #now: () => number
  #workedMs = 0
  #buildersEnd: NodeJS.Timeout | null = null

  constructor(options: AfterWorkOptions) {
    const { held, endBuilders, collect = encourageCollection } = options
    this.#now = options.now
    this.#endBuilders = endBuilders
    this.#collectSoon = later(COLLECT_PAUSE_MS, () => collect(() => held(heldMebibytes())))
  }

  /** Runs a part of the thread's work. */
  run(work: () => void): void {
    const began = this.#now()
    work()
    this.#workedMs += this.#now() - began
    if (this.#workedMs >= LARGE_WORK_MS) {
      this.#workedMs = 0
      this.#collectSoon()
      this.#buildersEnd ??= setTimeout(() => this.#endThreads(), BUILDERS_IDLE_MS).unref()
    }
    this.#buildersEnd?.refresh()
  }

  #endThreads(): void {
    this.#buildersEnd = null
    this.#endBuilders()
  }
}

/** Returns the size of the heap. Buffers are garbage by now, or caches with bounds. */
const heldMebibytes = (): number => Math.ceil(getHeapStatistics().total_heap_size / MiB)
