// Checks after a start that this instance is the one that its network names. A running copy of a
// member (of its files, its disk or its machine) would repair the others to an old state, so that
// nothing is sent before the check, and a copy gives up the membership.
//
//   at the address of this instance answers …  and its files are its own   copied or moved
//   this process                               continue                    continue: it was moved
//   another process                            wait, refuse writes         leave the network
//   no instance                                continue                    wait, refuse writes
import { type Engine, Pause, type Send } from '../../../engine/index.ts'
import { ApiError } from '../../errors/index.ts'
import { type CallTimes, describedRemote } from '../calls/index.ts'

/** Pause between checks while the instance waits. */
const PAUSE_MS = 5000

type Parts = {
  readonly engine: Engine
  readonly send: Send
  readonly times: CallTimes
  readonly report: (message: string, error: unknown) => void
}

export class SelfCheck {
  readonly #parts: Parts
  readonly #abort = new AbortController()
  #waiting: string | null = null
  #checking: Promise<void> = Promise.resolve()
  readonly #pause = new Pause()

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Why this instance does not take part in its network, or null if it does. */
  get problem(): string | null {
    return this.#waiting
  }

  /** Calls `begin` once the instance may take part; waits as long as it may not. */
  start(begin: () => void): void {
    this.#checking = this.#until().then((isOver) => {
      if (isOver) begin()
    })
  }

  async stop(): Promise<void> {
    this.#abort.abort()
    this.#pause.end()
    await this.#checking
  }

  /** An operator has changed the network here: this instance is the member that it names. */
  async confirm(): Promise<void> {
    await this.#parts.engine.identity.confirm()
    this.#pause.end()
  }

  async #until(): Promise<boolean> {
    const { engine, report } = this.#parts
    const { signal } = this.#abort
    while (!signal.aborted) {
      const problem = await this.#check().catch((error: unknown) => {
        if (!signal.aborted) {
          report('This instance could not check its place in the network.', error)
        }
        return null
      })
      // Nothing begins behind the end of the check.
      if (signal.aborted) return false
      if (problem === null) {
        if (this.#waiting !== null) engine.topology.suspend(null)
        this.#waiting = null
        return true
      }
      engine.topology.suspend(problem)
      if (this.#waiting !== problem) report(problem, null)
      this.#waiting = problem
      await this.#pause.wait(PAUSE_MS, false)
    }
    return false
  }

  /** Returns why the instance has to wait, or null if it need not. */
  async #check(): Promise<string | null> {
    const { engine, report } = this.#parts
    const { identity, network, topology } = engine
    const { self, leader, remotes } = network.get()
    const own = self === null || leader === null ? undefined : remotes.get(self)
    const isCopied = identity.origin === 'copied'
    if (own === undefined) {
      if (isCopied) await identity.renew()
      return null
    }
    const found = await this.#identify(own)
    if (found === 'self') {
      if (isCopied) await identity.confirm()
      return null
    }
    if (found === 'other' && isCopied) {
      await topology.leave()
      await identity.renew()
      report(
        `The data of this instance are a copy of those of \`${self}\`, which answers at ${own.url}: ` +
          'this instance is no member of the network until `PATCH /network` adds it.',
        null,
      )
      return null
    }
    if (found === 'other') return twoOfOne(self!, own.url)
    return isCopied ? moved(self!, own.url) : null
  }

  async #identify(own: Parameters<typeof describedRemote>[1]): Promise<'self' | 'other' | 'none'> {
    try {
      const found = await describedRemote(this.#parts, own, this.#abort.signal)
      if (found === null) return 'none'
      return found.process === this.#parts.engine.identity.process ? 'self' : 'other'
    } catch (error) {
      if (error instanceof ApiError) return 'none'
      throw error
    }
  }
}

const twoOfOne = (name: string, url: string): string =>
  `Two instances are \`${name}\`: this one, and another one that answers at ${url}. This instance ` +
  'takes no part in the network. Stop one of them.'

const moved = (name: string, url: string): string =>
  `The files of this instance were copied or moved, and no instance answers at ${url}, the address ` +
  `of \`${name}\`. This instance takes no part in the network until it answers there, or until ` +
  '`PATCH /network` gives it its address.'
