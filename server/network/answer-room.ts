// How much of the answers of other instances is held at a time.
import { ANSWERS_BYTES_MAX } from './limits.ts'

export class AnswerRoom {
  readonly #bytesMax: number
  #bytes = 0

  constructor(bytesMax = ANSWERS_BYTES_MAX) {
    this.#bytesMax = bytesMax
  }

  /** How many bytes are held. */
  get bytes(): number {
    return this.#bytes
  }

  /** What one request holds; nothing at first. */
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
  /** false: there is no room for so many bytes, and none are taken. */
  readonly take: (bytes: number) => boolean
  /** Gives back all that was taken. */
  readonly release: () => void
}
