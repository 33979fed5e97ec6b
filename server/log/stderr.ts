// Writes lines to stderr without ever waiting for the reader. Lines of the same moment are written
// together, on a thread of the pool; under load a moment is longer than a turn of the loop, because
// each write wakes the pool. If the reader is too slow, lines are lost and their number is
// reported; the server goes on. Node's own stream for stderr takes longer to load, and blocks if
// stderr is a pipe.

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

  /** Adds a line. `isUrgent`: it and all lines before it are written when this returns. */
  readonly write = (line: string, isUrgent: boolean): void => {
    if (this.#waitingBytes > STDERR_BYTES_MAX) {
      this.#lost++
      return
    }
    if (this.#lost > 0) {
      this.#add(`${this.#lost} lines of the log were lost: the reader was too slow\n`)
      this.#lost = 0
    }
    this.#add(line)
    if (isUrgent) this.flush()
    else this.#schedule()
  }

  /** Writes the waiting lines synchronously. Bytes that the system does not accept are lost. */
  readonly flush = (): void => {
    if (this.#waiting.length === 0) return
    writeNow(this.#take(), this.#descriptor)
  }

  /** Resolves when all lines are written, or when no reader accepts them for a while. */
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
    // A line after silence is written immediately.
    if (performance.now() - this.#beganAt > MOMENT_MS) setImmediate(begin)
    else setTimeout(begin, MOMENT_MS)
  }

  #start(bytes: Uint8Array): void {
    this.#isWriting = true
    this.#beganAt = performance.now()
    write(this.#descriptor, bytes, 0, bytes.length, null, (error, written) => {
      if (error !== null && error.code === 'EAGAIN') {
        // The pipe is full and non-blocking: the reader gets a moment.
        setTimeout(() => this.#start(bytes), RETRY_MS).unref()
        return
      }
      // The reader has closed the pipe, so the lines are dropped.
      const unwritten = error === null ? bytes.subarray(written) : EMPTY
      if (unwritten.length > 0) this.#start(unwritten)
      else {
        this.#isWriting = false
        if (this.#waiting.length > 0) this.#schedule()
      }
    })
  }
}

const EMPTY = new Uint8Array(0)

/**
 * Writes a text synchronously, unless the reader accepts nothing. For messages right before the
 * process ends.
 */
export function writeStderr(text: string): void {
  writeNow(Buffer.from(text), STDERR)
}

function writeNow(bytes: Uint8Array, descriptor: number): void {
  let unwritten = bytes
  const deadline = performance.now() + LAST_LINES_MS
  while (unwritten.length > 0) {
    try {
      unwritten = unwritten.subarray(writeSync(descriptor, unwritten))
    } catch (error) {
      // A full pipe is retried for a while; a closed one is given up.
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return
      if (performance.now() > deadline) return
    }
  }
}
