// Annotated bytes for golden files and the tools.
export type { Note } from './annotate.ts'
