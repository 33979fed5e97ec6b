// Which tasks of the leader remotes have not confirmed, and what they answered. Such tasks stay in
// the log with all that they asked for, and keep their body files, until every remote has confirmed
// them or was given up. Tasks that the leader has canceled are not sent; remotes that may have them
// have to cancel them too, and until then such tasks are open as well.
import { isConfirmed, type RemoteResults } from '../../model/index.ts'
import { readResults } from './remote-results.ts'

/** A task that some remote has not confirmed. */
type OpenTask = {
  /** Remotes that have not. */
  left: number
  /** Bytes of its body file; 0: there is no file. */
  readonly fileBytes: number
}

/** Tasks that one remote has not confirmed, in ascending order, and the bytes of their files. */
type Due = { readonly uids: Set<number>; fileBytes: number }

export class UnconfirmedTasks {
  readonly #due = new Map<string, Due>()
  readonly #open = new Map<number, OpenTask>()
  /** JSON of what remotes answered, by task. */
  readonly #results = new Map<number, string>()
  /** Body files of tasks that have ended and are not confirmed, by task. */
  readonly heldBodies = new Map<number, number>()
  /** Tasks that were canceled here, and that a remote has not canceled yet. */
  readonly #canceled = new Map<string, Set<number>>()
  /** How many remotes have not canceled a task, where some have not. */
  readonly #canceling = new Map<number, number>()

  added(uid: number, remotes: readonly string[], fileBytes: number): void {
    for (const remote of remotes) {
      const due = this.#due.get(remote) ?? { uids: new Set(), fileBytes: 0 }
      due.uids.add(uid)
      due.fileBytes += fileBytes
      this.#due.set(remote, due)
    }
    if (remotes.length > 0) this.#open.set(uid, { left: remotes.length, fileBytes })
  }

  results(uid: number): RemoteResults {
    const written = this.#results.get(uid)
    return written === undefined ? {} : readResults(written)
  }

  resultsText(uid: number): string | null {
    return this.#results.get(uid) ?? null
  }

  /** Whether some remote has not confirmed the task, or that it was canceled. */
  isOpen(uid: number): boolean {
    return this.#open.has(uid) || this.#canceling.has(uid)
  }

  /** Whether remotes may have the task. */
  isSent(uid: number): boolean {
    return this.#open.has(uid) || this.#results.has(uid)
  }

  /** A task that some remote has not confirmed; -1: every task is confirmed. */
  get oldestOpen(): number {
    const canceling: number | undefined = this.#canceling.keys().next().value
    return this.#open.keys().next().value ?? canceling ?? -1
  }

  remotesDue(): readonly string[] {
    return [...new Set([...this.#due.keys(), ...this.#canceled.keys()])]
  }

  /** The task was canceled: it is not sent any more, and remotes that may have it cancel it too. */
  canceled(uid: number): void {
    const remotes = new Set<string>()
    for (const [remote, { uids }] of this.#due) if (uids.has(uid)) remotes.add(remote)
    for (const remote of remotes) this.#settled(uid, remote)
    for (const [remote, { error }] of Object.entries(this.results(uid))) {
      if (error === null) remotes.add(remote)
    }
    for (const remote of remotes) {
      const others = this.#canceled.get(remote) ?? new Set()
      this.#canceled.set(remote, others.add(uid))
    }
    if (remotes.size > 0) this.#canceling.set(uid, remotes.size)
  }

  /** Tasks that a remote has to cancel, `max` at most. */
  canceledDue(remote: string, max: number): readonly number[] {
    const uids: number[] = []
    for (const uid of this.#canceled.get(remote) ?? []) {
      if (uids.length === max) break
      uids.push(uid)
    }
    return uids
  }

  /** Whether a remote has to cancel a task. */
  isCanceled(uid: number, remote: string): boolean {
    return this.#canceled.get(remote)?.has(uid) === true
  }

  #hasCanceled(uid: number, remote: string): void {
    const uids = this.#canceled.get(remote)
    if (uids?.delete(uid) !== true) return
    if (uids.size === 0) this.#canceled.delete(remote)
    const left = this.#canceling.get(uid)! - 1
    if (left > 0) this.#canceling.set(uid, left)
    else this.#canceling.delete(uid)
  }

  /** The oldest task that a remote has not confirmed; -1: none. */
  oldestDue(remote: string): number {
    return this.#due.get(remote)?.uids.values().next().value ?? -1
  }

  dueCount(remote: string): number {
    return this.#due.get(remote)?.uids.size ?? 0
  }

  /** Bytes of the body files that are kept for a remote. */
  fileBytesDue(remote: string): number {
    return this.#due.get(remote)?.fileBytes ?? 0
  }

  /** Takes what remotes answered; the body file that is not needed any more, or null. */
  answered(uid: number, news: RemoteResults): number | null {
    const results = { ...this.results(uid), ...news }
    this.#results.set(uid, JSON.stringify(results))
    let file: number | null = null
    for (const [remote, result] of Object.entries(news)) {
      if (!isConfirmed(result)) continue
      this.#hasCanceled(uid, remote)
      file = this.#settled(uid, remote) ?? file
    }
    return file
  }

  /**
   * A remote will not be sent its tasks before `before` any more; the body files that are not
   * needed any more.
   */
  dropped(remote: string, before: number): readonly number[] {
    const files: number[] = []
    for (const uid of this.#canceled.get(remote) ?? []) {
      if (uid < before) this.#hasCanceled(uid, remote)
    }
    for (const uid of this.#due.get(remote)?.uids ?? []) {
      if (uid >= before) break
      const file = this.#settled(uid, remote)
      if (file !== null) files.push(file)
    }
    return files
  }

  #settled(uid: number, remote: string): number | null {
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

  /** The task is gone. */
  removed(uid: number): void {
    this.#results.delete(uid)
  }
}
