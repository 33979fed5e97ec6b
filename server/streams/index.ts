// Streams of tasks and of batches: every change, sent to all listeners as server-sent events.
export { EventStreams, type StreamKind } from './event-streams.ts'
