// Document bodies on disk: received, stored until their task ends, removed.
export { Bodies } from './bodies.ts'
export { type BodyReceiver, ReceivedBody } from './received-body.ts'
