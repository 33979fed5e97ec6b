// Comparison and repair of replicas, and resyncs, which send stale shards again.
//
// Digests of all instances are compared; a repair marks the wrong shards of an instance as stale; a
// resync is a change of the network that moves nothing but these. Tasks, headers and messages name
// it `renewed`.
export type { ReplicaReport } from './compare-digests.ts'
export { type InstanceDigest, ownDigest, readDigest } from './digests.ts'
export { ANSWER_BYTES_MAX } from './limits.ts'
export type { ChangePlan } from './plan-change.ts'
export { type Repair, ReplicaWatch } from './replica-watch.ts'
export { ResyncScheduler } from './resync-scheduler.ts'
export {
  differentShards,
  type ResyncCalls,
  type SendDefinition,
  sendDifferentDefinitions,
} from './resync-shards.ts'
