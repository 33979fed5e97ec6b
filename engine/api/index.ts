// The calls that an open engine offers. One module per port: its interface and implementation.
export { LocalAdministration } from './administration.ts'
export { LocalDocuments } from './documents.ts'
export type { AskBeforeCanceling, Engine } from './engine-port.ts'
export { SEARCH_CACHE_BYTES_MAX } from './limits.ts'
export type { EngineOptions } from './options.ts'
export { LocalTasks } from './tasks.ts'
export { LocalVisibility, type TaskWait } from './visibility.ts'
