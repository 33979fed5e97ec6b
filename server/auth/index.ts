// Authorisation by keys and tenant tokens.
export { authorisation, keyPermits } from './authorisation.ts'
