// Is a database what it should be? Every byte, and every part against the others.
export { type CheckOptions, checkDatabase } from './check-database.ts'
export { checkText } from './report-text.ts'
export {
  type CheckResult,
  type FileReport,
  findingsOf,
  type IndexReport,
  type Leftover,
} from './result.ts'
