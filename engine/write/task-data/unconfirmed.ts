// Tasks of the leader that remotes have not confirmed, and the answers of remotes. Such tasks stay
// in the log with their whole content, and keep their body files, until every remote has confirmed
// them or was given up. Tasks that the leader has canceled are not sent; remotes that may have
// received them must cancel them too, and until then such tasks are open as well.
import { asTaskUid, type TaskUid } from '../../../format/ids.ts'
import { isConfirmed, type RemoteResult, type RemoteResults } from '../../network/records/index.ts'
import { readResults } from './remote-results.ts'

/** A task that some remote has not confirmed. */
type OpenTask = {
  /** Number of remotes that have not confirmed it. */
  left: number
  /** Bytes of its body file, 0 without one. */
  readonly fileBytes: number
}

/** Tasks that one remote has not confirmed, in ascending order, and the bytes of their files. */
type Due = { readonly uids: Set<TaskUid>; fileBytes: number }

export class UnconfirmedTasks {
  readonly #due = new Map<string, Due>()
  readonly #open = new Map<TaskUid, OpenTask>()
  /** Answers of remotes as JSON, by task. */
  readonly #results = new Map<TaskUid, string>()
  /** The newest task that a remote has accepted. */
  readonly #newestAccepted = new Map<string, TaskUid>()
  /** Body files of ended but unconfirmed tasks, by task. */
  readonly heldBodies = new Map<TaskUid, number>()
  /** Tasks that were canceled here, and that a remote has not canceled yet. */
  readonly #canceled = new Map<string, Set<TaskUid>>()
  /** Number of remotes that have not yet canceled a task. */
  readonly #canceling = new Map<TaskUid, number>()

  added(uid: TaskUid, remotes: readonly string[], fileBytes: number): void {
    for (const remote of remotes) {
      const due = this.#due.get(remote) ?? { uids: new Set(), fileBytes: 0 }
      due.uids.add(uid)
      due.fileBytes += fileBytes
      this.#due.set(remote, due)
    }
    if (remotes.length > 0) this.#open.set(uid, { left: remotes.length, fileBytes })
  }

  results(uid: TaskUid): RemoteResults {
    const written = this.#results.get(uid)
    return written === undefined ? {} : readResults(written)
  }

  /** Returns whether some remote has not confirmed the task, or its cancelation. */
  isOpen(uid: TaskUid): boolean {
    return this.#open.has(uid) || this.#canceling.has(uid)
  }

  /** Returns whether remotes may have received the task. */
  isSent(uid: TaskUid): boolean {
    return this.#open.has(uid) || this.#results.has(uid)
  }

  /** The oldest unconfirmed task, or -1 if every task is confirmed. */
  get oldestOpen(): TaskUid {
    const canceling: TaskUid | undefined = this.#canceling.keys().next().value
    return this.#open.keys().next().value ?? canceling ?? asTaskUid(-1)
  }

  remotesDue(): readonly string[] {
    return [...new Set([...this.#due.keys(), ...this.#canceled.keys()])]
  }

  /**
   * Cancels a task: it is not sent any more, and remotes that may have received it must cancel it
   * too.
   */
  canceled(uid: TaskUid): void {
    const remotes = new Set<string>()
    for (const [remote, { uids }] of this.#due) if (uids.has(uid)) remotes.add(remote)
    for (const remote of remotes) this.#removeDue(uid, remote)
    for (const [remote, { error }] of Object.entries(this.results(uid))) {
      if (error === null) remotes.add(remote)
    }
    for (const remote of remotes) {
      const others = this.#canceled.get(remote) ?? new Set()
      this.#canceled.set(remote, others.add(uid))
    }
    if (remotes.size > 0) this.#canceling.set(uid, remotes.size)
  }

  /** Returns tasks that a remote must cancel, at most `max`. */
  canceledDue(remote: string, max: number): readonly TaskUid[] {
    const uids: TaskUid[] = []
    for (const uid of this.#canceled.get(remote) ?? []) {
      if (uids.length === max) break
      uids.push(uid)
    }
    return uids
  }

  /** Returns whether a remote must cancel a task. */
  isCanceled(uid: TaskUid, remote: string): boolean {
    return this.#canceled.get(remote)?.has(uid) === true
  }

  #hasCanceled(uid: TaskUid, remote: string): void {
    const uids = this.#canceled.get(remote)
    if (uids?.delete(uid) !== true) return
    if (uids.size === 0) this.#canceled.delete(remote)
    const left = this.#canceling.get(uid)! - 1
    if (left > 0) this.#canceling.set(uid, left)
    else this.#canceling.delete(uid)
  }

  /** Returns the oldest task that a remote has not confirmed, or -1. */
  oldestDue(remote: string): TaskUid {
    return this.#due.get(remote)?.uids.values().next().value ?? asTaskUid(-1)
  }

  dueCount(remote: string): number {
    return this.#due.get(remote)?.uids.size ?? 0
  }

  /** Number of tasks that a remote has not canceled yet. */
  cancelingCount(remote: string): number {
    return this.#canceled.get(remote)?.size ?? 0
  }

  /** Returns the bytes of the body files that are retained for a remote. */
  fileBytesDue(remote: string): number {
    return this.#due.get(remote)?.fileBytes ?? 0
  }

  /**
   * Applies answers of remotes. A confirmation is final: an error that was noted for the waiting
   * client while the confirmation was being written does not replace it. Returns the body file that
   * is no longer needed, or null.
   */
  answered(uid: TaskUid, answers: RemoteResults): number | null {
    const results: { [remote: string]: RemoteResult } = { ...this.results(uid) }
    let file: number | null = null
    for (const [remote, result] of Object.entries(answers)) {
      if (isConfirmed(result) || !isConfirmed(results[remote])) results[remote] = result
    }
    this.#results.set(uid, JSON.stringify(results))
    for (const [remote, result] of Object.entries(answers)) {
      if (!isConfirmed(result)) continue
      if (result.error === null) {
        const newest = this.#newestAccepted.get(remote)
        if (newest === undefined || uid > newest) this.#newestAccepted.set(remote, uid)
      }
      this.#hasCanceled(uid, remote)
      file = this.#removeDue(uid, remote) ?? file
    }
    return file
  }

  /**
   * Stops sending the tasks before `before` to a remote. Returns the body files that are no longer
   * needed.
   */
  dropped(remote: string, before: TaskUid): readonly number[] {
    for (const uid of this.#canceled.get(remote) ?? []) {
      if (uid < before) this.#hasCanceled(uid, remote)
    }
    return this.#dropDue(remote, before)
  }

  #dropDue(remote: string, before: TaskUid): readonly number[] {
    const files: number[] = []
    for (const uid of this.#due.get(remote)?.uids ?? []) {
      if (uid >= before) break
      const file = this.#removeDue(uid, remote)
      if (file !== null) files.push(file)
    }
    return files
  }

  /**
   * After a restart: drops the tasks that were dropped before. The log has no record of that, but
   * tasks are sent in order: a remote that has accepted a later task got documents instead of those
   * before it, and they must not overwrite what came after them. Returns the body files that are no
   * longer needed.
   */
  droppedBefore(): readonly number[] {
    return [...this.#newestAccepted].flatMap(([remote, newest]) => this.#dropDue(remote, newest))
  }

  #removeDue(uid: TaskUid, remote: string): number | null {
    const due = this.#due.get(remote)
    const open = this.#open.get(uid)
    if (due?.uids.delete(uid) !== true || open === undefined) return null
    due.fileBytes -= open.fileBytes
    if (due.uids.size === 0) this.#due.delete(remote)
    if (--open.left > 0) return null
    this.#open.delete(uid)
    const file = this.heldBodies.get(uid) ?? null
    this.heldBodies.delete(uid)
    return file
  }

  /** Forgets a deleted task. */
  removed(uid: TaskUid): void {
    this.#results.delete(uid)
  }
}
