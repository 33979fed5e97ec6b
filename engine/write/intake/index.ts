// Document bodies: validated, stored as a stream of documents, read back one by one.
export { readBody } from './body.ts'
export { BodyWriter } from './body-file.ts'
export type { Intake } from './contract.ts'
export { createIntake } from './intake.ts'
export {
  inferPrimaryKey,
  PrimaryKey,
  readExternalId,
} from './primary-key.ts'
