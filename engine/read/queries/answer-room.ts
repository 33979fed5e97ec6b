// Memory for answers that are gathered: parts of multi-searches that wait for the other parts of
// their request, over all requests. Permits bound how many requests run, not what they hold.
import { EngineFault } from '../../model/index.ts'

export class AnswerRoom {
  readonly #bytesMax: number
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** How many bytes are held. */
  get bytes(): number {
    return this.#bytes
  }

  /** What one request holds; nothing at first. */
  share(): AnswerShare {
    let own = 0
    return {
      take: (bytes) => {
        // A request that is alone has as much as any answer may have.
        if (own < this.#bytes && this.#bytes + bytes > this.#bytesMax) {
          throw noRoom(this.#bytes, bytes)
        }
        own += bytes
        this.#bytes += bytes
      },
      release: () => {
        this.#bytes -= own
        own = 0
      },
    }
  }
}

export type AnswerShare = {
  /** @throws EngineFault too_many_answers */
  readonly take: (bytes: number) => void
  /** Gives back all that was taken. */
  readonly release: () => void
}

const noRoom = (held: number, bytes: number): EngineFault =>
  new EngineFault(
    'too_many_answers',
    `Answers of ${held} bytes are being gathered, and there is no room for ${bytes} more. ` +
      'Retry after 10s.',
  )
