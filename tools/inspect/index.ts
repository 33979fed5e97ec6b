// Looking into files: segments, dictionaries, the manifest, logs. Each command is a function that
// returns plain data, and one that turns the data into text.
export { type Finding, findingAbout, findingOf, findingText } from './finding.ts'
export { footerChecksum, frameDamage } from './frame-damage.ts'
export {
  fstDump,
  fstGraph,
  fstGrep,
  type TermLimits,
  type TermList,
  type TermRow,
  termListText,
} from './fst-terms.ts'
export { logPrint, logPrintText, type PrintedLog, type PrintedRecord } from './log-print.ts'
export {
  manifestPrint,
  manifestPrintText,
  type PrintedEdit,
  type PrintedManifest,
} from './manifest-print.ts'
export {
  type DatabaseSummary,
  type IndexSummary,
  type LayerSummary,
  manifestState,
  manifestStateText,
  type SegmentSummary,
} from './manifest-state.ts'
export { besideServer, mapWholeFile, openDatabaseFolder } from './open-database.ts'
export { type SegmentLayout, segmentLayout, segmentLayoutText } from './segment-layout.ts'
export {
  type DescribedSegment,
  type SegmentProperties,
  segmentProperties,
  segmentPropertiesText,
} from './segment-properties.ts'
export { type SegmentChoice, segmentBytes, segmentLabel } from './segment-source.ts'
export { type TaskRecordSummary, taskRecordSummary } from './task-summary.ts'
