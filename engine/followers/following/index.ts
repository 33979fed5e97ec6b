// How does an instance serve the data that another one publishes into an object store? Page:
// ../FOLLOWERS.md
export { demoteToFollower } from './demote.ts'
export { type ExaminedFolder, examineFolder } from './folder-kind.ts'
export { FollowedLog } from './followed-log.ts'
export { Follower } from './follower.ts'
export { noIndexing } from './no-indexing.ts'
export type { FollowOptions } from './options.ts'
export { promoteFollower } from './promote.ts'
export { readOnlyBodies } from './read-only-bodies.ts'
export { followingOf } from './record.ts'
export { writeRefusal } from './refusal.ts'
export { taskFolderOf } from './task-folder.ts'
