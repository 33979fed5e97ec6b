// The task queue of a database, read without a server.
export { listTasks, showTask, type TaskListOptions } from './read-tasks.ts'
export { taskListText, taskText } from './tasks-text.ts'
