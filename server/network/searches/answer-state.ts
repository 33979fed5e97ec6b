// The tasks that the parts of an answer contain: what is asked of other instances, and what they say.
import type { AnswerState } from '../../../engine/index.ts'
import { asTaskUid, type TaskUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'
import { MIN_TASK_TIMEOUT, MIN_TASK_UID } from '../../parse/index.ts'

/**
 * Returns the headers that ask for a task. Other instances do not wait: the one that the client
 * calls has asked them before, and calls other owners if they lack the task nevertheless.
 */
export const requirement = (state: AnswerState | undefined): { readonly [name: string]: string } =>
  state === undefined || state.minTaskUid === null
    ? {}
    : { [MIN_TASK_UID]: String(state.minTaskUid), [MIN_TASK_TIMEOUT]: '0' }

/** Returns the newest of some tasks, or null if none is named. */
export function newestOf(uids: readonly (TaskUid | null | undefined)[]): TaskUid | null {
  const named = uids.filter((uid) => uid !== null && uid !== undefined)
  return named.length === 0 ? null : asTaskUid(Math.max(...named))
}

/** Returns the part of a call that notes the newest task of its answer. */
export const noting = (
  state: AnswerState | undefined,
): { readonly noteTask?: (taskUid: string | undefined) => void } =>
  state === undefined ? {} : { noteTask: (taskUid) => state.note(uidIn(taskUid)) }

const uidIn = (written: string | undefined): TaskUid | null =>
  written !== undefined && /^\d{1,10}$/.test(written) ? asTaskUid(Number(written)) : null

/** `why`: a sentence without its full stop. */
export const notVisible = (uid: TaskUid, why: string): ApiError =>
  new ApiError(
    'task_not_visible_yet',
    `Task \`${uid}\` is not visible to this request yet. ${why}.`,
  )
