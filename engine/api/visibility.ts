// The port for reads that see earlier writes: which tasks the views contain, and requests that wait
// for tasks. They take no thread and no place among searches, and their number is limited.
import { asTaskUid, type TaskUid } from '../../format/ids.ts'
import { Canceled } from '../model/index.ts'
import type { NetworkDescription, StaleRemotes } from '../network/records/index.ts'
import type { IndexScope, Numbering, TaskQueue } from '../write/tasks/index.ts'
import { TASK_WAITERS_MAX } from './limits.ts'

/**
 * Tasks and views. Where another instance leads the network, uids are those of the leader, except
 * in `hasEnded`; on a follower they are those of the publisher.
 */
export interface VisibilityPort {
  /**
   * Returns the newest task such that the views of these indexes contain it and every task before
   * it, or -1 without one.
   */
  newest(indexes: IndexScope): TaskUid
  /** Returns the newest task of all, ended or not, or -1. */
  readonly newestKnown: TaskUid
  /** The leader has said that every task up to this one has arrived here; -1 if it has not. */
  readonly confirmed: TaskUid
  /** Returns whether a task of this instance has ended: its change is visible. */
  hasEnded(uid: TaskUid): boolean
  /**
   * Resolves with true when `isMet`, which is asked after each batch, returns true, and with false
   * when the time is over or too many requests wait. `uid`: the awaited task. @throws Canceled
   */
  until(uid: TaskUid, isMet: () => boolean, wait: TaskWait): Promise<boolean>
  /** Whether `until` accepts no request. */
  readonly isFull: boolean
  /** For the leader: the newest task up to which a remote has received all of its tasks, or -1. */
  arrivedAt(remote: string): TaskUid
  /** Notes the answer of the leader to that question about this instance. */
  arrived(leader: string, upTo: TaskUid): void
}

/** How long a request waits, and the signal of its client. */
export type TaskWait = { readonly ms: number; readonly signal: AbortSignal }

type Waiter = { readonly uid: TaskUid; isKnown: boolean; readonly look: () => void }

type Parts = {
  readonly queue: TaskQueue
  readonly network: NetworkDescription
  readonly stale: StaleRemotes
}

const NONE = asTaskUid(-1)

export class LocalVisibility implements VisibilityPort {
  readonly #parts: Parts
  readonly #waiters = new Set<Waiter>()
  #arrived: Numbering | null = null

  constructor(parts: Parts) {
    this.#parts = parts
  }

  newest(indexes: IndexScope): TaskUid {
    return this.#parts.queue.contained.newest(indexes, this.#numbering)
  }

  get newestKnown(): TaskUid {
    return this.#parts.queue.contained.newestKnown(this.#numbering)
  }

  get confirmed(): TaskUid {
    return this.#numbering?.arrived ?? NONE
  }

  hasEnded(uid: TaskUid): boolean {
    return this.#parts.queue.contained.hasEnded(uid)
  }

  get isFull(): boolean {
    return this.#waiters.size >= TASK_WAITERS_MAX
  }

  /** Whether a request waits for a task that is registered. */
  get isAwaited(): boolean {
    for (const { isKnown } of this.#waiters) if (isKnown) return true
    return false
  }

  until(uid: TaskUid, isMet: () => boolean, { ms, signal }: TaskWait): Promise<boolean> {
    if (signal.aborted) return Promise.reject(new Canceled())
    if (isMet()) return Promise.resolve(true)
    if (ms <= 0 || this.isFull) return Promise.resolve(false)
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer)
        signal.removeEventListener('abort', leave)
        this.#waiters.delete(waiter)
      }
      const leave = (): void => {
        end()
        reject(new Canceled())
      }
      const look = (): void => {
        if (!isMet()) return
        end()
        resolve(true)
      }
      const timer = setTimeout(() => {
        end()
        resolve(false)
      }, ms)
      const waiter: Waiter = { uid, isKnown: uid <= this.newestKnown, look }
      signal.addEventListener('abort', leave)
      this.#waiters.add(waiter)
    })
  }

  /** Call it after tasks have ended, or another state was taken over. */
  changed(): void {
    for (const waiter of [...this.#waiters]) waiter.look()
  }

  /** Call it after a task was registered: it may be one that a request expects. */
  registered(): void {
    if (this.#waiters.size === 0) return
    const known = this.newestKnown
    for (const waiter of [...this.#waiters]) {
      if (waiter.isKnown || waiter.uid > known) continue
      waiter.isKnown = true
      waiter.look()
    }
  }

  arrivedAt(remote: string): TaskUid {
    const { queue, network, stale } = this.#parts
    const { leader, self, remotes } = network.get()
    if (leader === null || leader !== self || !remotes.has(remote)) return NONE
    if (stale.isLacking(remote)) return NONE
    const oldest = queue.network.unconfirmed.oldestDue(remote)
    return oldest === NONE ? queue.contained.newestKnown(null) : asTaskUid(oldest - 1)
  }

  arrived(leader: string, upTo: TaskUid): void {
    const known = this.#arrived?.leader === leader ? this.#arrived.arrived : NONE
    if (known < upTo) this.#arrived = { leader, arrived: upTo }
    this.changed()
  }

  /** null: the uids are those of this instance. */
  get #numbering(): Numbering | null {
    const { leader, self } = this.#parts.network.get()
    if (leader === null || leader === self) return null
    return this.#arrived?.leader === leader ? this.#arrived : { leader, arrived: NONE }
  }
}
