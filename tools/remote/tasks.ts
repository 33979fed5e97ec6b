// Waits for tasks of a server, and describes their results.
import { setTimeout as sleep } from 'node:timers/promises'
import { askInstance, type Instance } from './ask.ts'
import { type RemoteTask, TASK } from './remote-task.ts'
import { TaskStream } from './task-stream.ts'

const FINISHED: ReadonlySet<string> = new Set(['succeeded', 'failed', 'canceled'])
const FIRST_PAUSE_MS = 20
const PAUSE_MS_MAX = 1000

const isFinished = ({ status }: RemoteTask): boolean => FINISHED.has(status)

/**
 * Returns the tasks, in order, when all have finished. The server's stream of tasks tells when; a
 * server without one, or that refuses it, is asked again and again. `onFinished` gets their number
 * so far. @throws ToolError
 */
export async function finishedTasks(
  instance: Instance,
  uids: readonly number[],
  onFinished: (count: number) => void = () => undefined,
): Promise<readonly RemoteTask[]> {
  // Opened before the tasks are read: none can finish unnoticed in between.
  const stream = await TaskStream.open(instance, new Set(uids))
  const finished: RemoteTask[] = []
  try {
    for (const uid of uids) {
      onFinished(finished.length)
      finished.push(await finishedTask(instance, uid, stream))
    }
  } finally {
    stream.close()
  }
  return finished
}

async function finishedTask(
  instance: Instance,
  uid: number,
  stream: TaskStream,
): Promise<RemoteTask> {
  const path = `/tasks/${uid}`
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, PAUSE_MS_MAX)) {
    const latest = stream.latest(uid)
    if (latest !== null && isFinished(latest)) return latest
    const task = await askInstance(instance, { method: 'GET', path, action: 'tasks.get' }, TASK)
    if (isFinished(task)) return task
    const heard = await stream.until((one) => one.uid === uid && isFinished(one))
    if (heard !== null) return heard
    await sleep(pauseMs)
  }
}

/** Returns one line for a task that did not succeed, or null. */
export function failureText({ uid, status, error }: RemoteTask): string | null {
  if (status === 'succeeded') return null
  return `Task ${uid} ${status === 'failed' ? 'failed' : 'was canceled'}: ${error?.message ?? status}`
}
