// Which instances and shards does the network of this instance have now, and how does a change of
// them proceed? Page: ../NETWORK.md
export { type AdmitTask, admission } from './admission.ts'
export { Digests, type IndexDigest, type ShardDigest } from './digests.ts'
export { CANCEL_MS, RECORD_AGAIN_MS } from './limits.ts'
export {
  LocalReplication,
  type ReplicationPort,
  type SentTask,
  type TaskGroup,
} from './replication.ts'
export { settingsToSend } from './settings-to-send.ts'
export { LocalTopology } from './topology.ts'
export type { TopologyPort } from './topology-port.ts'
