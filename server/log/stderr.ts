// Lines out on stderr without ever waiting for whoever reads them: lines of the same moment go out
// in one write, on a thread of the pool; under load a moment is some milliseconds (a write for each
// turn of the loop took an eighth of the main thread's time, waking the pool). A reader that does
// not keep up loses lines and is told how many; the server goes on. The stream that Node would make
// for stderr takes 2 ms at start, and blocks where it is a pipe.

import { write, writeSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { LAST_LINES_MS, STDERR_BYTES_MAX } from './limits.ts'

const STDERR = 2
const RETRY_MS = 10
const MOMENT_MS = 10

export class StderrLines {
  readonly #descriptor: number
  #waiting: string[] = []
  #waitingBytes = 0
  #isScheduled = false
  #isWriting = false
  #lost = 0
  #beganAt = Number.NEGATIVE_INFINITY

  constructor(descriptor: number = STDERR) {
    this.#descriptor = descriptor
  }

  /** `isUrgent`: it is out when this returns, after all that came before. */
  readonly write = (line: string, isUrgent: boolean): void => {
    if (this.#waitingBytes > STDERR_BYTES_MAX) {
      this.#lost++
      return
    }
    if (this.#lost > 0) {
      this.#add(`${this.#lost} lines of the log were lost: nobody read them in time\n`)
      this.#lost = 0
    }
    this.#add(line)
    if (isUrgent) this.flush()
    else this.#schedule()
  }

  /** Writes what waits, now. What the system does not take is lost: there is nobody to tell. */
  readonly flush = (): void => {
    if (this.#waiting.length === 0) return
    writeNow(this.#take(), this.#descriptor)
  }

  /** Resolves when all lines are out, or when nobody takes them for a while. */
  async drained(): Promise<void> {
    const deadline = performance.now() + LAST_LINES_MS
    while (this.#isWriting || this.#waiting.length > 0) {
      if (performance.now() > deadline) return
      await sleep(1)
    }
  }

  #add(line: string): void {
    this.#waiting.push(line)
    this.#waitingBytes += line.length
  }

  #take(): Uint8Array {
    const bytes = Buffer.from(this.#waiting.join(''))
    this.#waiting = []
    this.#waitingBytes = 0
    return bytes
  }

  #schedule(): void {
    if (this.#isScheduled || this.#isWriting) return
    this.#isScheduled = true
    const begin = (): void => {
      this.#isScheduled = false
      if (!this.#isWriting && this.#waiting.length > 0) this.#start(this.#take())
    }
    // A line after silence is out at once.
    if (performance.now() - this.#beganAt > MOMENT_MS) setImmediate(begin)
    else setTimeout(begin, MOMENT_MS)
  }

  #start(bytes: Uint8Array): void {
    this.#isWriting = true
    this.#beganAt = performance.now()
    write(this.#descriptor, bytes, 0, bytes.length, null, (error, written) => {
      if (error !== null && error.code === 'EAGAIN') {
        // Full, and set not to wait: whoever reads it gets a moment.
        setTimeout(() => this.#start(bytes), RETRY_MS).unref()
        return
      }
      // Closed by whoever read it: there is nobody to tell.
      const rest = error === null ? bytes.subarray(written) : EMPTY
      if (rest.length > 0) this.#start(rest)
      else {
        this.#isWriting = false
        if (this.#waiting.length > 0) this.#schedule()
      }
    })
  }
}

const EMPTY = new Uint8Array(0)

/** Out when it returns, unless nobody reads. For what is said before the process ends. */
export function writeStderr(text: string): void {
  writeNow(Buffer.from(text), STDERR)
}

function writeNow(bytes: Uint8Array, descriptor: number): void {
  let rest = bytes
  const deadline = performance.now() + LAST_LINES_MS
  while (rest.length > 0) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest))
    } catch (error) {
      // Full: once more, for a while. Closed by whoever read it: there is nobody to tell.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
      if (performance.now() > deadline) return
    }
  }
}
