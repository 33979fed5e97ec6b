// Which words and titles complete what is typed, and how is a misspelled query spelled in the
// documents that it finds?
export { correctionOf } from './correction.ts'
export { runSuggest } from './run-suggest.ts'
