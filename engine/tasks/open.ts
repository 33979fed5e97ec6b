// The queue's files in the database folder: its log, and the larger bodies beside it.
import { BODIES, TASKS } from '../catalog/index.ts'
import { StorageError } from '../errors.ts'
import { drawMark, type FileSystem, RotatingLog } from '../storage/index.ts'
import type { BodyFiles } from './lifecycle.ts'
import type { TaskLog } from './log.ts'

const BODY = /^(\d{6,16})\.body$/

/**
 * Opens the log that is in force, or makes the first one. The folder exists. @throws StorageError
 */
export const openTaskLog = (fs: FileSystem): Promise<TaskLog> =>
  RotatingLog.open(fs, { folder: TASKS, name: 'tasks', kind: 'TASK', drawMark })

/** The path of a body file in the database folder. */
export const bodyPath = (file: number): string => `${BODIES}/${bodyName(file)}`

const bodyName = (file: number): string => `${String(file).padStart(6, '0')}.body`

export const bodyFilesIn = (fs: FileSystem): BodyFiles => ({
  list: async () => {
    const numbers = fs.list(BODIES).map((name) => ({ name, file: Number(BODY.exec(name)?.[1]) }))
    return numbers.filter(({ name, file }) => bodyName(file) === name).map(({ file }) => file)
  },
  remove: async (file) => {
    try {
      await fs.removeAsync(bodyPath(file))
    } catch (error) {
      // Gone already: a removal is not synced, and may have been seen or not.
      if (!(error instanceof StorageError) || error.code !== 'missing') throw error
    }
  },
})
