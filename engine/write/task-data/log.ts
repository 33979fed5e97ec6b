// The interface of the task log. The production implementation is in engine/store/storage; tests
// use one in memory.

export type LogEntry = {
  readonly offset: number
  readonly type: number
  /** Never overwritten; the caller may keep it. */
  readonly payload: Uint8Array
}

/** An append-only file of records that can be replaced by a rewritten one. */
export interface TaskLog {
  /** Length of the active file. */
  readonly bytes: number
  /**
   * Appends a record. Resolves with its offset once it is durable. Records are written in call
   * order and their promises resolve in that order. After a rejection the record may or may not be
   * in the file. @throws StorageError
   */
  append(type: number, payload: Uint8Array): Promise<number>
  /**
   * Reads a record by its offset. A read that began before a successor took over uses the old file.
   */
  read(offset: number): Promise<LogEntry>
  /** Yields the records that begin in [from, to), in order, in portions of about 64 KiB. */
  scan(from: number, to: number): AsyncIterable<readonly LogEntry[]>
  /** Begins a file that may replace this one. One at a time. */
  rotate(): Promise<TaskLogSuccessor>
  /** Waits for pending appends, then closes the file. */
  close(): Promise<void>
}

export interface TaskLogSuccessor {
  /** Resolves with the offset in the new file; the record becomes durable with `takeOver`. */
  append(type: number, payload: Uint8Array): Promise<number>
  /**
   * Makes the new file durable and activates it in one step; then removes the old one. The caller
   * must not append to either file meanwhile. If it fails, the old file stays active.
   */
  takeOver(): Promise<void>
  abandon(): Promise<void>
}
