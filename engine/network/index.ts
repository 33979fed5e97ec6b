// Which other instances are there, and who holds what?
export { checkLeads } from './leader.ts'
export {
  type MergeOptions,
  mergeNetwork,
  type NetworkPatch,
  notLeader,
  type RemotePatch,
  type ShardPatch,
} from './merge.ts'
export {
  decodeNetwork,
  encodeNetwork,
  type Network,
  NO_NETWORK,
  type Remote,
  type Shard,
} from './network.ts'
export { type NetworkDescription, NetworkStore, networkChange } from './store.ts'
