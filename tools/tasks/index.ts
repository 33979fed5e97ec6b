// The task queue of a database that nobody runs: which tasks there are, and how they ended.
export { listTasks, showTask, type TaskListOptions } from './read-tasks.ts'
export { taskListText, taskText } from './tasks-text.ts'
