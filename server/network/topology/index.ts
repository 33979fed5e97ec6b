// Changes of the network: who joins and leaves, and the documents that move.
export { type Changed, NetworkChanges } from './change-network.ts'
export { Coordinator } from './coordinator.ts'
