// Which tasks wait, in the order in which batches take them: a queue for each kind that runs on its
// own account, one for each index. A task that names several indexes stands in the queue of each,
// so that it is never overtaken.
//
// Queues hold uids in ascending order and are not told when a task ends: what no longer waits is
// dropped when it comes to the head, so each uid costs a constant.

import { assert } from '../../../format/errors.ts'
import type { TaskUid } from '../../../format/ids.ts'
import type { TaskKinds } from './kinds.ts'

const SHRINK_MIN = 1024

class UidQueue {
  #uids: number[] = []
  #head = 0

  get length(): number {
    return this.#uids.length - this.#head
  }

  push(uid: TaskUid): void {
    const last = this.#uids.at(-1)
    assert(last === undefined || uid > last, 'a queue takes uids in ascending order')
    this.#uids.push(uid)
  }

  /** The oldest uid for which `waits` holds, or -1; drops those before it. */
  first(waits: (uid: TaskUid) => boolean): number {
    while (this.#head < this.#uids.length) {
      const uid = this.#uids[this.#head]!
      if (waits(uid)) return uid
      this.#head++
    }
    if (this.#head > SHRINK_MIN) this.#shrink()
    return -1
  }

  /** The newest uid for which `waits` holds, or -1; drops those behind it. */
  last(waits: (uid: TaskUid) => boolean): number {
    while (this.#uids.length > this.#head) {
      const uid = this.#uids.at(-1)!
      if (waits(uid)) return uid
      this.#uids.pop()
    }
    return -1
  }

  *[Symbol.iterator](): Iterator<number> {
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

  /** `waits`: whether a task is enqueued, or runs and may come back. */
  constructor(kinds: TaskKinds, waits: (uid: TaskUid) => boolean) {
    this.#kinds = kinds
    this.#waits = waits
  }

  /** `indexes`: all that the task names; without any it waits for everything that is older. */
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

  oldestOfKind(kind: number): number {
    return this.#ofKind.get(kind)?.first(this.#waits) ?? -1
  }

  newestOfKind(kind: number): number {
    return this.#ofKind.get(kind)?.last(this.#waits) ?? -1
  }

  allOfKind(kind: number): readonly number[] {
    return [...(this.#ofKind.get(kind) ?? [])].filter(this.#waits)
  }

  /** The oldest task of all index queues, or -1. Looks at one uid an index. */
  oldestOfIndexes(): number {
    let oldest = -1
    for (const [index, queue] of this.#ofIndex) {
      const uid = queue.first(this.#waits)
      if (uid < 0) this.#ofIndex.delete(index)
      else if (oldest < 0 || uid < oldest) oldest = uid
    }
    return oldest
  }

  /** The tasks of one index in order. */
  *ofIndex(index: number): Iterable<number> {
    for (const uid of this.#ofIndex.get(index) ?? []) if (this.#waits(uid)) yield uid
  }

  /** The oldest task of all, or -1. */
  oldest(): number {
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
