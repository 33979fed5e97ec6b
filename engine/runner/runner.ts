// The component that changes an open database.
import type { IndexUid } from '../../format/ids.ts'
import type { FollowStatus, Publication } from '../model/index.ts'
import type { Views } from '../store/views/index.ts'

/**
 * Changes the database behind the ports: either the runner of tasks, or a follower, which applies
 * the published states of another database.
 */
export interface Runner {
  readonly views: Views
  start(): void
  /** Resolves when no task waits or runs. */
  idle(): Promise<void>
  /** Resolves when nothing is left to merge. */
  allMerged(): Promise<void>
  /** Resolves when no more changes to the database can follow. */
  stop(): Promise<void>
  /** Resolves when unused files have been removed; call it after `stop`. */
  cleaned(): Promise<void>
  /** The state of a follower, or null if the engine accepts writes. */
  readonly follows: FollowStatus | null
  /** Absent if it publishes nothing: then writes are acknowledged when they are durable. */
  readonly publication?: Publication
  /**
   * For a follower that serves indexes one by one: returns null if all of these indexes can be
   * read, else a promise that resolves when they can. @throws EngineFault `index_not_downloaded`
   * after a time limit
   */
  readonly whenServed?: (uids: readonly IndexUid[]) => Promise<void> | null
}
