// Authorisation by keys and tenant tokens.
export { authorisation } from './authorisation.ts'
