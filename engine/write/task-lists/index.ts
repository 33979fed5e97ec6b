// Pages of tasks and batches in their public form.
export type { EveryTask } from './every.ts'
export { type FeedEvent, type FeedFollower, TaskFeed } from './feed.ts'
export { TaskLists } from './lists.ts'
export { batchView, summaryView, taskView, type View } from './views.ts'
