// Which keys are there, and what does each allow?
export type { Expiry } from '../../../format/keys/index.ts'
export { ACTIONS } from './actions.table.ts'
export { allowedBy, isInstanceWide } from './actions.ts'
export { createDefaultKeys } from './defaults.ts'
export { keyText } from './derive.ts'
export { expiryText, isOver, readExpiry } from './expiry.ts'
export { type Patterns, patternsOf } from './patterns.ts'
export {
  type ApiKey,
  type KeyPatch,
  KeyStore,
  type Keys,
  keyChanges,
  type NewKey,
} from './store.ts'
export { readUuid, uuidOf } from './uuid.ts'
