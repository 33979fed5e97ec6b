// Task kinds that change documents, or how they are indexed.
export { documentAdditionOrUpdate } from './document-addition-or-update.ts'
export { documentDeletion, encodedDeletion } from './document-deletion.ts'
export { documentEdition, encodedEdition } from './document-edition.ts'
export { encodedSettings, settingsUpdate } from './settings-update.ts'
