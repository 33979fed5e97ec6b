// The manual of the tools, generated from the declarations: manual pages, a page of documentation,
// completion for shells.
export { completion, SHELLS } from './completion.ts'
export { manualPages } from './man.ts'
export { toolsPage } from './markdown.ts'
export { type CommandOutline, outlineOf } from './outline.ts'
