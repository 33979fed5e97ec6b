// Support for tests that run a whole engine; the tests of the whole engine are beside it.
export {
  addDocuments,
  allTasks,
  documentsOf,
  EVERY_TASK,
  enqueue,
  openTestEngine,
  PLAIN_SEARCH,
  searchFor,
  type TestEngine,
} from './test-engine.ts'
