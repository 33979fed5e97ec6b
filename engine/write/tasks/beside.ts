// When small batches run beside a running one: from its start if it is long by its requests,
// otherwise once it has run for some time, and until it ends. They run one after another.
import { setImmediate as nextTurn } from 'node:timers/promises'

export type BesideOptions = {
  /** Milliseconds after which a running batch is long. */
  readonly longMs: number
  /** Called when it opens. */
  readonly onOpen: () => void
  /** Resolves when the next batch may begin; returns early once `isOpen` returns false. */
  readonly wait: (isOpen: () => boolean) => Promise<void>
  /** Runs the next small batch. Returns false if no batch could run. */
  readonly run: () => Promise<boolean>
}

export class Beside {
  readonly #options: BesideOptions
  #isOpen = false
  #isDue = false
  #timer: NodeJS.Timeout | null = null
  #loop: Promise<void> | null = null
  #failure: { readonly error: unknown } | null = null

  constructor(options: BesideOptions) {
    this.#options = options
  }

  /** Opens for the batch that runs now. */
  open(when: 'now' | 'later' | 'never'): void {
    if (when === 'now') this.#open()
    if (when === 'later') this.#timer = setTimeout(() => this.#open(), this.#options.longMs).unref()
  }

  /** Runs the small batches that wait, if it is open. */
  wake(): void {
    this.#isDue = true
    if (!this.#isOpen || this.#loop !== null) return
    this.#loop = this.#run()
      .catch((error: unknown) => {
        this.#failure = { error }
        this.close()
      })
      .finally(() => {
        this.#loop = null
        if (this.#isDue) this.wake()
      })
  }

  /** Begins no further batch. */
  close(): void {
    this.#isOpen = false
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
  }

  /** Resolves when no small batch runs any more. Rejects with the error that stopped them. */
  async closed(): Promise<void> {
    this.close()
    while (this.#loop !== null) await this.#loop
    const failure = this.#failure
    this.#failure = null
    if (failure !== null) throw failure.error
  }

  #open(): void {
    this.#isOpen = true
    this.#options.onOpen()
    this.wake()
  }

  async #run(): Promise<void> {
    const { wait, run } = this.#options
    while (this.#isDue && this.#isOpen) {
      this.#isDue = false
      // One turn of the event loop: tasks that arrive together are batched together.
      await nextTurn()
      await wait(() => this.#isOpen)
      if (this.#isOpen && (await run())) this.#isDue = true
    }
  }
}
