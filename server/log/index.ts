// What does the server say about itself?
export type { LogLevel } from './levels.ts'
export { Log, type LogFields, type LogMode, type LogOptions } from './log.ts'
export { writeStderr } from './stderr.ts'
