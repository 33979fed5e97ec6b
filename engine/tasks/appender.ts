// Appends to the task log and lets each record take effect in the order of the log, whoever waits for what.
// While a rewritten log takes over, appends are held back and go to the new one.
import type { TaskLog } from './log.ts'

const SHRINK_MIN = 1024

type InFlight = {
  readonly apply: (offset: number) => void
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
  offset: number | null
  error: { readonly value: unknown } | null
}

export class Appender {
  /** Every record that begins before this offset has taken effect. */
  reached = 0
  readonly #log: TaskLog
  #inFlight: InFlight[] = []
  #head = 0
  #held: (() => void)[] | null = null
  #whenIdle: (() => void)[] = []

  constructor(log: TaskLog) {
    this.#log = log
  }

  /**
   * Appends a record. When it is durable, and all before it took effect, `apply` gets its offset; then the
   * promise resolves. @throws StorageError, whatever `apply` throws
   */
  append(type: number, payload: Uint8Array, apply: (offset: number) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const mine: InFlight = { apply, resolve, reject, offset: null, error: null }
      const start = (): void => {
        this.#inFlight.push(mine)
        this.#log.append(type, payload).then(
          (offset) => {
            mine.offset = offset
            this.#drain()
          },
          (value: unknown) => {
            mine.error = { value }
            this.#drain()
          },
        )
      }
      if (this.#held === null) start()
      else this.#held.push(start)
    })
  }

  /** Lets no further record into the log; resolves when those on their way have taken effect. */
  hold(): Promise<void> {
    this.#held = []
    return this.idle()
  }

  release(): void {
    const held = this.#held ?? []
    this.#held = null
    for (const start of held) start()
  }

  /** Resolves when nothing is on its way. */
  idle(): Promise<void> {
    if (this.#head === this.#inFlight.length) return Promise.resolve()
    return new Promise((resolve) => this.#whenIdle.push(resolve))
  }

  #drain(): void {
    while (this.#head < this.#inFlight.length) {
      const first = this.#inFlight[this.#head]!
      if (first.offset === null && first.error === null) {
        this.#shrink()
        return
      }
      this.#head++
      if (first.offset !== null) this.reached = first.offset + 1
      finish(first)
    }
    this.#inFlight = []
    this.#head = 0
    const waiting = this.#whenIdle
    this.#whenIdle = []
    for (const resolve of waiting) resolve()
  }

  /** Forgets what is done while there is always more on its way. */
  #shrink(): void {
    if (this.#head < SHRINK_MIN) return
    this.#inFlight = this.#inFlight.slice(this.#head)
    this.#head = 0
  }
}

function finish(record: InFlight): void {
  if (record.error !== null) {
    record.reject(record.error.value)
    return
  }
  try {
    record.apply(record.offset!)
    record.resolve()
  } catch (error) {
    record.reject(error)
  }
}
