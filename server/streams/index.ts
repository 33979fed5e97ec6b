// Streams of tasks and of batches: every change, sent to all listeners as server-sent events.
export { EventStreams } from './event-streams.ts'
