// Which tasks of the leader remotes have not confirmed, and what they answered. Such tasks stay in
// the log with all that they asked for, and keep their body files, until every remote has confirmed
// them or was given up.
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

  /** Whether some remote has not confirmed the task. */
  isOpen(uid: number): boolean {
    return this.#open.has(uid)
  }

  /** The oldest task that some remote has not confirmed; -1: every task is confirmed. */
  get oldestOpen(): number {
    return this.#open.keys().next().value ?? -1
  }

  remotesDue(): readonly string[] {
    return [...this.#due.keys()]
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
      if (isConfirmed(result)) file = this.#settled(uid, remote) ?? file
    }
    return file
  }

  /**
   * A remote will not be sent its tasks before `before` any more; the body files that are not
   * needed any more.
   */
  dropped(remote: string, before: number): readonly number[] {
    const files: number[] = []
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
