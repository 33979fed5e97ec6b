// Commands on a running server: import, search, settings, tasks.
export { askInstance, type Instance, instanceOf, LONG_ANSWER_MS } from './ask.ts'
export { type ImportResult, importFile, importText } from './import.ts'
export { formatOf } from './pieces.ts'
export { type SearchResult, searchIndex, searchText } from './search.ts'
export { changeSettings, fileText, readSettings } from './settings.ts'
export { failureText } from './tasks.ts'
