// Runs batches one after another as long as tasks wait. The processor does the work; this class
// handles failures, cancelations and deletions. Tasks of most kinds are acknowledged writes: a
// failure of the disk or the machine does not fail them, they wait and run again.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { BatchUid } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import { EngineFault, isPassing, StorageError, withScarcity } from '../../model/index.ts'
import {
  allFailed,
  type BatchControl,
  type BatchEnd,
  type BatchLimits,
  type BatchPlan,
  type Grouping,
  type IndexLookup,
  type Processor,
  Retries,
  type RetryOptions,
} from '../batching/index.ts'
import type { TaskError } from '../task-data/index.ts'
import type { TaskQueue } from './queue.ts'
import type { RunningBatch } from './running.ts'
import { isEnvironmentError } from './upkeep.ts'

export type SchedulerOptions = RetryOptions & {
  readonly queue: TaskQueue
  readonly processor: Processor
  /** Returns the present facts about an index. */
  readonly lookup: IndexLookup
  readonly limits: BatchLimits
  /** Called after a batch has ended, with the uids of all tasks that ended with it. */
  readonly onFinished?: (batchUid: BatchUid, tasks: IdSet) => void
  /** Delays batches while searches wait; absent: each begins immediately. */
  readonly grouping?: Grouping
}

export class Scheduler {
  readonly #options: SchedulerOptions
  readonly #queue: TaskQueue
  readonly #retries: Retries
  #loop: Promise<void> | null = null
  /**
   * Tasks in a batch after a lack of space: tasks that had waited together would otherwise form one
   * batch that needs more space than was freed.
   */
  #spaceTasksMax = Number.POSITIVE_INFINITY
  /** Tasks of the largest batch that lacked space, until as many may run again. */
  #spaceTasksFailed = 0
  #isClosing = false
  #isDue = false

  constructor(options: SchedulerOptions) {
    this.#options = options
    this.#queue = options.queue
    this.#retries = new Retries(options)
    this.#queue.onWaiting = () => this.wake()
  }

  /** Starts the loop if it is not running. The queue also calls it for every accepted task. */
  wake(): void {
    this.#isDue = true
    // Cancelations and deletions may end what the batches wait for.
    if (!this.#queue.lifecycle.mayWaitLonger) this.#retries.hurry()
    if (this.#loop !== null || this.#isClosing || this.#options.limits.tasksMax === 0) return
    this.#loop = this.#run()
    this.#loop.catch((error: unknown) => this.#options.report('The scheduler stopped.', error))
  }

  /** Resolves when no work is left. Rejects with the internal error that stopped the loop. */
  async idle(): Promise<void> {
    while (this.#loop !== null) await this.#loop
  }

  /** Aborts the running batch, whose tasks wait for the next start, and stops. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#queue.lifecycle.running?.controller.abort()
    this.#retries.hurry()
    await this.#loop
  }

  async #run(): Promise<void> {
    try {
      while (this.#isDue && !this.#isClosing) {
        // One turn of the event loop: tasks that arrive together are batched together.
        await nextTurn()
        await this.#options.grouping?.wait(
          () => !this.#isClosing && this.#queue.lifecycle.mayWaitLonger,
        )
        if (!this.#isClosing) this.#isDue = await this.#safeTick()
      }
    } finally {
      this.#loop = null
    }
  }

  /** Runs one batch. Returns true if another batch may be ready. */
  async #safeTick(): Promise<boolean> {
    try {
      this.#isDue = false
      return (await this.#tick()) || this.#isDue
    } catch (error) {
      // An error of the log or the disk; internal errors end the loop.
      if (!isEnvironmentError(error)) throw error
      const { running } = this.#queue.lifecycle
      if (running !== null) {
        if (lacksSpace(error)) this.#lackedSpace(running.choice.uids.length)
        this.#queue.lifecycle.requeue()
      }
      if (this.#isClosing) return false
      this.#queue.lifecycle.isRetrying = true
      await this.#retries.afterFailure(error)
      return true
    }
  }

  /** Runs one batch. Returns false if there was none. */
  async #tick(): Promise<boolean> {
    const { lifecycle } = this.#queue
    await this.#queue.deleteOldTasks()
    this.#queue.upkeep.maintain()
    const { lookup, limits } = this.#options
    const plan = await lifecycle.begin(lookup, { ...limits, spaceTasksMax: this.#spaceTasksMax })
    if (plan === null) {
      this.#spaceTasksMax = Number.POSITIVE_INFINITY
      this.#ranWell()
      return false
    }
    this.#options.grouping?.began()
    const running = lifecycle.running!
    if (lifecycle.isOwnWork) {
      await this.#finish(plan, lifecycle.settle(await lifecycle.sealOwn(), false))
    } else await this.#work(plan, running)
    return true
  }

  #lackedSpace(tasks: number): void {
    this.#spaceTasksMax = Math.max(1, Math.floor(tasks / 2))
    this.#spaceTasksFailed = Math.max(this.#spaceTasksFailed, tasks)
  }

  #ranWell(): void {
    this.#queue.lifecycle.isRetrying = false
    // Smaller batches may run while a larger one fails again.
    const isOver = this.#spaceTasksMax >= this.#spaceTasksFailed
    if (isOver) this.#spaceTasksFailed = 0
    this.#retries.succeeded(isOver)
  }

  async #work(plan: BatchPlan, running: RunningBatch): Promise<void> {
    const { lifecycle } = this.#queue
    const { signal } = running.controller
    const mayRun = !signal.aborted && !this.#isClosing
    const end = mayRun ? await this.#process(plan, running) : ABORTED
    if (end.kind === 'aborted') {
      lifecycle.requeue()
    } else if (end.kind === 'committed') {
      await this.#finish(plan, lifecycle.settle(end.sealed, true))
    } else {
      await this.#finish(plan, lifecycle.settle(await lifecycle.seal(end.result), false))
    }
    if (end.kind !== 'aborted') this.#ranWell()
  }

  async #process(plan: BatchPlan, running: RunningBatch): Promise<BatchEnd> {
    const { signal } = running.controller
    const control: BatchControl = {
      signal,
      progress: (steps) => running.tracker.report(steps),
      seal: (result) => this.#queue.lifecycle.seal(result),
    }
    try {
      const end = await this.#options.processor.run(plan, control)
      // Canceled work may end with a failure, such as that of a provider that it waited for.
      return signal.aborted && hasFailed(end) ? ABORTED : end
    } catch (thrown) {
      // After an abort the error does not matter.
      if (signal.aborted) return ABORTED
      const error = withScarcity(thrown)
      if (isPassing(error) && !this.#queue.lifecycle.failsWithStorage) throw error
      const failure = taskErrorOf(error)
      if (failure.code === 'internal') this.#options.report(`Batch ${plan.uid} crashed.`, error)
      return { kind: 'uncommitted', result: allFailed(plan, failure) }
    }
  }

  async #finish(plan: BatchPlan, settled: Promise<IdSet>): Promise<void> {
    const tasks = await settled
    this.#spaceTasksMax *= 2
    this.#options.onFinished?.(plan.uid, tasks)
  }
}

const ABORTED: BatchEnd = { kind: 'aborted' }

const lacksSpace = (error: unknown): boolean =>
  error instanceof StorageError && error.code === 'no_space'

const hasFailed = (end: BatchEnd): boolean =>
  end.kind === 'uncommitted' && end.result.outcomes.some(({ error }) => error !== null)

/** Converts any error into the error of the tasks of a batch. */
export function taskErrorOf(error: unknown): TaskError {
  if (error instanceof EngineFault) return { code: error.code, message: error.message }
  if (error instanceof StorageError) return { code: codeOfStorage(error), message: error.message }
  const detail = error instanceof Error ? error.message : String(error)
  return {
    code: 'internal',
    message: `An unexpected crash occurred when processing the task: ${detail}`,
  }
}

function codeOfStorage({ code }: StorageError): string {
  if (code === 'no_space') return 'no_space_left_on_device'
  return code === 'too_many_open_files' ? code : 'io_error'
}
