// Lines out on stderr, at once: nothing said is lost when the process ends, and the stream that
// Node would make for it (2 ms at start) is not needed.
import { writeSync } from 'node:fs'

const STDERR = 2
/** A reader that does not keep up loses lines rather than holding the server. */
const TRIES_MAX = 100

export function writeStderr(text: string): void {
  let rest: Uint8Array = Buffer.from(text)
  for (let tries = 0; rest.length > 0 && tries < TRIES_MAX; tries++) {
    try {
      rest = rest.subarray(writeSync(STDERR, rest))
    } catch (error) {
      // Full, or closed by whoever read it: there is nobody to tell.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
    }
  }
}
