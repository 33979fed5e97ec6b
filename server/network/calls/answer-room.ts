// Limits the memory for answers of other instances.
import { ANSWERS_BYTES_MAX } from './limits.ts'

export class AnswerRoom {
  readonly #bytesMax: number
  #bytes = 0

  constructor(bytesMax = ANSWERS_BYTES_MAX) {
    this.#bytesMax = bytesMax
  }

  /** Number of bytes that all requests hold. */
  get bytes(): number {
    return this.#bytes
  }

  /** Returns the share of one request; it is empty at first. */
  share(): RoomShare {
    let own = 0
    return {
      take: (bytes) => {
        if (this.#bytes + bytes > this.#bytesMax) return false
        own += bytes
        this.#bytes += bytes
        return true
      },
      release: () => {
        this.#bytes -= own
        own = 0
      },
    }
  }
}

export type RoomShare = {
  /** Reserves bytes; returns false, and reserves none, if there is no room. */
  readonly take: (bytes: number) => boolean
  /** Releases all bytes of the share. */
  readonly release: () => void
}
