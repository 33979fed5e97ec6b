// All task kinds, one row each. Other code iterates over them or looks one up by name.

import {
  dumpCreation,
  exportKind,
  networkTopologyChange,
  snapshotCreation,
  upgradeDatabase,
} from './database/index.ts'
import {
  documentAdditionOrUpdate,
  documentDeletion,
  documentEdition,
  settingsUpdate,
} from './documents/index.ts'
import {
  dsrClear,
  dsrUpdate,
  indexCompaction,
  indexCreation,
  indexDeletion,
  indexSwap,
  indexUpdate,
} from './indexes/index.ts'
import { taskCancelation } from './task-cancelation.ts'
import { taskDeletion } from './task-deletion.ts'

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
