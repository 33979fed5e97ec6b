// Worker threads. Page: ./THREADS.md
export type { WorkerFiles } from './worker-files.ts'
export {
  JobTookTooLong,
  type PoolJob,
  type RecyclePolicy,
  WorkerPool,
} from './worker-pool.ts'
