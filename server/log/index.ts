// What does the server say about itself?
export { Log, type LogFields, type LogLevel, type LogMode, type LogOptions } from './log.ts'
export { writeStderr } from './stderr.ts'
