// What an API key allows, as bytes inside manifest edits. Layout: ./KEYS.md
export { decodeKey, type Expiry, encodeKey, type KeyRecord } from './keys-v1.ts'
export { KEY_BYTES_MAX, KEY_LIST_MAX } from './limits.ts'
export { keyNotes } from './notes.ts'
