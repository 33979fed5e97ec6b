// Probes paused instances in the background, so that they are used again without a client's request
// that tries them and waits; and all instances when their present state is shown.
import type { Network, Remote, Send } from '../../../engine/index.ts'
import { ApiError } from '../../errors/index.ts'
import type { Availability } from './availability.ts'
import { type CallTimes, callRemote } from './remote-call.ts'

/** Interval at which due probes are started. */
const CHECK_MS = 500

export type ProbeParts = {
  readonly network: () => Network
  readonly availability: Availability
  readonly send: Send
  readonly times: CallTimes
  readonly report: (message: string, error: unknown) => void
}

export class Probes {
  readonly #parts: ProbeParts
  readonly #abort = new AbortController()
  #timer: NodeJS.Timeout | null = null
  readonly #running = new Map<string, Promise<void>>()

  constructor(parts: ProbeParts) {
    this.#parts = parts
  }

  start(): void {
    this.#timer = setInterval(() => this.probeDue(), CHECK_MS).unref()
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    if (this.#timer !== null) clearInterval(this.#timer)
    await Promise.all(this.#running.values())
  }

  /** Probes the instances that are due, each with one probe at a time. */
  probeDue(): void {
    const { network, availability } = this.#parts
    for (const [name, remote] of network().remotes) {
      if (availability.isDue(name)) this.#begin(name, remote)
    }
  }

  /** Probes all other instances, except those that an operator has set to unavailable. */
  async probeAll(): Promise<void> {
    const { network, availability } = this.#parts
    const { self, remotes } = network()
    for (const [name, remote] of remotes) {
      if (name !== self && availability.mayBeTried(name)) this.#begin(name, remote)
    }
    await Promise.all(this.#running.values())
  }

  #begin(name: string, remote: Remote): void {
    if (this.#running.has(name)) return
    const probe = this.#probe(name, remote)
      .catch((error: unknown) => this.#parts.report('An instance could not be called.', error))
      .finally(() => this.#running.delete(name))
    this.#running.set(name, probe)
  }

  async #probe(name: string, remote: Remote): Promise<void> {
    const { availability, send, times } = this.#parts
    try {
      await probe(send, remote, times.connectMs, this.#abort.signal)
      availability.recovered(name)
    } catch (error) {
      if (this.#abort.signal.aborted) return
      if (!(error instanceof ApiError)) throw error
      if (availability.status(name) === 'available') availability.failed(name)
      else availability.probeFailed(name)
    }
  }
}

/** Calls the quickest route of an instance. @throws ApiError if it does not answer in time */
export async function probe(
  send: Send,
  remote: Remote,
  connectMs: number,
  signal: AbortSignal,
): Promise<void> {
  await callRemote(send, remote, {
    method: 'GET',
    path: '/health',
    body: null,
    headers: {},
    apiKey: null,
    times: { connectMs, requestMs: connectMs },
    action: 'search',
    signal,
  })
}
