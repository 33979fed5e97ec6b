// Task kinds that change indexes as a whole, and search rules.
export { dsrClear } from './dsr-clear.ts'
export { dsrUpdate } from './dsr-update.ts'
export { indexCompaction } from './index-compaction.ts'
export { indexCreation } from './index-creation.ts'
export { indexDeletion } from './index-deletion.ts'
export { indexSwap } from './index-swap.ts'
export { indexUpdate } from './index-update.ts'
export { pendingRuleTasks } from './rule-batch.ts'
