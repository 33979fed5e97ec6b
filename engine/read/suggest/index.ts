// Which words and titles complete what is typed, and how is a misspelled query spelled in the
// documents that it finds?
export { correctedQuery } from './correction.ts'
export { CORRECTION_HITS_MAX } from './limits.ts'
export { runSuggest } from './run-suggest.ts'
