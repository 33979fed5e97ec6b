// Commands on a running server: import, search, settings, tasks.
export { askInstance, type Instance, instanceOf, LONG_ANSWER_MS } from './ask.ts'
export { importFile, importText } from './import.ts'
export { delimiterOf, formatOf } from './pieces.ts'
export { RECEIPT } from './remote-task.ts'
export { searchIndex, searchText } from './search.ts'
export { changeSettings, fileText, readSettings } from './settings.ts'
export { failureText, finishedTasks } from './tasks.ts'
