// Reads files of a database: segments, dictionaries, the manifest, logs. Each command has a
// function that returns plain data, and one that formats the data as text.
export { type Finding, findingAbout, findingOf, findingText } from './finding.ts'
export { footerChecksum, frameDamage } from './frame-damage.ts'
export {
  fstDump,
  fstGraph,
  fstGrep,
  termListText,
} from './fst-terms.ts'
export { logPrint, logPrintText } from './log-print.ts'
export {
  manifestPrint,
  manifestPrintText,
} from './manifest-print.ts'
export {
  type IndexSummary,
  type LayerSummary,
  manifestState,
  manifestStateText,
} from './manifest-state.ts'
export { besideServer, openDatabaseFolder } from './open-database.ts'
export { segmentLayout, segmentLayoutText } from './segment-layout.ts'
export {
  segmentProperties,
  segmentPropertiesText,
} from './segment-properties.ts'
export { type SegmentChoice, segmentBytes, segmentLabel } from './segment-source.ts'
export { taskRecordSummary } from './task-summary.ts'
