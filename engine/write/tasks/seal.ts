// Builds the record of a batch: the final states of its tasks, their combined details, counts and
// times.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { TaskUid, U32Of } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import {
  type BatchRecord,
  encodeBatch,
  type OutcomeRecord,
  UID_NONE,
  viewOfBatch,
} from '../../../format/tasks/index.ts'
import {
  type BatchPlan,
  type BatchResult,
  completed,
  DetailsSum,
  type PlannedTask,
  type SealedBatch,
  type TaskOutcome,
} from '../batching/index.ts'
import {
  type Batch,
  type BatchInfo,
  finishedDetails,
  type Micros,
  type QueuedContent,
  rowIn,
  STATUS,
  TASK_STATUSES,
  type TargetsContent,
  type TaskDetails,
  type TaskReader,
  type TaskState,
  type TaskStatus,
} from '../task-data/index.ts'

/** Number of tasks summed up before other work may run: 3 ms. */
const STRIDE = 1024

/** The inputs of sealing in addition to the plan. */
export type SealContext = {
  readonly state: TaskState
  /** The details that each task had before, by uid. */
  readonly enqueued: ReadonlyMap<TaskUid, TaskDetails | null>
  readonly finishedAt: Micros
  readonly trace: Batch['stats']['progressTrace']
}

/** Seals a batch that a task kind ran. */
export async function sealWork(
  plan: BatchPlan,
  result: BatchResult,
  context: SealContext,
): Promise<SealedBatch> {
  const summary = new BatchSummary(context.state)
  const outcomes = completed(context.state.kinds, plan, result)
  const records: OutcomeRecord[] = []
  for (let i = 0; i < outcomes.length; i++) {
    if (i % STRIDE === STRIDE - 1) await nextTurn()
    summary.addOutcome(plan.tasks[i]!, outcomes[i]!, context)
    records.push(outcomeRecord(outcomes[i]!))
  }
  await nextTurn()
  return sealed(plan, summary, result, context, {
    outcomes: records,
    swapped: result.swapped ?? [],
    swappedBefore: result.swapped === undefined ? 0 : plan.tasks.at(-1)!.uid,
  })
}

/**
 * Returns the targets of a cancelation that still wait and that other instances may have received.
 */
export function sentTargets(plan: BatchPlan, state: TaskState): readonly TaskUid[] {
  const { unconfirmed, committed } = state.network
  const targets = targetsOf(plan.tasks[0]!.content)
  const sent: TaskUid[] = []
  for (const uid of targets) {
    const row = unconfirmed.isSent(uid) && uid !== committed ? state.tasks.find(uid) : -1
    if (row >= 0 && isOpen(state, row)) sent.push(uid)
  }
  return sent
}

/**
 * Seals a cancelation: its targets that still wait are canceled with it. `tooLate`: targets that
 * have already run on other instances.
 */
export async function sealCancelation(
  plan: BatchPlan,
  reader: TaskReader,
  context: SealContext,
  tooLate: ReadonlySet<TaskUid>,
): Promise<SealedBatch> {
  const { state } = context
  const cancelation = plan.tasks[0]!
  const targets = targetsOf(cancelation.content)
  const summary = new BatchSummary(state)
  const canceled = new Uint32Array(targets.length)
  let count = 0
  for (let i = 0; i < targets.length; i++) {
    if (i % STRIDE === STRIDE - 1) await nextTurn()
    const row = state.tasks.find(targets[i]!)
    if (row < 0 || !isOpen(state, row) || targets[i] === state.network.committed) continue
    if (tooLate.has(targets[i]!)) continue
    canceled[count++] = targets[i]!
    const details = plainDetails(state, row) ?? (await reader.enqueuedDetails(targets[i]!))
    summary.addTask(targets[i]!, 'canceled', details)
  }
  const result = { canceledTasks: count }
  const outcome: TaskOutcome = { uid: cancelation.uid, error: null, result }
  summary.addOutcome(cancelation, outcome, context)
  return sealed(plan, summary, { outcomes: [] }, context, {
    outcomes: [outcomeRecord(outcome)],
    canceled: count === 0 ? null : IdSet.ofSorted(canceled.slice(0, count)),
    canceledBy: count === 0 ? UID_NONE : cancelation.uid,
  })
}

/** Returns whether a task has not ended: it waits, or has failed and will be tried again. */
function isOpen(state: TaskState, row: number): boolean {
  const chunk = state.tasks.chunkOf(row)
  const status = chunk.status[rowIn(row)]!
  const isRetried = state.kinds.isRetried(chunk.kind[rowIn(row)]!)
  return status < STATUS.succeeded || (status === STATUS.failed && isRetried)
}

/** Cancels imports of a topology change that has ended; no cancelation task names them. */
export function sealOrphans(plan: BatchPlan, context: SealContext): SealedBatch {
  const summary = new BatchSummary(context.state)
  for (const { uid } of plan.tasks) {
    summary.addTask(uid, 'canceled', context.enqueued.get(uid) ?? null)
  }
  return sealed(plan, summary, { outcomes: [] }, context, {
    outcomes: [],
    canceled: IdSet.ofSorted(Uint32Array.from(plan.tasks, ({ uid }) => uid)),
  })
}

/**
 * Seals deletions: each finished target is deleted, and counted for the first deletion that names
 * it.
 */
export async function sealDeletions(plan: BatchPlan, context: SealContext): Promise<SealedBatch> {
  const { state } = context
  const summary = new BatchSummary(state)
  let deleted = IdSet.empty
  const outcomes: TaskOutcome[] = []
  for (const task of plan.tasks) {
    const ownTargets = await finishedTargets(task, state, deleted)
    deleted = deleted.or(ownTargets)
    const outcome: TaskOutcome = {
      uid: task.uid,
      error: null,
      result: { deletedTasks: ownTargets.size },
    }
    outcomes.push(outcome)
    summary.addOutcome(task, outcome, context)
  }
  return sealed(plan, summary, { outcomes: [] }, context, {
    outcomes: outcomes.map(outcomeRecord),
    deleted: deleted.isEmpty ? null : deleted,
  })
}

async function finishedTargets(
  { content }: PlannedTask,
  state: TaskState,
  others: IdSet,
): Promise<IdSet> {
  const targets = targetsOf(content)
  const finished = new Uint32Array(targets.length)
  let count = 0
  for (let i = 0; i < targets.length; i++) {
    if (i % (STRIDE * 8) === 0) await nextTurn()
    const uid = targets[i]!
    const mayDelete = state.isFinished(uid) && !state.network.unconfirmed.isOpen(uid)
    if (mayDelete && !others.has(uid)) finished[count++] = uid
  }
  return IdSet.ofSorted(finished.slice(0, count))
}

const targetsOf = (content: QueuedContent): U32Of<TaskUid> =>
  (content as TargetsContent).targets.toArray() as U32Of<TaskUid>

/** Returns the details of a waiting task if the columns suffice, else null. */
function plainDetails(state: TaskState, row: number): TaskDetails | null {
  const chunk = state.tasks.chunkOf(row)
  const r = rowIn(row)
  return state.kinds.of(chunk.kind[r]!).plainDetails?.(chunk.flags[r]!, chunk.count[r]!) ?? null
}

function outcomeRecord({ uid, error, result }: TaskOutcome): OutcomeRecord {
  const status = error === null ? STATUS.succeeded : STATUS.failed
  if (error === null && result === null) return { uid, status, result: '' }
  const parts = {
    ...(result === null ? {} : { r: result }),
    ...(error === null ? {} : { e: error }),
  }
  return { uid, status, result: JSON.stringify(parts) }
}

const NO_CHANGE = {
  swapped: [],
  swappedBefore: 0,
  canceled: null,
  canceledBy: UID_NONE,
  deleted: null,
}

function sealed(
  plan: BatchPlan,
  summary: BatchSummary,
  result: BatchResult,
  context: SealContext,
  changes: Pick<BatchRecord, 'outcomes'> & Partial<BatchRecord>,
): SealedBatch {
  const info: BatchInfo = {
    strategy: plan.strategy,
    details: summary.details(),
    stats: {
      ...summary.stats(),
      progressTrace: context.trace,
      writeChannelCongestion: result.writeChannelCongestion ?? null,
      internalDatabaseSizes: result.internalDatabaseSizes ?? null,
      embedderRequests: result.embedderRequests ?? null,
    },
  }
  const view = viewOfBatch({
    uid: plan.uid,
    startedAt: plan.startedAt,
    finishedAt: Math.max(context.finishedAt, plan.startedAt),
    info: JSON.stringify(info),
    ...summary.masks(),
    ...NO_CHANGE,
    ...changes,
  })
  return { view, payload: encodeBatch(view) }
}

type Counts = Pick<Batch['stats'], 'totalNbTasks' | 'status' | 'types' | 'indexUids'>

/** Counts the tasks of a batch and combines their details, in the order of their uids. */
export class BatchSummary {
  readonly #state: TaskState
  readonly #sum: DetailsSum
  readonly #statuses = new Uint32Array(TASK_STATUSES.length)
  readonly #kinds: Uint32Array
  readonly #own = new Map<number, number>()
  readonly #all = new Set<number>()
  #total = 0

  constructor(state: TaskState) {
    this.#state = state
    this.#sum = new DetailsSum(state.kinds.ownDetails)
    this.#kinds = new Uint32Array(state.kinds.count)
  }

  addOutcome(task: PlannedTask, outcome: TaskOutcome, context: SealContext): void {
    const status = outcome.error === null ? 'succeeded' : 'failed'
    const enqueued = context.enqueued.get(task.uid) ?? null
    const kind = this.#state.kinds.named(task.content.kind)
    this.#sum.add(finishedDetails(kind, status, enqueued, outcome.result))
    this.#count(task.uid, status)
  }

  /**
   * Adds a task that ends without a result, or has not ended: its details are those at enqueueing.
   */
  addTask(uid: TaskUid, status: TaskStatus, enqueued: TaskDetails | null): void {
    const row = this.#state.tasks.find(uid)
    const kind = this.#state.kinds.of(this.#state.tasks.chunkOf(row).kind[rowIn(row)]!)
    if (status === 'processing') this.#sum.add(enqueued)
    else this.#sum.add(finishedDetails(kind, status, enqueued, null))
    this.#count(uid, status)
  }

  details(): TaskDetails {
    return this.#sum.finish()
  }

  stats(): Counts {
    const { names } = this.#state
    const indexes = [...this.#own].map(([index, count]) => [names.textOf(index)!, count] as const)
    return {
      totalNbTasks: this.#total,
      status: counted(this.#statuses, TASK_STATUSES),
      types: counted(this.#kinds, this.#state.kinds.names),
      indexUids: Object.fromEntries(indexes.sort(([a], [b]) => (a < b ? -1 : 1))),
    }
  }

  masks(): Pick<BatchRecord, 'statuses' | 'kinds' | 'indexes'> {
    return {
      statuses: maskOf(this.#statuses),
      kinds: maskOf(this.#kinds),
      indexes: [...this.#all].map((index) => this.#state.names.textOf(index)!),
    }
  }

  #count(uid: TaskUid, status: TaskStatus): void {
    const row = this.#state.tasks.find(uid)
    const chunk = this.#state.tasks.chunkOf(row)
    const r = rowIn(row)
    this.#total++
    this.#statuses[STATUS[status]]!++
    this.#kinds[chunk.kind[r]!]!++
    const own = chunk.index[r]!
    if (own !== 0) this.#own.set(own, (this.#own.get(own) ?? 0) + 1)
    for (const index of this.#state.indexesOf(row)) this.#all.add(index)
  }
}

function counted(
  counts: Uint32Array,
  names: readonly string[],
): { readonly [name: string]: number } {
  const present = names.map((name, i) => [name, counts[i]!] as const).filter(([, n]) => n > 0)
  return Object.fromEntries(present)
}

function maskOf(counts: Uint32Array): number {
  let mask = 0
  for (let i = 0; i < counts.length; i++) if (counts[i]! > 0) mask |= 1 << i
  return mask >>> 0
}
