// Follows a task that the page has enqueued until it has finished, and shows its progress.
import {
  ask,
  type Batch,
  bar,
  fill,
  h,
  isFinished,
  type List,
  ServerError,
  type Task,
  taskChanges,
} from '../parts/index.ts'

/** Milliseconds between two readings; a change of the task ends the pause. */
const POLL_MS = 300
/** The same while changes come by themselves; then only the percentage is read. */
const PROGRESS_MS = 1000

export class TaskProgress {
  readonly element = h('div', { class: 'task-progress', role: 'status' })

  clear(): void {
    fill(this.element)
  }

  /** Resolves to the finished task, or to null if the key may not read tasks. @throws ServerError */
  async follow(uid: number, signal: AbortSignal): Promise<Task | null> {
    for (;;) {
      const { changed, end } = nextChange(uid)
      try {
        const task = await readTask(uid, signal)
        if (task === null) {
          fill(this.element, `Accepted as task #${uid}. The key in use may not read tasks.`)
          return null
        }
        if (isFinished(task)) {
          this.#show(task, null)
          return task
        }
        this.#show(task, await readPercentage(task, signal))
        await changed
      } finally {
        end()
      }
    }
  }

  #show({ uid, status }: Task, percentage: number | null): void {
    fill(
      this.element,
      h('span', { class: `pill is-${status}` }, status),
      ' ',
      h('a', { href: `#/tasks?task=${uid}` }, `task #${uid}`),
      percentage === null ? null : bar(percentage / 100, `${percentage.toFixed(0)} percent`),
    )
  }
}

/** `changed` resolves when the task changes, after a pause, or by `end`, which must be called. */
function nextChange(uid: number): { readonly changed: Promise<void>; readonly end: () => void } {
  let end = (): void => undefined
  const changed = new Promise<void>((resolve) => {
    const leave = taskChanges.listen((item) => {
      if (item !== null && (item as Task).uid === uid) end()
    })
    const timer = setTimeout(() => end(), taskChanges.isLive ? PROGRESS_MS : POLL_MS)
    end = () => {
      clearTimeout(timer)
      leave()
      resolve()
    }
  })
  return { changed, end }
}

async function readTask(uid: number, signal: AbortSignal): Promise<Task | null> {
  try {
    return await ask<Task>('GET', `/tasks/${uid}`, undefined, signal)
  } catch (error) {
    if (!(error instanceof ServerError && error.wantsKey)) throw error
    return null
  }
}

/** Returns the progress of the batch of a task, or null if it does not run. */
async function readPercentage({ batchUid }: Task, signal: AbortSignal): Promise<number | null> {
  if (batchUid === null) return null
  const path = `/batches?batchUids=${batchUid}&statuses=processing&limit=1`
  const { results } = await ask<List<Batch>>('GET', path, undefined, signal)
  return results[0]?.progress?.percentage ?? null
}
