// The parts of all pages: elements, queries, addresses, words, calls of the server.
export { type Place, readAddress, VIEWS, type View, writeAddress } from './address.ts'
export { batchChanges, soon, taskChanges } from './changes.ts'
export { command, copyButton } from './copy-button.ts'
export { bodySchema, type JsonSchema } from './description.ts'
export { bar, type Child, fill, focusAgain, focusName, h, ICONS, icon, refill } from './element.ts'
export { field, INDEX_NAME, textField } from './fields.ts'
export {
  filterOf,
  matchingElements,
  placeIn,
  type Range,
  refinedFacets,
  withTick,
} from './filters.ts'
export { type ReadJson, readJson, readObject } from './json-text.ts'
export { KeyControl } from './key-control.ts'
export { emptyIndexNote, errorNote, noIndexNote, unknownIndexNote } from './notes.ts'
export { imageOrigins, isReadOnly } from './options.ts'
export { about } from './prose.ts'
export {
  type Answer,
  countsFor,
  type Facet,
  facetsOf,
  type Hit,
  histogramsFor,
  intervalOf,
  MARK_BEGINS,
  MARK_ENDS,
  markedPieces,
  PAGE_HITS,
  partedFacets,
  type Question,
  type SearchBody,
  searchFor,
  valuesOf,
  withCounts,
} from './query.ts'
export {
  changedOptions,
  FUSIONS,
  type SearchOptions,
  STRATEGIES,
  wordMembers,
} from './search-options.ts'
export {
  ask,
  authorization,
  hasKey,
  indexPath,
  isAbort,
  openEvents,
  restoreKey,
  ServerError,
  sendRaw,
  serverErrorOf,
  targetOf,
} from './server.ts'
export type { IndexRow, PageView, Site } from './site.ts'
export { requestCode, type SentRequest } from './snippets.ts'
export { readStored, writeStored } from './storage.ts'
export {
  ALL_TASKS,
  type Batch,
  firstLine,
  isFinished,
  type List,
  momentText,
  type Task,
  type TaskPlace,
  tasksQuery,
  waitText,
} from './task-model.ts'
export { themeButton } from './theme.ts'
export { agoText, bytesText, camelText, countText, durationText, plural } from './words.ts'
