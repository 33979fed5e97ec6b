// The running batch, as lists and lookups show it.
import type { BatchUid, TaskUid } from '../../../format/ids.ts'
import type { BatchPlan, Choice } from '../batching/index.ts'
import type { Batch, Micros, TaskDetails } from '../task-data/index.ts'
import { ProgressTracker } from './progress.ts'
import type { BatchSummary } from './seal.ts'

export class RunningBatch {
  readonly uid: BatchUid
  readonly startedAt: Micros
  readonly choice: Choice
  readonly tracker: ProgressTracker
  /** Aborted when one of the tasks is canceled. */
  readonly controller: AbortController = new AbortController()
  readonly enqueued = new Map<TaskUid, TaskDetails | null>()
  #details: TaskDetails = {}
  #counts: Pick<Batch['stats'], 'totalNbTasks' | 'status' | 'types' | 'indexUids'> | null = null
  #plan: BatchPlan | null = null
  #requests: () => Batch['stats']['embedderRequests'] = () => null

  constructor(
    uid: BatchUid,
    startedAt: Micros,
    choice: Choice,
    now: () => Micros,
    onProgress: () => void,
  ) {
    this.uid = uid
    this.startedAt = startedAt
    this.choice = choice
    this.tracker = new ProgressTracker(() => now() / 1000, onProgress)
  }

  get plan(): BatchPlan | null {
    return this.#plan
  }

  /** Stores the plan once all contents are read. `summary` combines the details of all tasks. */
  planned(plan: BatchPlan, summary: BatchSummary): BatchPlan {
    this.#plan = plan
    this.#details = summary.details()
    this.#counts = summary.stats()
    return plan
  }

  /** `counts` returns the calls of embedders so far, or null before the first. */
  countRequests(counts: () => Batch['stats']['embedderRequests']): void {
    this.#requests = counts
  }

  view(): Batch {
    const counts = this.#counts ?? {
      totalNbTasks: this.choice.uids.length,
      status: { processing: this.choice.uids.length },
      types: {},
      indexUids: {},
    }
    return {
      uid: this.uid,
      progress: this.tracker.progress(),
      details: this.#details,
      stats: {
        ...counts,
        progressTrace: this.tracker.trace(),
        writeChannelCongestion: null,
        internalDatabaseSizes: null,
        embedderRequests: this.#requests(),
      },
      startedAt: this.startedAt,
      finishedAt: null,
      batchStrategy: this.choice.strategy,
    }
  }
}
