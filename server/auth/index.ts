// Here is a token: who is it, and may they do that?
export { type AuthorisationOptions, authorisation } from './authorisation.ts'
