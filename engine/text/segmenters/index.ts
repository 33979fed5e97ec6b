// Segments texts of languages that write words without spaces: where does each token end?
export { germanParts } from './german.ts'
export { isNumberPiece, type Segmenter, segmenterFor, WHOLE } from './segmenters.ts'
