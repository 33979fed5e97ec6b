// Append-only logs on disk, and logs that are replaced while they are written.
export { AppendLog } from './append-log.ts'
export { logFiles } from './file-names.ts'
export { createLog, encodeLog, naming, openLog, soundBytes } from './open-log.ts'
export { RotatingLog } from './rotating-log.ts'
