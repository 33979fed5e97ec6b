// Which tasks the views of some indexes contain. An answer contains a task when every task up to it
// that names one of its indexes has ended: views are published before tasks end, and the tasks of
// an index end in order. Other tasks cannot change the answer.
//
// In a network with a leader, tasks have the uids of the leader on every instance: clients know no
// others. Copies come in the order of those uids.
import { asTaskUid, type IndexUid, type TaskUid } from '../../../format/ids.ts'
import type { TaskState } from '../task-data/index.ts'

/** The leader whose uids are meant, where this instance is not the leader. */
export type Numbering = {
  readonly leader: string
  /** The leader has said that every task up to this one has arrived, or -1. */
  readonly arrived: TaskUid
}

/** Indexes by name, or those that pass a test; null for all. */
export type IndexScope = readonly IndexUid[] | ((uid: IndexUid) => boolean) | null

const NONE = asTaskUid(-1)

export class ContainedTasks {
  readonly #state: TaskState

  constructor(state: TaskState) {
    this.#state = state
  }

  /**
   * Returns the newest task that views contain, or -1 without one. `numbering`: null for uids
   * of this instance.
   */
  newest(indexes: IndexScope, numbering: Numbering | null): TaskUid {
    const first = this.#firstWaiting(indexes, numbering)
    return first === NONE ? this.newestKnown(numbering) : asTaskUid(first - 1)
  }

  /** Returns the newest task of all, ended or not, or -1. */
  newestKnown(numbering: Numbering | null): TaskUid {
    const { network, nextApplied } = this.#state
    if (numbering === null) return asTaskUid(nextApplied - 1)
    const sent = network.newestOf(numbering.leader)
    return sent > numbering.arrived ? sent : numbering.arrived
  }

  /** Returns whether a task of this instance has ended; a deleted one has. */
  hasEnded(uid: TaskUid): boolean {
    const { tasks, nextApplied } = this.#state
    return tasks.find(uid) < 0 ? uid < nextApplied : !this.#state.waits(uid)
  }

  /** Returns the oldest task of these indexes that has not ended, or -1. */
  #firstWaiting(indexes: IndexScope, numbering: Numbering | null): TaskUid {
    const { pending } = this.#state
    if (indexes === null && numbering === null) return pending.oldestOfIndexes()
    let first = NONE
    for (const number of this.#numbersOf(indexes)) {
      const uid = numbering === null ? pending.oldestOfIndex(number) : this.#firstCopy(number)
      if (uid !== NONE && (first === NONE || uid < first)) first = uid
    }
    return first
  }

  #numbersOf(indexes: IndexScope): readonly number[] {
    const { pending, names } = this.#state
    if (indexes === null) return [...pending.indexes]
    if (typeof indexes !== 'function') return indexes.flatMap((uid) => names.find(uid) ?? [])
    return [...pending.indexes].filter((number) => {
      const uid = names.indexUid(number)
      return uid !== null && indexes(uid)
    })
  }

  /** Returns the same for the copies of one index, by their uids on the leader. */
  #firstCopy(index: number): TaskUid {
    const { pending, network } = this.#state
    for (const uid of pending.ofIndex(index)) {
      const origin = network.originOf(uid)
      if (origin !== null) return origin
    }
    return NONE
  }
}
