// The log of the server.
export type { LogFields, LogSpan } from './event.ts'
export { Log } from './log.ts'
export type { ProfiledSpan } from './profile.ts'
export { StderrLines, writeStderr } from './stderr.ts'
export { LogStream } from './stream.ts'
