// Support for tests that run a whole engine; the tests of the whole engine are beside it.
export {
  addDocuments,
  allTasks,
  documentsOf,
  EVERY_TASK,
  enqueue,
  type Import,
  openTestEngine,
  PLAIN_SEARCH,
  searchFor,
  type TestEngine,
} from './test-engine.ts'
export { age, dropLayer } from './test-old-segments.ts'
export { checkWork, randomWork, sendWork, type Work } from './test-work.ts'
