// Where does each token of a piece of text end, in a language whose words are not separated?
export { germanParts } from './german.ts'
export { isNumberPiece, type Segmenter, segmenterFor, WHOLE } from './segmenters.ts'
