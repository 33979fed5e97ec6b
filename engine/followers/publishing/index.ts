// How is the state of an open database copied into an object store every few seconds? Page:
// ../FOLLOWERS.md
export { fencedTransport } from './leased-term.ts'
export { openPublishing, type Publishing } from './open-publishing.ts'
export type { PublishOptions } from './options.ts'
export { PublishingRunner } from './publishing-runner.ts'
export { decideRole, type Role } from './role.ts'
export { unpublishedLists } from './unpublished.ts'
