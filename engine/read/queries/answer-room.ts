// Limits the memory of answers that are being gathered: finished parts of multi-searches that wait
// for the other parts of their request, summed over all requests. Search permits bound how many
// requests run, not how many bytes they hold.
import { EngineFault } from '../../model/index.ts'

export class AnswerRoom {
  readonly #bytesMax: number
  #bytes = 0

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax
  }

  /** Bytes held by all requests. */
  get bytes(): number {
    return this.#bytes
  }

  /** Opens the share of one request, empty at first. */
  share(): AnswerShare {
    let own = 0
    return {
      take: (bytes) => {
        // A request that holds everything alone is limited only by the maximum size of an answer.
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
  /** Reserves `bytes` for this request. @throws EngineFault too_many_answers */
  readonly take: (bytes: number) => void
  /** Gives back all bytes that the request has reserved. */
  readonly release: () => void
}

const noRoom = (held: number, bytes: number): EngineFault =>
  new EngineFault(
    'too_many_answers',
    `Answers of ${held} bytes are being gathered, and there is no room for ${bytes} more. ` +
      'Retry after 10s.',
  )
