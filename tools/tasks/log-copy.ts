// The records of a task log in memory, so that a queue can be opened without writing. Records that
// are added stay in memory.
import type { LogEntry, TaskLog, TaskLogSuccessor } from '../../engine/index.ts'
import { InvariantError } from '../../format/errors.ts'

const PORTION = 1024

export class LogCopy implements TaskLog {
  readonly #entries: LogEntry[]
  readonly #byOffset: Map<number, LogEntry>
  bytes: number

  /** `bytes`: position after the last record. */
  constructor(entries: readonly LogEntry[], bytes: number) {
    this.#entries = [...entries]
    this.#byOffset = new Map(entries.map((entry) => [entry.offset, entry]))
    this.bytes = bytes
  }

  append(type: number, payload: Uint8Array): Promise<number> {
    const entry = { type, payload, offset: this.bytes }
    this.bytes += payload.length + 1
    this.#entries.push(entry)
    this.#byOffset.set(entry.offset, entry)
    return Promise.resolve(entry.offset)
  }

  read(offset: number): Promise<LogEntry> {
    const entry = this.#byOffset.get(offset)
    if (entry === undefined) throw new InvariantError(`a record begins at ${offset}`)
    return Promise.resolve(entry)
  }

  async *scan(from: number, to: number): AsyncIterable<readonly LogEntry[]> {
    const asked = this.#entries.filter(({ offset }) => offset >= from && offset < to)
    for (let at = 0; at < asked.length; at += PORTION) yield asked.slice(at, at + PORTION)
  }

  rotate(): Promise<TaskLogSuccessor> {
    return Promise.reject(new InvariantError('a copy is not rewritten'))
  }

  close(): Promise<void> {
    return Promise.resolve()
  }
}
