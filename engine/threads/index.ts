// Worker threads.
export { later } from './later.ts'
export { Thread, type ThreadOptions } from './thread.ts'
