// Tasks and batches as the server returns them, and short texts about them.
import { durationText } from './words.ts'

export type Task = {
  readonly uid: number
  readonly batchUid: number | null
  readonly indexUid: string | null
  readonly status: 'enqueued' | 'processing' | 'succeeded' | 'failed' | 'canceled'
  readonly type: string
  readonly canceledBy: number | null
  readonly details: unknown
  readonly error: { readonly message: string; readonly code: string; readonly link: string } | null
  readonly duration: string | null
  readonly enqueuedAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
}
type Step = { readonly currentStep: string; readonly finished: number; readonly total: number }
export type Batch = {
  readonly uid: number
  readonly progress: { readonly steps: readonly Step[]; readonly percentage: number } | null
  readonly stats: {
    readonly totalNbTasks: number
    readonly progressTrace?: { readonly [step: string]: string }
  }
  readonly duration: string | null
  readonly startedAt: string
  readonly finishedAt: string | null
  readonly batchStrategy?: string
}
export type List<T> = {
  readonly results: readonly T[]
  readonly total: number
  readonly next: number | null
}

/** The tasks that the address selects: one task, the tasks of one batch, or all. */
export type TaskPlace = { readonly task: number | null; readonly batch: number | null }
export const ALL_TASKS: TaskPlace = { task: null, batch: null }

export const isFinished = ({ status }: Task): boolean =>
  status === 'succeeded' || status === 'failed' || status === 'canceled'

/** Returns the query string for a list of tasks. `index`: empty for tasks of all indexes. */
export function tasksQuery(place: TaskPlace, index: string, status: string, limit: number): string {
  const query = new URLSearchParams({ limit: String(limit) })
  if (place.task !== null) query.set('uids', String(place.task))
  else if (place.batch !== null) query.set('batchUids', String(place.batch))
  else {
    if (index !== '') query.set('indexUids', index)
    if (status !== '') query.set('statuses', status)
  }
  return query.toString()
}

const LINE_CHARACTERS_MAX = 160

/** Returns the first line of a text, shortened if it is long. */
export function firstLine(text: string): string {
  const [line = ''] = text.split('\n', 1)
  return line.length > LINE_CHARACTERS_MAX ? `${line.slice(0, LINE_CHARACTERS_MAX)}…` : line
}

const clock = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'medium' })

/** Returns a date and time in the time zone of the browser, or an empty text for null. */
export function momentText(date: string | null): string {
  const millis = date === null ? Number.NaN : Date.parse(date)
  return Number.isNaN(millis) ? '' : clock.format(millis)
}

/** Returns how long a task waited in the queue; empty if it has not started. */
export function waitText({ enqueuedAt, startedAt }: Task): string {
  if (startedAt === null) return ''
  const millis = Math.max(0, Date.parse(startedAt) - Date.parse(enqueuedAt))
  return durationText(`PT${millis / 1000}S`)
}
