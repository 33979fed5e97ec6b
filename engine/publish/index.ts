// How does the state of an open database get into an object store every few seconds?
export { PIECE_BYTES } from './limits.ts'
export type { PublishOptions } from './options.ts'
export { PublishingRunner } from './publishing-runner.ts'
