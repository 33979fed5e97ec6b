// What the queue needs of its log. The real one is in engine/store/storage; tests have one in memor

export type LogEntry = {
  readonly offset: number
  readonly type: number
  /** Valid as long as the caller likes; nobody writes to it. */
  readonly payload: Uint8Array
}

/** An append-only file of records that can be replaced by a rewritten one. */
export interface TaskLog {
  /** Of the file in force. */
  readonly bytes: number
  /**
   * Resolves with the record's offset once it is durable. Records go into the file in the order of
   * calls and their promises resolve in that order. After a rejection the record may be in the file
   * or not.
   * @throws StorageError
   */
  append(type: number, payload: Uint8Array): Promise<number>
  /**
   * A record by its offset. A read that began before a successor took over is answered from the old
   * file.
   */
  read(offset: number): Promise<LogEntry>
  /** The records that begin in [from, to), in order, in portions of 64 KiB or so. */
  scan(from: number, to: number): AsyncIterable<readonly LogEntry[]>
  /** Begins a file that may take this one's place. One at a time. */
  rotate(): Promise<TaskLogSuccessor>
  /** Waits for what was appended. */
  close(): Promise<void>
}

export interface TaskLogSuccessor {
  /** Resolves with the offset in the new file; durable only when it has taken over. */
  append(type: number, payload: Uint8Array): Promise<number>
  /**
   * Makes the new file durable and puts it in force in one step; then the old one is removed. The
   * caller appends to neither meanwhile. Should it fail, the old file stays in force.
   */
  takeOver(): Promise<void>
  abandon(): Promise<void>
}
