// The log of the server.
export { durationText, type LogFields, type LogMode, type LogSpan } from './event.ts'
export type { LogLevel } from './levels.ts'
export { Log } from './log.ts'
export type { ProfiledSpan } from './profile.ts'
export { StderrLines, writeStderr } from './stderr.ts'
export { LogStream, type LogStreamOptions } from './stream.ts'
