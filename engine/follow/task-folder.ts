// Where the task log of a database is: its own, or that of a published state.
import { FOLLOWING, type State, TASKS } from '../store/catalog/index.ts'
import { followingOf } from './record.ts'

/** The folder of a generation: each state that was taken over has its own. */
export const folderOf = (generation: number): string =>
  `${FOLLOWING}/${String(generation).padStart(6, '0')}`

/** The folder of the task log that belongs to this state. @throws CorruptionError */
export function taskFolderOf(state: State): string {
  const following = followingOf(state)
  return following === null ? TASKS : folderOf(following.generation)
}
