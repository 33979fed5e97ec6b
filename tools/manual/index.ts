// How are the commands used? Manual pages, a page of documentation, completion for shells, all made
// from the declarations.
export { completion, SHELLS } from './completion.ts'
export { manualPages } from './man.ts'
export { toolsPage } from './markdown.ts'
export { type CommandOutline, outlineOf } from './outline.ts'
