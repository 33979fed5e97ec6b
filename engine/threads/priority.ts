// How threads share processors: on Linux every thread has a priority of its own, and
// `os.setPriority` takes the number of a thread where it expects that of a process.
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/**
 * The niceness of the main thread where the system allows it: with two search threads, threads of
 * the runtime and a hostile load on two cores, `GET /health` had a p99 of 37 ms with it and of 70
 * to 110 without.
 */
const MAIN_NICENESS = -5

/**
 * Sets the niceness of the calling thread (0 to 19, higher yields more): a thread begins with that
 * of the main thread. Returns whether it worked: elsewhere than on Linux, or without /proc, nothing
 * happens.
 */
export function setThreadNiceness(nice: number): boolean {
  return tryTo(() => {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (Number.isSafeInteger(thread) && thread > 0) setPriority(thread, nice)
  })
}

/**
 * Puts the main thread before all others of the process: it has little to do for each request, and
 * everything waits for it. Takes a right that few have: root, CAP_SYS_NICE, or a limit of the
 * service manager. Returns whether it worked. Call it on the main thread.
 */
export const raiseMainThread = (): boolean => tryTo(() => setPriority(process.pid, MAIN_NICENESS))

function tryTo(change: () => void): boolean {
  if (process.platform !== 'linux') return false
  try {
    change()
    return true
  } catch (error) {
    // No /proc, no right to it, or a sandbox that forbids it: the thread works on as it was.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    return false
  }
}
