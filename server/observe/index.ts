// Log lines about requests, batches and slow searches; also the schedule of snapshots.
export { batchLog } from './batch-log.ts'
export { requestLog } from './request-log.ts'
export { isSearch, SlowSearches } from './slow-searches.ts'
export { scheduleSnapshots } from './snapshot-schedule.ts'
