// Writes that wait until they are published. A publication covers the writes that waited when it
// began; if it fails, they wait for the next one.
import { EngineFault } from '../../model/index.ts'

type Waiter = { readonly resolve: () => void; readonly reject: (error: EngineFault) => void }

export class Waiting {
  readonly #msMax: number
  readonly #wake: () => void
  readonly #waiters = new Set<Waiter>()

  /** `wake`: requests a publication. */
  constructor(msMax: number, wake: () => void) {
    this.#msMax = msMax
    this.#wake = wake
  }

  get isEmpty(): boolean {
    return this.#waiters.size === 0
  }

  /** Resolves when a publication that begins from now on succeeds. @throws EngineFault */
  async wait(): Promise<void> {
    let waiter: Waiter | null = null
    let timer: NodeJS.Timeout | null = null
    const published = new Promise<void>((resolve, reject) => {
      waiter = { resolve, reject }
      timer = setTimeout(() => reject(notPublished()), this.#msMax)
      this.#waiters.add(waiter)
    })
    this.#wake()
    try {
      await published
    } finally {
      clearTimeout(timer!)
      this.#waiters.delete(waiter!)
    }
  }

  /**
   * Call it before the state is read; returns a function to call when the state is published.
   */
  begin(): () => void {
    const covered = [...this.#waiters]
    return () => {
      for (const waiter of covered) {
        this.#waiters.delete(waiter)
        waiter.resolve()
      }
    }
  }

  /** Nothing will be published any more. */
  fail(): void {
    for (const { reject } of this.#waiters) reject(notPublished())
    this.#waiters.clear()
  }
}

export const notPublished = (): EngineFault =>
  new EngineFault(
    'write_not_published',
    'The write is stored here, and could not be published to the object store in time: it may be ' +
      'executed, or lost if another instance takes over. Check it before you send it again.',
  )
