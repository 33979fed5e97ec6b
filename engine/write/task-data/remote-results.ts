// The answers of remotes to a task, in the form of the log.
import type { TaskUid } from '../../../format/ids.ts'
import {
  either,
  flag,
  identifying,
  isValid,
  nothing,
  number,
  object,
  open,
  text,
} from '../../../format/schema/index.ts'
import type { RemoteError, RemoteResult, RemoteResults } from '../../network/records/index.ts'
import { badRecord } from './record-values.ts'

const ERROR = open(object<RemoteError>({ message: text, code: text, type: text, link: text }))
const RESULT = either(
  object<Extract<RemoteResult, { error: null }>>({
    taskUid: identifying<TaskUid>(number),
    error: nothing,
  }),
  object<Exclude<RemoteResult, { error: null }>>({ error: ERROR, isFinal: flag }),
)

/** @throws CorruptionError */
export function readResults(written: string): RemoteResults {
  const value = parsedRecord(written)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  const isGood = isObject && Object.values(value).every((one) => isValid(RESULT, one))
  return isGood ? (value as RemoteResults) : badRecord('answers of remotes', 'other JSON')
}

/** @throws CorruptionError */
export function parsedRecord(written: string): unknown {
  try {
    return JSON.parse(written)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return badRecord('JSON', 'other text')
  }
}
