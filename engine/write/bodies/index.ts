// Document bodies on disk: received, held until their task ends, removed.
export { Bodies } from './bodies.ts'
