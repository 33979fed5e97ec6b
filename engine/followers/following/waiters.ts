// Requests that wait until indexes are served: limited in time and number.
import type { IndexNo } from '../../../format/ids.ts'
import type { EngineFault } from '../../model/index.ts'

type Waiter = {
  /** Indexes that it still waits for. */
  readonly left: Set<IndexNo>
  readonly resolve: () => void
  readonly refuse: () => void
}

export class Waiters {
  readonly #waitMsMax: number
  readonly #countMax: number
  readonly #waiting = new Set<Waiter>()

  constructor(waitMsMax: number, countMax: number) {
    this.#waitMsMax = waitMsMax
    this.#countMax = countMax
  }

  /**
   * Resolves when `serve` has reported all of these. @throws the error of `fault`, as a rejection
   */
  wait(numbers: readonly IndexNo[], fault: () => EngineFault): Promise<void> {
    if (this.#waiting.size >= this.#countMax) return Promise.reject(fault())
    return new Promise((resolve, reject) => {
      const end = (): void => {
        clearTimeout(timer)
        this.#waiting.delete(waiter)
      }
      const waiter: Waiter = {
        left: new Set(numbers),
        resolve: () => {
          end()
          resolve()
        },
        refuse: () => {
          end()
          reject(fault())
        },
      }
      const timer = setTimeout(waiter.refuse, this.#waitMsMax)
      this.#waiting.add(waiter)
    })
  }

  serve(isServed: (number: IndexNo) => boolean): void {
    for (const { left, resolve } of [...this.#waiting]) {
      for (const number of left) if (isServed(number)) left.delete(number)
      if (left.size === 0) resolve()
    }
  }

  refuseAll(): void {
    for (const { refuse } of [...this.#waiting]) refuse()
  }
}
