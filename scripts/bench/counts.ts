// Counts the costs of one run of a benchmark, in units that do not depend on the machine or its
// load: executed code and allocated bytes. The process must be started with `COUNTING_FLAGS`:
// without optimization V8 allocates the same each time.
import { Session } from 'node:inspector/promises'
import { PerformanceObserver } from 'node:perf_hooks'
import { setImmediate } from 'node:timers/promises'
import type { Work } from './benchmark.ts'

export type Counts = {
  /**
   * Characters of source code executed in one run: for each block, its length times its number of
   * runs. Replaces CPU instructions, which virtual machines often cannot count.
   */
  readonly executed: number
  /** Bytes allocated in one run, array buffers included; null if garbage was collected. */
  readonly allocated: number | null
  /** Bytes that the work wrote, or null if it writes nothing permanent. */
  readonly produced: number | null
}

/** By name of the benchmark. */
export type CountsByName = { readonly [name: string]: Counts }

/**
 * Disables optimised and baseline code, which change the number of allocations, and sets a young
 * heap that is large enough for all allocations of a run, so that no collection happens meanwhile.
 */
export const COUNTING_FLAGS: readonly string[] = [
  '--no-opt',
  '--no-sparkplug',
  '--no-lazy-feedback-allocation',
  '--min-semi-space-size=128',
  '--max-semi-space-size=128',
  '--single-threaded-gc',
  '--expose-gc',
]

/**
 * With three, all of them sometimes had such a table of 200 KB. Code that runs while a run waits
 * for the disk of a busy machine executes 44 % more in one of two.
 */
const RUNS = 6

/** Counts runs. Functions that were compiled before `start` are counted as a whole. */
export class Counter {
  readonly #session: Session

  private constructor(session: Session) {
    this.#session = session
  }

  static async start(): Promise<Counter> {
    const session = new Session()
    session.connect()
    await session.post('Profiler.enable')
    await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
    return new Counter(session)
  }

  /**
   * Runs `work` once so that its caches are full, then counts. Now and then V8 allocates tables of
   * its own during a run, or other code runs, so the smallest of some counts holds: of fewer if the
   * counts so far are enough. @throws Error if two runs return different results.
   */
  async count(work: Work, isEnough: (counts: Counts) => boolean): Promise<Counts> {
    const result = await work.run()
    let executed = Number.POSITIVE_INFINITY
    let allocated: number | null = null
    for (let run = 0; run < RUNS; run++) {
      const now = await this.#run(work)
      if (result !== now.result) {
        throw new Error(`A run gave ${now.result} where the first one gave ${result}.`)
      }
      executed = Math.min(executed, now.executed)
      if (now.allocated !== null) allocated = Math.min(now.allocated, allocated ?? now.allocated)
      if (allocated !== null && isEnough({ executed, allocated, produced: null })) break
    }
    return { executed, allocated, produced: work.produced?.() ?? null }
  }

  stop(): void {
    this.#session.disconnect()
  }

  async #run(work: Work) {
    // The second collection waits for memory that the first one frees in the background.
    globalThis.gc?.()
    globalThis.gc?.()
    // Collections are reported in a later turn of the event loop.
    await setImmediate()
    await setImmediate()
    let collections = 0
    const observer = new PerformanceObserver((list) => {
      collections += list.getEntries().length
    })
    observer.observe({ entryTypes: ['gc'] })
    await this.#session.post('Profiler.takePreciseCoverage')
    const before = process.memoryUsage()
    const result = await work.run()
    const after = process.memoryUsage()
    const coverage = await this.#session.post('Profiler.takePreciseCoverage')
    await setImmediate()
    await setImmediate()
    observer.disconnect()
    let executed = 0
    for (const { url, functions } of coverage.result) {
      if (url.startsWith('node:')) continue
      executed += executedIn(functions.flatMap(({ ranges }) => ranges))
    }
    const allocated = after.heapUsed - before.heapUsed + after.arrayBuffers - before.arrayBuffers
    return { result, executed, allocated: collections > 0 ? null : allocated }
  }
}

export type BlockRange = {
  readonly startOffset: number
  readonly endOffset: number
  readonly count: number
}

/**
 * `ranges`: functions and blocks of one script, which are inside one another or apart. A character
 * counts for the innermost of them.
 */
export function executedIn(ranges: readonly BlockRange[]): number {
  const inOrder = ranges.toSorted(
    (a, b) => a.startOffset - b.startOffset || b.endOffset - a.endOffset,
  )
  let executed = 0
  const enclosing: BlockRange[] = []
  for (const range of inOrder) {
    while (enclosing.length > 0 && enclosing.at(-1)!.endOffset <= range.startOffset) enclosing.pop()
    const length = range.endOffset - range.startOffset
    // The enclosing range has counted these characters with its own number of runs.
    executed += length * (range.count - (enclosing.at(-1)?.count ?? 0))
    enclosing.push(range)
  }
  return executed
}
