// Decides when the task log is rewritten: when enough of it is garbage, or when it holds a secret
// of an ended task.
import {
  LOG_BYTES_MAX,
  REWRITE_BYTES_MIN,
  REWRITE_FOR_SECRET_BYTES_MAX,
  REWRITE_GARBAGE_SHARE,
  REWRITE_GARBAGE_SHARE_LONG,
} from '../task-data/index.ts'

export type RewriteFacts = {
  /** Length of the log. */
  readonly bytes: number
  readonly garbageBytes: number
  readonly endedSecrets: number
}

export class RewritePolicy {
  #bytesMin: number
  /** Number of secrets when a rewrite failed: one more triggers the next attempt. */
  #secretsAtFailure = 0

  constructor(bytesMin: number = REWRITE_BYTES_MIN) {
    this.#bytesMin = bytesMin
  }

  isDue({ bytes, garbageBytes, endedSecrets }: RewriteFacts): boolean {
    if (endedSecrets === 0) this.#secretsAtFailure = 0
    const hasSecret = endedSecrets > this.#secretsAtFailure
    if (hasSecret && bytes <= REWRITE_FOR_SECRET_BYTES_MAX) return true
    if (bytes < this.#bytesMin) return false
    const isLong = bytes > LOG_BYTES_MAX / 2
    const share = isLong ? REWRITE_GARBAGE_SHARE_LONG : REWRITE_GARBAGE_SHARE
    return garbageBytes >= bytes * share
  }

  /** Delays the next attempt until it would gain more. */
  failed({ bytes, endedSecrets }: RewriteFacts): void {
    this.#bytesMin = bytes * 2
    this.#secretsAtFailure = endedSecrets
  }
}
