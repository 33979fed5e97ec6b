// The calls that an open engine offers. One module per port: its interface and implementation.
export { LocalAdministration } from './administration.ts'
export { admission } from './admission.ts'
export { Digests, type IndexDigest, type ShardDigest } from './digests.ts'
export { LocalDocuments } from './documents.ts'
export type { AskBeforeCanceling, Engine } from './engine-port.ts'
export type { EngineOptions } from './options.ts'
export {
  LocalReplication,
  type ReplicationPort,
  type SentTask,
  type TaskGroup,
} from './replication.ts'
export { settingsToSend } from './settings-to-send.ts'
export { LocalTasks } from './tasks.ts'
export { LocalTopology } from './topology.ts'
