// The server's streams of tasks and batches, read in the background while something listens and the
// page is visible. Where the server has no stream, or refuses it, the page polls instead. A visible
// page holds two of the six connections that a browser opens to a server, so a hidden one holds none.
import { ask, isAbort, openEvents, ServerError } from './server.ts'

type Features = { readonly tasksStreamingRoute?: boolean }

/** A server without the stream may get it: its feature is switched on, the key is changed. */
const RETRY_MS = 10_000

/** Called with a changed task or batch, or with null when changes may have been missed. */
type Listener = (item: unknown) => void

export class Changes {
  readonly #path: string
  readonly #listeners = new Set<Listener>()
  #control: AbortController | null = null
  #isLive = false

  constructor(path: string) {
    this.#path = path
  }

  /** True while every change reaches the listeners, and nothing has to be polled. */
  get isLive(): boolean {
    return this.#isLive
  }

  /** Returns the function that ends the listening. */
  listen(listener: Listener): () => void {
    if (this.#listeners.size === 0)
      document.addEventListener('visibilitychange', this.#onVisibility)
    this.#listeners.add(listener)
    this.#open()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size > 0) return
      document.removeEventListener('visibilitychange', this.#onVisibility)
      this.#close()
    }
  }

  /** Opens the stream again, as after a change of the key. */
  reopen(): void {
    this.#close()
    this.#open()
  }

  readonly #onVisibility = (): void => {
    if (document.hidden) this.#close()
    else this.#open()
  }

  #open(): void {
    if (this.#control !== null || this.#listeners.size === 0 || document.hidden) return
    const control = new AbortController()
    this.#control = control
    this.#read(control.signal).then(
      () => this.#ended(control),
      (error: unknown) => {
        if (!isAbort(error) && !isBroken(error)) throw error
        this.#ended(control)
      },
    )
  }

  #close(): void {
    this.#control?.abort()
    this.#control = null
    this.#isLive = false
  }

  async #read(signal: AbortSignal): Promise<void> {
    const features = await ask<Features>('GET', '/experimental-features', undefined, signal)
    if (features.tasksStreamingRoute !== true) return
    const opened = (): void => {
      this.#isLive = true
      this.#report(null)
    }
    for await (const data of openEvents('GET', this.#path, undefined, signal, opened)) {
      if (!signal.aborted) this.#report(JSON.parse(data))
    }
  }

  #ended(control: AbortController): void {
    if (this.#control !== control) return
    if (this.#isLive) this.#report(null)
    this.#isLive = false
    setTimeout(() => {
      if (this.#control !== control) return
      this.#control = null
      this.#open()
    }, RETRY_MS)
  }

  #report(item: unknown): void {
    for (const listener of this.#listeners) listener(item)
  }
}

/** The server refuses, is gone, or ends an answer in its middle. */
const isBroken = (error: unknown): boolean =>
  error instanceof ServerError || error instanceof TypeError

export const taskChanges = new Changes('/tasks/stream')
export const batchChanges = new Changes('/batches/stream')

/** Returns a function that calls `work` soon, once for all calls within `ms`. */
export function soon(work: () => void, ms: number): () => void {
  let isDue = false
  return () => {
    if (isDue) return
    isDue = true
    setTimeout(() => {
      isDue = false
      work()
    }, ms)
  }
}
