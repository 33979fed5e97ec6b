// Appends to the task log and applies each record in log order, even if callers wait for their
// records in another order. While a rewritten log takes over, appends are held back and then go to
// the new log.
import { logRecordBytes } from '../../../format/log/index.ts'
import { APPENDING_BYTES_MAX, type TaskLog } from '../task-data/index.ts'

const SHRINK_MIN = 1024

type InFlight = {
  readonly type: number
  readonly payload: Uint8Array
  readonly apply: (offset: number) => void
  readonly resolve: () => void
  readonly reject: (error: unknown) => void
  offset: number | null
  error: { readonly value: unknown } | null
}

export class Appender {
  /**
   * Offset where the next record begins after the applied ones: all records before it are applied.
   */
  reached = 0
  readonly #log: TaskLog
  /** Records passed to the log; those from `#head` on are not applied yet. */
  #inFlight: InFlight[] = []
  #head = 0
  #bytes = 0
  /** Records not yet passed to the log, because it is held or its limit is reached. */
  #waiting: InFlight[] = []
  #isHeld = false
  #whenIdle: (() => void)[] = []

  constructor(log: TaskLog) {
    this.#log = log
  }

  /**
   * Appends a record. When it is durable and all records before it are applied, `apply` gets its
   * offset; then the promise resolves. @throws StorageError, and any error of `apply`
   */
  append(type: number, payload: Uint8Array, apply: (offset: number) => void): Promise<void> {
    return new Promise((resolve, reject) => {
      const record = { type, payload, apply, resolve, reject, offset: null, error: null }
      this.#waiting.push(record)
      this.#start()
    })
  }

  /** Passes no further record to the log; resolves when the records passed before are applied. */
  hold(): Promise<void> {
    this.#isHeld = true
    return this.idle()
  }

  release(): void {
    this.#isHeld = false
    this.#start()
  }

  /** Passes waiting records to the log in order, up to `APPENDING_BYTES_MAX` at a time. */
  #start(): void {
    let started = 0
    while (!this.#isHeld && started < this.#waiting.length && this.#bytes < APPENDING_BYTES_MAX) {
      const record = this.#waiting[started++]!
      this.#inFlight.push(record)
      this.#bytes += record.payload.length
      this.#log.append(record.type, record.payload).then(
        (offset) => {
          record.offset = offset
          this.#drain()
        },
        (value: unknown) => {
          record.error = { value }
          this.#drain()
        },
      )
    }
    this.#waiting.splice(0, started)
  }

  /** Resolves when all records passed to the log are applied. */
  idle(): Promise<void> {
    if (this.#head === this.#inFlight.length) return Promise.resolve()
    return new Promise((resolve) => this.#whenIdle.push(resolve))
  }

  #drain(): void {
    while (this.#head < this.#inFlight.length) {
      const first = this.#inFlight[this.#head]!
      if (first.offset === null && first.error === null) {
        this.#shrink()
        this.#start()
        return
      }
      this.#head++
      this.#bytes -= first.payload.length
      if (first.offset !== null) {
        this.reached = first.offset + logRecordBytes(first.payload.length)
      }
      finish(first)
    }
    this.#inFlight = []
    this.#head = 0
    this.#start()
    if (this.#inFlight.length > 0) return
    const waiting = this.#whenIdle
    this.#whenIdle = []
    for (const resolve of waiting) resolve()
  }

  /** Drops applied records when the list never becomes empty under load. */
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
