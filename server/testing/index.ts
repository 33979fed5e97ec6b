// Parts that tests and drills of whole servers share: object stores, followers, providers.
export {
  BUCKET,
  STORE_KEY,
  startStore,
  type Trouble,
} from './test-object-store.ts'
export { type StoreStyle, StrictStore } from './test-strict-store.ts'
