// Tasks and batches of another database in the form of the task log: finished tasks as in a
// rewritten log, waiting tasks as if they had just been accepted.
import { asBatchUid, asTaskUid, nextAfter } from '../../../format/ids.ts'
import {
  encodeAnswers,
  encodeBatch,
  encodeEnqueued,
  encodeHead,
  encodeKept,
  RECORD_ANSWERS,
  RECORD_BATCH,
  RECORD_ENQUEUED,
  RECORD_HEAD,
  RECORD_KEPT,
  UID_NONE,
  viewOfBatch,
} from '../../../format/tasks/index.ts'
import { awaitedLater } from '../../time/index.ts'
import {
  type Batch,
  type BatchInfo,
  INLINE_BODY_BYTES_MAX,
  INLINE_BODY_BYTES_MAX_CROWDED,
  type Micros,
  packMetadata,
  QUEUE_BYTES_MAX,
  type QueuedContent,
  STATUS,
  TASK_STATUSES,
  type Task,
  type TaskKinds,
  type TaskLog,
} from '../task-data/index.ts'

export type ImportedTask = Task & {
  /** The further indexes that the task names. */
  readonly names: readonly string[]
  /** Documents received or tasks matched; 0 for other kinds. */
  readonly count: number
  /** The content of a waiting task; null for all others. */
  readonly content: QueuedContent | null
}

export type ImportedBatch = Pick<Batch, 'uid' | 'details' | 'stats' | 'nanos'> & {
  readonly startedAt: Micros
  readonly finishedAt: Micros
  readonly strategy: string
}

/** Appends that may be pending at a time; they share syncs. */
const PENDING_APPENDS_MAX = 1024

/** Fills an empty task log. Tasks and batches must be passed by ascending uid. */
export class TaskLogWriter {
  readonly #log: TaskLog
  readonly #kinds: TaskKinds
  readonly #underWay: Promise<number>[] = []
  #nextTask = asTaskUid(0)
  #nextBatch = asBatchUid(0)

  constructor(log: TaskLog, kinds: TaskKinds) {
    this.#log = log
    this.#kinds = kinds
  }

  /** Bytes of the largest body that is stored inside its record. */
  get inlineBytesMax(): number {
    const isCrowded = this.#log.bytes > QUEUE_BYTES_MAX / 4
    return isCrowded ? INLINE_BODY_BYTES_MAX_CROWDED : INLINE_BODY_BYTES_MAX
  }

  /** @throws StorageError */
  async task(task: ImportedTask): Promise<void> {
    const { uid, content, indexUid, customMetadata, enqueuedAt } = task
    this.#nextTask = nextAfter(this.#nextTask, uid)
    if (content === null) {
      await this.#append(RECORD_KEPT, keptPayload(this.#kinds, task))
      const { remoteResults = {} } = task
      if (Object.keys(remoteResults).length === 0) return
      const answers = encodeAnswers({ uid, answers: JSON.stringify(remoteResults) })
      return this.#append(RECORD_ANSWERS, answers)
    }
    const request = { indexUid, content, customMetadata }
    const record = this.#kinds.recordOf(uid, enqueuedAt, request)
    await this.#append(RECORD_ENQUEUED, encodeEnqueued(record))
  }

  /** @throws StorageError */
  async batch(batch: ImportedBatch): Promise<void> {
    this.#nextBatch = nextAfter(this.#nextBatch, batch.uid)
    await this.#append(RECORD_BATCH, batchPayload(this.#kinds, batch))
  }

  /** Writes the head; everything is durable when it resolves. @throws StorageError */
  async finish(): Promise<void> {
    const head = encodeHead({ nextTask: this.#nextTask, nextBatch: this.#nextBatch })
    await this.#append(RECORD_HEAD, head)
    await this.#flush()
  }

  async #append(type: number, payload: Uint8Array): Promise<void> {
    this.#underWay.push(awaitedLater(this.#log.append(type, payload)))
    if (this.#underWay.length >= PENDING_APPENDS_MAX) await this.#flush()
  }

  async #flush(): Promise<void> {
    await Promise.all(this.#underWay.splice(0))
  }
}

function keptPayload(kinds: TaskKinds, task: ImportedTask): Uint8Array {
  return encodeKept({
    kind: kinds.numberOf(task.kind),
    status: STATUS[task.status],
    uid: task.uid,
    batch: task.batchUid ?? UID_NONE,
    canceledBy: task.canceledBy ?? UID_NONE,
    enqueuedAt: task.enqueuedAt,
    startedAt: task.startedAt,
    finishedAt: task.finishedAt,
    count: task.count,
    index: task.indexUid,
    metadata: packMetadata(task.customMetadata, task.network, task.nanos),
    names: task.names,
    details: task.details === null ? null : JSON.stringify(task.details),
    error: task.error,
  })
}

function batchPayload(
  taskKinds: TaskKinds,
  { uid, details, stats, strategy, nanos, ...times }: ImportedBatch,
): Uint8Array {
  const info: BatchInfo = { strategy, details, stats, nanos }
  const view = viewOfBatch({
    uid,
    startedAt: times.startedAt,
    finishedAt: Math.max(times.finishedAt, times.startedAt),
    info: JSON.stringify(info),
    statuses: maskOf(stats.status, TASK_STATUSES),
    kinds: maskOf(stats.types, taskKinds.names),
    indexes: Object.keys(stats.indexUids),
    swapped: [],
    swappedBefore: 0,
    canceled: null,
    canceledBy: UID_NONE,
    deleted: null,
    outcomes: [],
  })
  return encodeBatch(view)
}

const maskOf = (counts: { readonly [name: string]: number }, names: readonly string[]): number =>
  names.reduce((mask, name, i) => ((counts[name] ?? 0) > 0 ? mask | (1 << i) : mask), 0) >>> 0
