// Test support: a task log in memory that simulates crashes. Records become durable in groups, at
// the next turn of the event loop or when the test calls `flush`.
import { setImmediate as nextTurn } from 'node:timers/promises'
import { KiB } from '../../../format/bytes/index.ts'
import { assert } from '../../../format/errors.ts'
import { logRecordBytes } from '../../../format/log/index.ts'
import type { LogEntry, TaskLog, TaskLogSuccessor } from '../task-data/index.ts'

const FIRST_OFFSET = 32
const PORTION_BYTES = 64 * KiB

/** The surviving data: the records of the active file. */
export type MemoryDisk = { entries: LogEntry[] }

type Waiting = {
  readonly entry: LogEntry
  readonly resolve: (offset: number) => void
  readonly reject: (error: unknown) => void
}

export class MemoryTaskLog implements TaskLog {
  readonly disk: MemoryDisk
  /** While true, records become durable only through `flush`. */
  isHeld = false
  /** Set to make appends fail. */
  failure: Error | null = null
  appends = 0
  groups = 0
  #waiting: Waiting[] = []
  #end: number
  #scheduled = false
  #byOffset: Map<number, LogEntry>
  #crashed = false

  constructor(disk: MemoryDisk = { entries: [] }) {
    this.disk = disk
    this.#end = endOf(disk.entries)
    this.#byOffset = new Map(disk.entries.map((entry) => [entry.offset, entry]))
  }

  get bytes(): number {
    return this.#end
  }

  get waiting(): number {
    return this.#waiting.length
  }

  append(type: number, payload: Uint8Array): Promise<number> {
    if (this.failure !== null) return Promise.reject(this.failure)
    const entry = { type, payload, offset: this.#end }
    this.#end += logRecordBytes(payload.length)
    this.appends++
    if (!this.#scheduled && !this.isHeld) {
      this.#scheduled = true
      setImmediate(() => {
        this.#scheduled = false
        if (!this.isHeld) this.flush()
      })
    }
    return new Promise((resolve, reject) => this.#waiting.push({ entry, resolve, reject }))
  }

  /** Makes the first `count` waiting records durable. */
  flush(count = this.#waiting.length): void {
    if (this.#crashed || count === 0) return
    this.groups++
    for (const { entry, resolve } of this.#waiting.splice(0, count)) {
      this.disk.entries.push(entry)
      this.#byOffset.set(entry.offset, entry)
      resolve(entry.offset)
    }
  }

  /** Simulates a power failure: of the waiting records, the first `kept` are on disk. */
  crash(kept: number): MemoryDisk {
    this.#crashed = true
    const lucky = this.#waiting.slice(0, kept).map(({ entry }) => entry)
    return { entries: [...this.disk.entries, ...lucky] }
  }

  async read(offset: number): Promise<LogEntry> {
    const entry = this.#byOffset.get(offset)
    assert(entry !== undefined, 'a record is read where one was written')
    return entry
  }

  async *scan(from: number, to: number): AsyncIterable<readonly LogEntry[]> {
    const isPlace = from === 0 || from === this.#end || this.#byOffset.has(from)
    assert(isPlace || this.disk.entries.length === 0, 'a scan begins where a record does')
    const entries = this.disk.entries.filter(({ offset }) => offset >= from && offset < to)
    let portion: LogEntry[] = []
    let bytes = 0
    for (const entry of entries) {
      portion.push(entry)
      bytes += entry.payload.length
      if (bytes < PORTION_BYTES) continue
      yield portion
      portion = []
      bytes = 0
    }
    if (portion.length > 0) yield portion
  }

  async rotate(): Promise<TaskLogSuccessor> {
    const entries: LogEntry[] = []
    let end = FIRST_OFFSET
    return {
      append: async (type, payload) => {
        const offset = end
        entries.push({ type, payload, offset })
        end += logRecordBytes(payload.length)
        return offset
      },
      takeOver: async () => {
        await nextTurn()
        if (this.failure !== null) throw this.failure
        if (this.#crashed) return new Promise(() => undefined)
        assert(this.#waiting.length === 0, 'nothing is appended while a successor takes over')
        this.disk.entries = entries
        this.#byOffset = new Map(entries.map((entry) => [entry.offset, entry]))
        this.#end = end
        await nextTurn()
      },
      abandon: async () => undefined,
    }
  }

  async close(): Promise<void> {
    this.flush()
  }
}

function endOf(entries: readonly LogEntry[]): number {
  const last = entries.at(-1)
  return last === undefined ? FIRST_OFFSET : last.offset + logRecordBytes(last.payload.length)
}
