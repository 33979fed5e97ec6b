// Threads that stand back: on Linux every thread has a priority of its own, and `os.setPriority`
// takes the number of a thread where it expects that of a process.
import { readlinkSync } from 'node:fs'
import { setPriority } from 'node:os'

/**
 * Lowers the priority of the calling thread to `nice` (1 to 19, higher yields more). Returns
 * whether it worked: elsewhere than on Linux, or without /proc, nothing happens.
 */
export function lowerThreadPriority(nice: number): boolean {
  if (process.platform !== 'linux') return false
  try {
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1))
    if (!Number.isSafeInteger(thread) || thread <= 0) return false
    setPriority(thread, nice)
    return true
  } catch (error) {
    // No /proc, or a sandbox that forbids it: the thread works on as it was.
    if ((error as NodeJS.ErrnoException).code === undefined) throw error
    return false
  }
}
