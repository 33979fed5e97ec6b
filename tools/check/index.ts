// Checks a database: every byte, and every part against the others.
export { type CheckOptions, checkDatabase } from './check-database.ts'
export { checkText } from './report-text.ts'
export {
  type CheckResult,
  findingsOf,
} from './result.ts'
