// Batches that have ended, as spans of a profile: the batch, and its steps inside each other.
import type { Engine } from '../engine/api.ts'
import type { Batch } from '../engine/tasks/index.ts'
import type { Log, ProfiledSpan } from './log/index.ts'

/** What to call with the tasks of a batch that has ended. */
export function profileBatches(
  engine: Pick<Engine, 'task' | 'batch'>,
  log: Log,
): (tasks: Iterable<number>) => void {
  const profile = async (tasks: Iterable<number>): Promise<void> => {
    const [first] = tasks
    const task = first === undefined ? null : await engine.task(first, null)
    const batch = task?.batchUid == null ? null : await engine.batch(task.batchUid, null)
    if (batch?.finishedAt != null) log.stream?.span('svc::engine', spanOf(batch, batch.finishedAt))
  }
  return (tasks) => {
    if (log.stream?.isProfile !== true) return
    profile(tasks).catch((error: unknown) => {
      log.warn('a batch is missing from the profile', { cause: String(error) })
    })
  }
}

/** Steps are known by how long they took: inside a step they are laid one after another. */
function spanOf({ uid, startedAt, stats }: Batch, finishedAt: number): ProfiledSpan {
  const steps = Object.entries(stats.progressTrace).map(([path, ms]) => ({ path, ms }))
  const partsOf = (parent: string, from: number): ProfiledSpan[] => {
    let at = from
    const parts: ProfiledSpan[] = []
    for (const { path, ms } of steps) {
      const name = path.startsWith(parent) ? path.slice(parent.length) : null
      if (name === null || name.includes(STEP)) continue
      const [beganAt, endedAt] = [at, at + ms]
      parts.push({ name, thread: 'index', beganAt, endedAt, parts: partsOf(path + STEP, beganAt) })
      at = endedAt
    }
    return parts
  }
  const [beganAt, endedAt] = [startedAt / 1000, finishedAt / 1000]
  return { name: `batch ${uid}`, thread: 'index', beganAt, endedAt, parts: partsOf('', beganAt) }
}

const STEP = ' > '
