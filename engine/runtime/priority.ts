// How threads share processors: on Linux every thread has its own priority, and `os.setPriority`
// accepts the number of a thread in place of a process.
import { readdirSync, readlinkSync } from 'node:fs'
import { getPriority, setPriority } from 'node:os'
import { isTuned } from './tuning.ts'

/**
 * The niceness of the main thread if the system allows it: with two search threads, threads of the
 * runtime and a hostile load on two cores, `GET /health` had a p99 of 37 ms with it and of 70 to
 * 110 without.
 */
const MAIN_NICENESS = -5

/**
 * Added to the niceness of V8's own threads, which compile and collect garbage for all others. At
 * the same priority four of them would take two cores from the searches whose code they compile.
 */
const V8_NICENESS = 3
const NICENESS_MAX = 19

/** The priorities of this system. */
export type Priorities = {
  /** Returns the link of the calling thread: `PROCESS/task/THREAD`. */
  readonly thread: () => string
  /** Returns the numbers of all threads of the process. */
  readonly threads: () => readonly string[]
  readonly get: (thread: number) => number
  readonly set: (thread: number, nice: number) => void
}

const OF_SYSTEM: Priorities = {
  thread: () => readlinkSync('/proc/thread-self'),
  threads: () => readdirSync('/proc/self/task'),
  get: getPriority,
  set: setPriority,
}

/**
 * Sets the niceness of the calling thread (0 to 19, higher yields more). A new thread inherits the
 * niceness of the main thread. Returns whether it worked; does nothing on other systems than Linux
 * or without /proc.
 */
export function setThreadNiceness(nice: number, priorities: Priorities = OF_SYSTEM): boolean {
  return tryTo(() => {
    const thread = Number(priorities.thread().split('/').at(-1))
    if (Number.isSafeInteger(thread) && thread > 0) priorities.set(thread, nice)
  })
}

/**
 * Gives the main thread precedence over all others of the process: it has little to do for each
 * request, and everything waits for it. Needs a right that few processes have: root, CAP_SYS_NICE,
 * or a limit of the service manager. Returns whether it worked. Call it on the main thread.
 */
export const raiseMainThread = (priorities: Priorities = OF_SYSTEM): boolean =>
  tryTo(() => priorities.set(process.pid, MAIN_NICENESS))

/**
 * Lets V8's own threads yield to all others of the process. Call it on the main thread before the
 * program starts a thread: those that exist by then are V8's. Returns whether it worked.
 */
export const lowerThreadsOfV8 = (priorities: Priorities = OF_SYSTEM): boolean =>
  tryTo(() => {
    const lowered = Math.min(priorities.get(process.pid) + V8_NICENESS, NICENESS_MAX)
    for (const thread of priorities.threads().map(Number)) {
      if (thread !== process.pid) priorities.set(thread, lowered)
    }
  })

function tryTo(change: () => void): boolean {
  if (!isTuned || process.platform !== 'linux') return false
  try {
    change()
    return true
  } catch (error) {
    // No /proc, no right to it, or a sandbox that forbids it: the priority stays as it is.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    return false
  }
}
