// Waiting tasks, in the order in which batches take them: one queue for each kind that has its own,
// one for each index. A task that names several indexes is in the queue of each, so that no later
// task overtakes it.
//
// Queues hold uids in ascending order and are not notified when a task ends: a task that no longer
// waits is dropped when it reaches the head of its queue, so each uid has constant cost.

import { assert } from '../../../format/errors.ts'
import { asTaskUid, type TaskUid } from '../../../format/ids.ts'
import type { TaskKinds } from './kinds.ts'

const SHRINK_MIN = 1024

const NONE = asTaskUid(-1)

class UidQueue {
  #uids: TaskUid[] = []
  #head = 0

  get length(): number {
    return this.#uids.length - this.#head
  }

  push(uid: TaskUid): void {
    const last = this.#uids.at(-1)
    assert(last === undefined || uid > last, 'a queue takes uids in ascending order')
    this.#uids.push(uid)
  }

  /** Returns the oldest uid for which `waits` is true, or -1; drops the uids before it. */
  first(waits: (uid: TaskUid) => boolean): TaskUid {
    while (this.#head < this.#uids.length) {
      const uid = this.#uids[this.#head]!
      if (waits(uid)) return uid
      this.#head++
    }
    if (this.#head > SHRINK_MIN) this.#shrink()
    return NONE
  }

  /** Returns the newest uid for which `waits` is true, or -1; drops the uids after it. */
  last(waits: (uid: TaskUid) => boolean): TaskUid {
    while (this.#uids.length > this.#head) {
      const uid = this.#uids.at(-1)!
      if (waits(uid)) return uid
      this.#uids.pop()
    }
    return NONE
  }

  *[Symbol.iterator](): Iterator<TaskUid> {
    if (this.#head > SHRINK_MIN && this.#head * 2 > this.#uids.length) this.#shrink()
    for (let i = this.#head; i < this.#uids.length; i++) yield this.#uids[i]!
  }

  #shrink(): void {
    this.#uids = this.#uids.slice(this.#head)
    this.#head = 0
  }
}

export class PendingTasks {
  readonly #ofKind = new Map<number, UidQueue>()
  readonly #ofIndex = new Map<number, UidQueue>()
  readonly #kinds: TaskKinds
  readonly #waits: (uid: TaskUid) => boolean

  /** `waits`: returns whether a task is enqueued, or runs and may be requeued. */
  constructor(kinds: TaskKinds, waits: (uid: TaskUid) => boolean) {
    this.#kinds = kinds
    this.#waits = waits
  }

  /** `indexes`: all indexes that the task names. */
  add(uid: TaskUid, kind: number, indexes: readonly number[]): void {
    if (this.#kinds.hasOwnQueue(kind)) {
      queueIn(this.#ofKind, kind).push(uid)
      return
    }
    for (const index of new Set(indexes)) queueIn(this.#ofIndex, index).push(uid)
  }

  clear(): void {
    this.#ofKind.clear()
    this.#ofIndex.clear()
  }

  oldestOfKind(kind: number): TaskUid {
    return this.#ofKind.get(kind)?.first(this.#waits) ?? NONE
  }

  newestOfKind(kind: number): TaskUid {
    return this.#ofKind.get(kind)?.last(this.#waits) ?? NONE
  }

  allOfKind(kind: number): readonly TaskUid[] {
    return [...(this.#ofKind.get(kind) ?? [])].filter(this.#waits)
  }

  /** Returns the oldest task of all index queues, or -1. Reads about one uid per index. */
  oldestOfIndexes(): TaskUid {
    let oldest = NONE
    for (const [index, queue] of this.#ofIndex) {
      const uid = queue.first(this.#waits)
      if (uid < 0) this.#ofIndex.delete(index)
      else if (oldest < 0 || uid < oldest) oldest = uid
    }
    return oldest
  }

  /** Returns the oldest task of one index, or -1. */
  oldestOfIndex(index: number): TaskUid {
    return this.#ofIndex.get(index)?.first(this.#waits) ?? NONE
  }

  /** The numbers of the indexes with tasks; some of their tasks may have ended. */
  get indexes(): Iterable<number> {
    return this.#ofIndex.keys()
  }

  /** Yields the tasks of one index in order. */
  *ofIndex(index: number): Iterable<TaskUid> {
    for (const uid of this.#ofIndex.get(index) ?? []) if (this.#waits(uid)) yield uid
  }

  /** Returns the oldest waiting task, or -1. */
  oldest(): TaskUid {
    let oldest = this.oldestOfIndexes()
    for (const kind of this.#ofKind.keys()) {
      const uid = this.oldestOfKind(kind)
      if (uid >= 0 && (oldest < 0 || uid < oldest)) oldest = uid
    }
    return oldest
  }
}

function queueIn(queues: Map<number, UidQueue>, key: number): UidQueue {
  let queue = queues.get(key)
  if (queue === undefined) queues.set(key, (queue = new UidQueue()))
  return queue
}
