// The manual of the tools, generated from the declarations: manual pages, a page of documentation,
// completion for shells.
export { completion } from './completion.ts'
export { manualPages } from './man.ts'
export { type CommandOutline, outlineOf } from './outline.ts'
