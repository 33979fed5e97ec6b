// Task kinds that concern the whole database: dumps, snapshots, exports, upgrades, the network.
export { instanceUidChange, instanceUidOf, sweepDump } from './dump-batch.ts'
export { dumpCreation } from './dump-creation.ts'
export { exportKind } from './export.ts'
export { exportedIndex } from './export-batch.ts'
export { networkTopologyChange } from './network-topology-change.ts'
export { sizeText } from './size-text.ts'
export { snapshotFileName } from './snapshot-batch.ts'
export { snapshotCreation } from './snapshot-creation.ts'
export {
  type ConsistentCut,
  type CutParts,
  emptyStaging,
  takeConsistentCut,
} from './snapshot-cut.ts'
export { digestsOf, namingStore, openBucket, storeTurnsOf, storeWords } from './snapshot-upload.ts'
export { noteOldSegments } from './upgrade.ts'
export { enqueueUpgrade, rollBackUpgrade } from './upgrade-batch.ts'
export { upgradeDatabase } from './upgrade-database.ts'
