// When the task log is rewritten: when enough of it is garbage, or when it holds a secret of a task
// that has ended.
import {
  LOG_BYTES_MAX,
  REWRITE_BYTES_MIN,
  REWRITE_FOR_SECRET_BYTES_MAX,
  REWRITE_GARBAGE_SHARE,
  REWRITE_GARBAGE_SHARE_LONG,
} from './limits.ts'

export type RewriteFacts = {
  /** Of the log. */
  readonly bytes: number
  readonly garbageBytes: number
  readonly endedSecrets: number
}

export class RewritePolicy {
  #bytesMin: number
  /** Secrets that were there when a rewrite failed: one more is worth the next attempt. */
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

  /** The next attempt waits until it is worth more. */
  failed({ bytes, endedSecrets }: RewriteFacts): void {
    this.#bytesMin = bytes * 2
    this.#secretsAtFailure = endedSecrets
  }
}
