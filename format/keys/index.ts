// API keys as bytes, values of the manifest. Layout: ./KEYS.md
export { decodeKey, type Expiry, encodeKey } from './keys-v1.ts'
export { KEY_BYTES_MAX, KEY_LIST_MAX } from './limits.ts'
