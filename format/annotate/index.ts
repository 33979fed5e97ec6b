// Annotated bytes for golden files and the tools.
export { annotate, bytesOfAnnotated, type Note } from './annotate.ts'
