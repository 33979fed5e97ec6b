// How is a database folder opened: as an engine that runs tasks, as a follower, as a reader?
export { openEngine } from './open-engine.ts'
export { openFollower, openReader } from './open-readers.ts'
