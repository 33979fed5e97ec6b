// The changes of an index by a batch, for the edit that commits it.
export {
  clearChanges,
  congestionOf,
  documentChanges,
  layersRemoved,
  type Rebuilt,
  rebuiltChanges,
  sizeChanges,
} from './batch-changes.ts'
