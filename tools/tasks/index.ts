// The task queue of a database, read without a server.
export { listTasks, showTask } from './read-tasks.ts'
export { taskListText, taskText } from './tasks-text.ts'
