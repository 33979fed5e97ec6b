// The functions that the kernel exports: `KERNEL.md`.
export { near, ordinalOf, prefixed } from './dictionary'
export { occurrences, unite } from './postings'
export { products, scan, scores } from './vectors'
