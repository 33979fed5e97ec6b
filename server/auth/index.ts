// Here is a token: who is it, and may they do that?
export { authorisation } from './authorisation.ts'
