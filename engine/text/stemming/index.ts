// The stemmers of languages, from packages.
export { STEMMED_LANGUAGES, STEMMER_NAMES } from './languages.ts'
export { type Stemmer, stemmerNamed } from './stemmer-packages.ts'
