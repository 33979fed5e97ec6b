// Runs the tasks of an open database, and publishes its states to searches.
export { LiveViews } from './live-views.ts'
export type { Runner } from './runner.ts'
export {
  type Administered,
  type RunnerOptions,
  type RunnerParts,
  TaskRunner,
} from './task-runner.ts'
