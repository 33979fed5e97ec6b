// Where the task log of a published state is kept.
import { FOLLOWING } from '../store/catalog/index.ts'

/** The folder of a generation: each state that was taken over has its own. */
export const folderOf = (generation: number): string =>
  `${FOLLOWING}/${String(generation).padStart(6, '0')}`
