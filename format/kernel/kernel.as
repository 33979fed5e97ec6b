// The functions that the kernel exports: `KERNEL.md`.
export { near, ordinalOf, prefixed } from './dictionary'
export { products, scan } from './vectors'
