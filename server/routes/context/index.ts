// The options that all routes get, views of objects, and gates of features.
export {
  checkFeature,
  checkFilterFirst,
  checkInlineRule,
  checkOwnInstance,
  checkPersonalize,
  checkUseNetwork,
  personalizationOff,
} from './gates.ts'
export {
  DESCRIBED_INDEXES_MAX,
  DESCRIPTION_LENGTH_MAX,
  FACET_VALUES_MAX,
  FOUND_BYTES_MAX,
} from './limits.ts'
export { listText } from './list-text.ts'
export { documentsContext, searchContext } from './metadata.ts'
export type { RouteOptions } from './options.ts'
export { questionStrategy } from './question-strategy.ts'
export { type ReadParts, seeingWrites } from './reads.ts'
export { taskStreams } from './task-streams.ts'
export {
  accepted,
  batchView,
  indexStatsView,
  indexView,
  okReply,
  statsView,
  taskOf,
} from './views.ts'
