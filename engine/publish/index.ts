// How is the state of an open database copied into an object store every few seconds?
export { PIECE_BYTES } from './limits.ts'
export type { PublishOptions } from './options.ts'
export { PublishingRunner } from './publishing-runner.ts'
