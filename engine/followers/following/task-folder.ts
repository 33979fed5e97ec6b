// The folder of the task log of a database: its own, or that of a published state.
import { FOLLOWING, type State, TASKS } from '../../store/catalog/index.ts'
import { followingOf } from './record.ts'

/** Returns the folder of a generation: each state that was taken over has a separate one. */
export const folderOf = (generation: number): string =>
  `${FOLLOWING}/${String(generation).padStart(6, '0')}`

/** Returns the folder of the task log that belongs to this state. @throws CorruptionError */
export function taskFolderOf(state: State): string {
  const following = followingOf(state)
  return following === null ? TASKS : folderOf(following.generation)
}
