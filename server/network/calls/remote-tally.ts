// Counts all calls of other instances by name: their number, durations and errors, for writes,
// searches and documents of topology changes alike.
import { type Network, OutgoingFault, type Send } from '../../../engine/index.ts'

export type CallErrorKind = 'unreachable' | 'timeout' | 'refused' | 'failed'

export type RemoteCalls = {
  calls: number
  seconds: number
  /** unreachable and timeout: no answer. refused: 4xx. failed: 5xx. */
  readonly errors: { [kind in CallErrorKind]: number }
}

/** Number of cached addresses with their instance. */
const URLS_KEPT = 1000

type Names = {
  readonly network: Network
  readonly byOrigin: ReadonlyMap<string, string>
  readonly byUrl: Map<string, string | null>
}

export class RemoteTally {
  readonly #network: () => Network
  /** Milliseconds of any clock. */
  readonly #now: () => number
  readonly #calls = new Map<string, RemoteCalls>()
  #names: Names | null = null

  constructor(network: () => Network, now: () => number) {
    this.#network = network
    this.#now = now
  }

  /** Returns the counts of the current remotes. */
  calls(): ReadonlyMap<string, RemoteCalls> {
    const { remotes } = this.#network()
    for (const name of this.#calls.keys()) if (!remotes.has(name)) this.#calls.delete(name)
    return this.#calls
  }

  /** Wraps `send` so that its calls are counted. */
  counted(send: Send): Send {
    return async (request) => {
      const began = this.#now()
      let kind: CallErrorKind | null = null
      try {
        const answer = await send(request)
        if (answer.status >= 400) kind = answer.status >= 500 ? 'failed' : 'refused'
        return answer
      } catch (error) {
        if (error instanceof OutgoingFault) kind = error.isTimeout ? 'timeout' : 'unreachable'
        throw error
      } finally {
        this.#count(request.url, (this.#now() - began) / 1000, kind)
      }
    }
  }

  #count(url: string, seconds: number, kind: CallErrorKind | null): void {
    const name = this.#nameOf(url)
    if (name === null) return
    const known = this.#calls.get(name) ?? noCalls()
    this.#calls.set(name, known)
    known.calls++
    known.seconds += seconds
    if (kind !== null) known.errors[kind]++
  }

  /** Returns the name of the member with this address, or null. */
  #nameOf(url: string): string | null {
    const network = this.#network()
    if (this.#names?.network !== network) {
      const entries = [...network.remotes].map(([name, remote]) => [originOf(remote.url), name])
      const byOrigin = new Map(entries as [string, string][])
      this.#names = { network, byOrigin, byUrl: new Map() }
    }
    const known = this.#names.byUrl.get(url)
    if (known !== undefined) return known
    const name = this.#names.byOrigin.get(originOf(url)) ?? null
    if (this.#names.byUrl.size === URLS_KEPT) this.#names.byUrl.clear()
    this.#names.byUrl.set(url, name)
    return name
  }
}

const originOf = (url: string): string => (URL.canParse(url) ? new URL(url).origin : url)

const noCalls = (): RemoteCalls => ({
  calls: 0,
  seconds: 0,
  errors: { unreachable: 0, timeout: 0, refused: 0, failed: 0 },
})
