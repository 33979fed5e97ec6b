// What a batch changes in an index, as changes of the edit that commits it.
export {
  clearChanges,
  documentChanges,
  handedOver,
  layersRemoved,
  type Rebuilt,
  rebuiltChanges,
  sizeChanges,
} from './batch-changes.ts'
