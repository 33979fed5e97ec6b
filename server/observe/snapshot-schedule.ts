// Snapshots at intervals: the first one after the first interval; missed ones are not made up for.
import type { Engine } from '../../engine/index.ts'

/** The longest delay that a timer accepts: 24 days. */
const TIMER_MS_MAX = 2 ** 31 - 1

/**
 * Enqueues a snapshot every `seconds`, also if the last one is not finished: the queue merges
 * waiting ones. null means never. Returns the function that stops the schedule.
 */
export function scheduleSnapshots(
  tasks: Pick<Engine['tasks'], 'enqueue'>,
  seconds: number | null,
  report: (message: string) => void,
): () => void {
  if (seconds === null) return () => undefined
  let timer: NodeJS.Timeout
  const wait = (ms: number): void => {
    const step = Math.min(ms, TIMER_MS_MAX)
    timer = setTimeout(() => (step < ms ? wait(ms - step) : enqueue()), step)
    timer.unref()
  }
  const enqueue = (): void => {
    wait(seconds * 1000)
    const content = { kind: 'snapshotCreation' } as const
    tasks.enqueue({ indexUid: null, content, customMetadata: null }).catch((error: unknown) => {
      report(`Error while registering snapshot: ${String(error)}`)
    })
  }
  wait(seconds * 1000)
  return () => clearTimeout(timer)
}
