// Limits the number of concurrent conversations.
import { ApiError } from '../errors/index.ts'
import { CHATS_MAX } from './limits.ts'

export class ChatSlots {
  readonly #max: number
  #taken = 0

  constructor(max = CHATS_MAX) {
    this.#max = max
  }

  /**
   * Takes a slot; the returned function releases it, once. @throws ApiError
   * too_many_search_requests
   */
  take(): () => void {
    if (this.#taken === this.#max) {
      const message = `There are ${this.#max} conversations with models at once. Retry after 10s.`
      throw new ApiError('too_many_search_requests', message)
    }
    this.#taken++
    let isTaken = true
    return () => {
      if (!isTaken) return
      isTaken = false
      this.#taken--
    }
  }
}
