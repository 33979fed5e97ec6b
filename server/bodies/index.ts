// Reads JSON bodies into typed values without blocking other requests.
export { BodyReader } from './body-reader.ts'
export { bulkJsonBody, jsonBody } from './json-body.ts'
export type { ReadMessage } from './protocol.ts'
export type { BodyName } from './readers.table.ts'
export { ThreadCore } from './thread-core.ts'
export type { DocumentTemplate, SettingsChange, SettingsTarget, WriteTarget } from './writes.ts'
