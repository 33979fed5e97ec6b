// Headers for clusters whose members all receive the same requests: `TaskId` sets the uid of a
// task, `DryRun` answers the task without registering it. Routes read both when they register a
// task.
import type { Registration } from '../../engine/index.ts'
import { asTaskUid, type TaskUid } from '../../format/ids.ts'
import { ApiError } from '../errors/index.ts'
import type { RequestContext } from '../http/messages/index.ts'

const TASK_ID = 'taskid'
const DRY_RUN = 'dryrun'
const UID_MAX = 0xffffffff

/** Reads the registration options of a request from its headers. @throws ApiError bad_request */
export function readRegistration(context: Pick<RequestContext, 'header'>): Registration {
  const isDry = context.header(DRY_RUN)?.toLowerCase() === 'true'
  const text = context.header(TASK_ID)
  return { uid: text === undefined ? null : readUid(text), isDry }
}

function readUid(text: string): TaskUid {
  const problem = uidProblem(text)
  if (problem === null) return asTaskUid(Number(text))
  throw new ApiError('bad_request', problem)
}

function uidProblem(text: string): string | null {
  const refused = (why: string): string => `Could not parse the TaskId as a u32: ${why}`
  if (/[^\x20-\x7e]/.test(text)) return 'TaskId is not a valid utf-8 string: it has other bytes'
  if (text === '') return refused('cannot parse integer from empty string')
  if (!/^\+?\d+$/.test(text)) return refused('invalid digit found in string')
  return Number(text) > UID_MAX ? refused('number too large to fit in target type') : null
}
