// What changes an open database.
import type { FollowStatus } from '../model/index.ts'
import type { Views } from '../store/views/index.ts'

/**
 * What changes the database behind the ports: the runner of tasks, or a follower, which takes over
 * what another database has become.
 */
export interface Runner {
  readonly views: Views
  start(): void
  /** Resolves when no task waits or runs. */
  idle(): Promise<void>
  /** Resolves when nothing is left to merge. */
  settle(): Promise<void>
  /** Nothing changes the database any more when this resolves. */
  stop(): Promise<void>
  /** Resolves when files that are not used any more are gone; after `stop`. */
  cleaned(): Promise<void>
  /** null: the engine takes writes. */
  readonly follows: FollowStatus | null
  /**
   * For a follower that serves indexes one by one: null when all of these can be read, else it
   * resolves when they can. @throws EngineFault `index_not_downloaded` after some time
   */
  readonly whenServed?: (uids: readonly string[]) => Promise<void> | null
}
