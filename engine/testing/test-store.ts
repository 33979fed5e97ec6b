// Support for tests: the options of an object store in memory.
import type { MemoryObjects } from '../backup/objstore/test-memory-store.ts'
import type { StoreOptions } from '../task-kinds/kind/index.ts'

export const storeIn = (
  { transport }: MemoryObjects,
  more: Partial<StoreOptions> = {},
): StoreOptions => ({
  transport,
  url: 'https://store.test/',
  region: 'r',
  bucket: 'b',
  place: { prefix: 'p', name: 'db' },
  credentials: { kind: 'keys', accessKey: 'AK', secretKey: 'SK' },
  lanesMax: 2,
  level: 0,
  partBytes: 2 ** 24,
  signatureSeconds: 600,
  incremental: true,
  retain: null,
  now: Date.now,
  retryPauseMs: 1,
  ...more,
})
