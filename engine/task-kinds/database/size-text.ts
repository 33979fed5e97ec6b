// Sizes in the details of dumped tasks.
import { formatBytes } from '../../write/task-data/index.ts'

/** Formats a size for clients: dumps hold either bytes or the text itself. */
export const sizeText = (size: unknown): string =>
  typeof size === 'number' ? formatBytes(size) : String(size)
