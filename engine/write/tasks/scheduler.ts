// Runs batches one after another as long as tasks wait, and small ones beside a long one. The
// processor does the work; this class handles failures, cancelations and deletions. Tasks of most kinds are acknowledged writes: a
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
import { LONG_BATCH_MS_MIN, type TaskError } from '../task-data/index.ts'
import { Beside } from './beside.ts'
import type { TaskQueue } from './queue.ts'
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
  /** Returns whether a request waits for a task: batches are not delayed. Absent: none does. */
  readonly isAwaited?: () => boolean
  /** Called when the running batch is long, so that small ones may follow beside it. */
  readonly onLong?: () => void
  /** For tests: milliseconds after which a running batch is long. */
  readonly longBatchMs?: number
}

export class Scheduler {
  readonly #options: SchedulerOptions
  readonly #queue: TaskQueue
  readonly #retries: Retries
  readonly #beside: Beside
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
    this.#beside = new Beside({
      longMs: options.longBatchMs ?? LONG_BATCH_MS_MIN,
      onOpen: () => options.onLong?.(),
      wait: async (isOpen) => options.grouping?.wait(() => isOpen() && this.#mayWait()),
      run: () => this.#runBeside(),
    })
    this.#queue.onWaiting = () => this.wake()
  }

  /** Starts the loop if it is not running. The queue also calls it for every accepted task. */
  wake(): void {
    this.#isDue = true
    // Cancelations and deletions may end what the batches wait for.
    if (!this.#queue.lifecycle.mayWaitLonger) this.#retries.hurry()
    this.#beside.wake()
    if (this.#loop !== null || this.#isClosing || this.#options.limits.tasksMax === 0) return
    this.#loop = this.#run()
    this.#loop.catch((error: unknown) => this.#options.report('The scheduler stopped.', error))
  }

  /** Resolves when no work is left. Rejects with the internal error that stopped the loop. */
  async idle(): Promise<void> {
    while (this.#loop !== null) await this.#loop
  }

  /** Aborts the running batches, whose tasks wait for the next start, and stops. */
  async close(): Promise<void> {
    this.#isClosing = true
    this.#beside.close()
    for (const { controller } of this.#queue.lifecycle.running) controller.abort()
    this.#retries.hurry()
    await this.#loop
  }

  async #run(): Promise<void> {
    try {
      while (this.#isDue && !this.#isClosing) {
        // One turn of the event loop: tasks that arrive together are batched together.
        await nextTurn()
        await this.#options.grouping?.wait(() => this.#mayWait())
        if (!this.#isClosing) this.#isDue = await this.#safeTick()
      }
    } finally {
      this.#loop = null
    }
  }

  #mayWait(): boolean {
    if (this.#isClosing || this.#options.isAwaited?.() === true) return false
    return this.#queue.lifecycle.mayWaitLonger
  }

  /** Runs one batch. Returns true if another batch may be ready. */
  async #safeTick(): Promise<boolean> {
    try {
      this.#isDue = false
      return (await this.#tick()) || this.#isDue
    } catch (error) {
      // An error of the log or the disk; internal errors end the loop.
      if (!isEnvironmentError(error)) throw error
      const [running] = this.#queue.lifecycle.running
      if (running !== undefined) {
        if (lacksSpace(error)) this.#lackedSpace(running.choice.uids.length)
        this.#queue.lifecycle.requeue(running.uid)
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
    this.#beside.open(lifecycle.mayHaveBeside)
    try {
      const hasEnded = await this.#work(plan, false)
      if (hasEnded) this.#spaceTasksMax *= 2
      if (hasEnded && !lifecycle.isOwnWork(plan)) this.#ranWell()
    } finally {
      await this.#beside.closed()
    }
    return true
  }

  /**
   * Runs a small batch beside the running one. Returns false if there was none. After a failure of
   * the disk or the machine its tasks wait for the end of the running batch, and are then tried
   * again like all others.
   */
  async #runBeside(): Promise<boolean> {
    const { lifecycle, upkeep } = this.#queue
    const { lookup, limits } = this.#options
    let plan: BatchPlan | null = null
    try {
      plan = await lifecycle.beginBeside(lookup, limits)
      if (plan === null) return false
      this.#options.grouping?.began()
      await this.#work(plan, true)
      upkeep.maintain()
      return true
    } catch (error) {
      if (!isEnvironmentError(error)) throw error
      if (plan !== null && lifecycle.runningAs(plan.uid) !== null) lifecycle.requeue(plan.uid)
      this.#beside.close()
      return false
    }
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

  /** Does the work of a batch that has begun. Returns false if it was aborted. */
  async #work(plan: BatchPlan, isBeside: boolean): Promise<boolean> {
    const { lifecycle } = this.#queue
    if (lifecycle.isOwnWork(plan)) {
      await this.#finish(plan, lifecycle.settle(await lifecycle.sealOwn(plan), false))
      return true
    }
    const end = await this.#process(plan, isBeside)
    if (!isBeside) this.#beside.close()
    if (end.kind === 'aborted') {
      lifecycle.requeue(plan.uid)
    } else if (end.kind === 'committed') {
      await this.#finish(plan, lifecycle.settle(end.sealed, true))
    } else {
      await this.#finish(plan, lifecycle.settle(await lifecycle.seal(plan, end.result), false))
    }
    return end.kind !== 'aborted'
  }

  async #process(plan: BatchPlan, isBeside: boolean): Promise<BatchEnd> {
    const { lifecycle } = this.#queue
    const running = lifecycle.runningAs(plan.uid)!
    const { controller, tracker } = running
    const { signal } = controller
    if (signal.aborted || this.#isClosing) return ABORTED
    const control: BatchControl = {
      signal,
      isBeside,
      progress: (steps) => tracker.report(steps),
      countRequests: (counts) => running.countRequests(counts),
      seal: (result) => lifecycle.seal(plan, result),
    }
    try {
      const end = await this.#options.processor.run(plan, control)
      // Canceled work may end with a failure, such as that of a provider that it waited for.
      return signal.aborted && hasFailed(end) ? ABORTED : end
    } catch (thrown) {
      // After an abort the error does not matter.
      if (signal.aborted) return ABORTED
      const error = withScarcity(thrown)
      if (isPassing(error) && !lifecycle.failsWithStorage(plan)) throw error
      const failure = taskErrorOf(error)
      if (isBeside && failure.code === 'internal') {
        // Its thread may have lacked what the machine has for one batch: it is tried again alone.
        this.#beside.close()
        return ABORTED
      }
      if (failure.code === 'internal') this.#options.report(`Batch ${plan.uid} crashed.`, error)
      return { kind: 'uncommitted', result: allFailed(plan, failure) }
    }
  }

  async #finish(plan: BatchPlan, settled: Promise<IdSet>): Promise<void> {
    const tasks = await settled
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
