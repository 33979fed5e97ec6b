// A cache of this thread for boosts, within the budget of the thread.
import { LruCache } from '../../../format/cache/index.ts'
import { THREAD_BUDGET } from '../segment-text/index.ts'

export class ThreadCache<V> {
  readonly #values: LruCache<string, V>

  /** `isOfSegments`: keys begin with those of segments. */
  constructor(bytesMax: number, isOfSegments: boolean) {
    const values = new LruCache<string, V>(bytesMax)
    this.#values = values
    THREAD_BUDGET.add('boosts', {
      get byteLength() {
        return values.cost
      },
      shrinkTo: (bytes) => void values.shrinkTo(bytes),
      dropClosed: (isClosed) => isOfSegments && values.drop((_, key) => isClosed(key)),
    })
  }

  get(key: string): V | undefined {
    return this.#values.get(key)
  }

  set(key: string, value: V, bytes: number): void {
    this.#values.set(key, value, bytes)
    THREAD_BUDGET.fit()
  }
}
