// The tasks that remotes of a network have not confirmed: their answers, the data that is retained
// for each remote, and the end of a remote's backlog.
import type { TaskUid } from '../../../format/ids.ts'
import { encodeAnswers, RECORD_ANSWERS } from '../../../format/tasks/index.ts'
import type { RemoteResult } from '../../network/records/index.ts'
import { rowIn, type TaskLog, type TaskState } from '../task-data/index.ts'
import type { Appender } from './appender.ts'
import type { BatchLifecycle } from './lifecycle.ts'

/** Data that is retained for one remote of a network. */
export type Backlog = {
  readonly tasks: number
  readonly logBytes: number
  readonly fileBytes: number
}

type BacklogParts = {
  readonly state: TaskState
  readonly log: TaskLog
  readonly appender: Appender
  readonly lifecycle: BatchLifecycle
}

export class RemoteBacklogs {
  readonly #parts: BacklogParts

  constructor(parts: BacklogParts) {
    this.#parts = parts
  }

  /** Stores the answer of a remote to a task. Durable when it resolves. @throws StorageError */
  async answered(uid: TaskUid, remote: string, result: RemoteResult): Promise<void> {
    const { state, appender, lifecycle } = this.#parts
    const answers = { [remote]: result }
    const payload = encodeAnswers({ uid, answers: JSON.stringify(answers) })
    let file: number | null = null
    await appender.append(RECORD_ANSWERS, payload, () => {
      file = state.answered(uid, answers)
    })
    if (file !== null) await lifecycle.removeBodies([file])
  }

  /**
   * Returns the data retained for a remote: its unconfirmed tasks and cancelations, and bytes of the
   * log and of files.
   */
  of(remote: string): Backlog {
    const { state, log } = this.#parts
    const { unconfirmed } = state.network
    const oldest = state.tasks.find(unconfirmed.oldestDue(remote))
    const canceling = unconfirmed.cancelingCount(remote)
    if (oldest < 0) return { tasks: canceling, logBytes: 0, fileBytes: 0 }
    const offset = state.tasks.chunkOf(oldest).offset[rowIn(oldest)]!
    return {
      tasks: unconfirmed.dueCount(remote) + canceling,
      logBytes: log.bytes - Math.abs(offset),
      fileBytes: unconfirmed.fileBytesDue(remote),
    }
  }

  /** Stops sending the tasks before `before` to a remote. @throws StorageError */
  async drop(remote: string, before: TaskUid): Promise<void> {
    const { state, lifecycle } = this.#parts
    const files = state.network.unconfirmed.dropped(remote, before)
    if (files.length > 0) await lifecycle.removeBodies(files)
  }

  /** Call once after the start: see `UnconfirmedTasks.droppedBefore`. @throws StorageError */
  async dropAgain(): Promise<void> {
    const { state, lifecycle } = this.#parts
    const files = state.network.unconfirmed.droppedBefore()
    if (files.length > 0) await lifecycle.removeBodies(files)
  }
}
