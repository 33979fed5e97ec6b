// Which other instances are there, and who holds what?
export { checkLeads } from './leader.ts'
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
export { type NetworkDescription, NetworkStore, networkChange } from './store.ts'
