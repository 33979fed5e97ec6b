// Sizes in the details of dumped tasks.
import { formatBytes } from '../write/tasks/index.ts'

/** A size as clients are shown it: dumps hold bytes, or the text itself. */
export const sizeText = (size: unknown): string =>
  typeof size === 'number' ? formatBytes(size) : String(size)
