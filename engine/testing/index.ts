// Support for tests that run a whole engine; the tests of the whole engine are beside it.
export { fakeEmbedding, REST_EMBEDDER, withFragments } from './test-embedding.ts'
export {
  addDocuments,
  allTasks,
  changeSettings,
  documentsOf,
  EVERY_TASK,
  enqueue,
  openTestEngine,
  PLAIN_SEARCH,
  searchFor,
  type TestEngine,
} from './test-engine.ts'
