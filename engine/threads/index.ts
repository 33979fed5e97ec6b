// Worker threads.
export { later } from './later.ts'
export { rest } from './rest.ts'
export { Thread, type ThreadOptions } from './thread.ts'
