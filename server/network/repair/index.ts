// Comparison of replicas, and shards that are sent again.
export type { Replicas } from './compare-digests.ts'
export {
  ANSWER_BYTES_MAX,
  type InstanceDigest,
  ownDigest,
  REQUEST_MS,
  readDigest,
} from './digests.ts'
export type { ChangePlan } from './plan-change.ts'
export {
  differentShards,
  type RenewalCalls,
  type SendDefinition,
  sendDifferentDefinitions,
} from './renew-shards.ts'
export { Renewals } from './renewals.ts'
export { type Repair, ReplicaWatch } from './replicas.ts'
