// All task kinds, one row each. Other code iterates over them or looks one up by name.
import { documentAdditionOrUpdate } from './document-addition-or-update.ts'
import { documentDeletion } from './document-deletion.ts'
import { documentEdition } from './document-edition.ts'
import { dsrClear } from './dsr-clear.ts'
import { dsrUpdate } from './dsr-update.ts'
import { dumpCreation } from './dump-creation.ts'
import { exportKind } from './export.ts'
import { indexCompaction } from './index-compaction.ts'
import { indexCreation } from './index-creation.ts'
import { indexDeletion } from './index-deletion.ts'
import { indexSwap } from './index-swap.ts'
import { indexUpdate } from './index-update.ts'
import { networkTopologyChange } from './network-topology-change.ts'
import { settingsUpdate } from './settings-update.ts'
import { snapshotCreation } from './snapshot-creation.ts'
import { taskCancelation } from './task-cancelation.ts'
import { taskDeletion } from './task-deletion.ts'
import { upgradeDatabase } from './upgrade-database.ts'

export const KINDS = [
  documentAdditionOrUpdate,
  documentEdition,
  documentDeletion,
  settingsUpdate,
  indexCreation,
  indexDeletion,
  indexUpdate,
  indexSwap,
  taskCancelation,
  taskDeletion,
  dumpCreation,
  snapshotCreation,
  exportKind,
  upgradeDatabase,
  indexCompaction,
  networkTopologyChange,
  dsrUpdate,
  dsrClear,
] as const
