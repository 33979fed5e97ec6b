// Limits the memory of answers that are being gathered, summed over all requests: parts of
// multi-searches that wait for the other parts of their request, and answers of other instances.
// The number of running requests is limited elsewhere; it does not limit how many bytes they hold.

export class AnswerRoom {
  readonly #bytesMax: number
  /** True if a request that holds everything alone may exceed the limit. */
  readonly #isOpenAlone: boolean
  #bytes = 0

  constructor(bytesMax: number, { isOpenAlone }: { readonly isOpenAlone: boolean }) {
    this.#bytesMax = bytesMax
    this.#isOpenAlone = isOpenAlone
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
        const isAlone = own === this.#bytes
        const mayExceed = isAlone && this.#isOpenAlone
        if (this.#bytes + bytes > this.#bytesMax && !mayExceed) return false
        own += bytes
        this.#bytes += bytes
        return true
      },
      release: () => {
        this.#bytes -= own
        own = 0
      },
      held: () => this.#bytes,
    }
  }
}

export type AnswerShare = {
  /** Reserves bytes for this request; returns false, and reserves none, if there is no room. */
  readonly take: (bytes: number) => boolean
  /** Gives back all bytes that the request has reserved. */
  readonly release: () => void
  /** Returns the bytes held by all requests. */
  readonly held: () => number
}
