// The network that this instance is part of, as it is stored: its instances, its shards, the
// network facts of tasks, and changes of all of them. Page: ../NETWORK.md
export {
  areShardsSame,
  type ChangedNetworks,
  changeContent,
  readChange,
  type TopologyChange,
} from './change.ts'
export { checkLeads } from './leader.ts'
export { NETWORK_BYTES_MAX } from './limits.ts'
export { checkMembership } from './membership.ts'
export {
  mergeNetwork,
  type NetworkPatch,
  type RemotePatch,
  type ShardPatch,
} from './merge.ts'
export {
  decodeNetwork,
  encodeNetwork,
  type Network,
  NO_NETWORK,
  type Remote,
} from './network.ts'
export { formerNetwork, placedNetwork, wasDivided } from './placement.ts'
export {
  type ChangeMessages,
  type ExporterProgress,
  exporterProgress,
  importingText,
  STATE_TEXTS,
  waitingText,
} from './progress.ts'
export {
  elected,
  Holdings,
  Rendezvous,
  type ShardSet,
  type Transfer,
  transferred,
} from './rendezvous.ts'
export {
  exportersTo,
  holdsAlone,
  isNeeded,
  keepsAll,
  mayBeAway,
  senderOf,
  shardSetOf,
  transferTo,
} from './shards.ts'
export {
  lastCopy,
  mayBePartial,
  type ResyncLists,
  resyncable,
  type StaleReason,
  type StaleRemote,
  StaleRemotes,
} from './stale.ts'
export { type NetworkDescription, NetworkStore, networkChange } from './store.ts'
export {
  type ImportSource,
  isConfirmed,
  type RemoteError,
  type RemoteResult,
  type RemoteResults,
  type TaskNetwork,
  type TaskOrigin,
} from './task-network.ts'
