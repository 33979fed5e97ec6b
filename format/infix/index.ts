// The grams of the terms of a segment: which terms contain a text? Layout: ./INFIX.md
export { GRAM_CHARS } from './limits.ts'
export { INFIX_SECTION, InfixReader } from './reader-v1.ts'
export { InfixWriter } from './writer-v1.ts'
