// Waits for tasks of a server, and describes their results.
import { setTimeout as sleep } from 'node:timers/promises'
import type { TaskUid } from '../../format/ids.ts'
import {
  anything,
  either,
  identifying,
  nullable,
  number,
  object,
  open,
  text,
} from '../../format/schema/index.ts'
import { askInstance, type Instance } from './ask.ts'

type Receipt = { readonly taskUid: TaskUid }

/** The server's answer to a write. */
export const RECEIPT = open(object<Receipt>({ taskUid: identifying<TaskUid>(number) }))

export type RemoteTask = {
  readonly uid: TaskUid
  readonly status: string
  readonly error: { readonly message: string } | null
  readonly details: unknown
}

const TASK = open(
  object<RemoteTask>({
    uid: identifying<TaskUid>(number),
    status: text,
    error: nullable(open(object<{ readonly message: string }>({ message: text }))),
    details: anything,
  }),
)

const FINISHED: ReadonlySet<string> = new Set(['succeeded', 'failed', 'canceled'])
const FIRST_PAUSE_MS = 20
const PAUSE_MS_MAX = 1000

/** The server's answer to a write that waits: the finished task, or a receipt after its time. */
export const WAITED = either(TASK, RECEIPT)

/** The parameters of a write that waits, as long as the server allows. */
export const WAITING = 'wait=searchable&timeout=60000'

/** Returns the task that a waiting write has created, when it has finished. @throws ToolError */
export const waited = async (
  instance: Instance,
  answer: RemoteTask | Receipt,
): Promise<RemoteTask> => ('taskUid' in answer ? finishedTask(instance, answer.taskUid) : answer)

/** Returns the task when it has finished. @throws ToolError */
export async function finishedTask(instance: Instance, uid: number): Promise<RemoteTask> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
    const path = `/tasks/${uid}`
    const task = await askInstance(instance, { method: 'GET', path, action: 'tasks.get' }, TASK)
    if (FINISHED.has(task.status)) return task
    await sleep(pauseMs)
  }
}

/** Returns one line for a task that did not succeed, or null. */
export function failureText({ uid, status, error }: RemoteTask): string | null {
  if (status === 'succeeded') return null
  return `Task ${uid} ${status === 'failed' ? 'failed' : 'was canceled'}: ${error?.message ?? status}`
}
