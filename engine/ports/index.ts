// What may be asked of an open engine? One module a port: its interface, and what answers it.
export { LocalAdministration } from './administration.ts'
export { LocalDocuments } from './documents.ts'
export type { Engine } from './engine-port.ts'
export { leaderCheck } from './leader-check.ts'
export type { EngineOptions } from './options.ts'
export { LocalTasks } from './tasks.ts'
