// Runs asynchronous work on many items, a limited number of them at the same time.
import { REQUESTS_AT_ONCE } from './limits.ts'

/** Returns the results in order. The first failure aborts the other calls and is thrown. */
export async function mapAtOnce<T, R>(
  items: readonly T[],
  signal: AbortSignal | null,
  work: (item: T, signal: AbortSignal | null) => Promise<R>,
): Promise<R[]> {
  if (items.length === 1) return [await work(items[0]!, signal)]
  const stop = new AbortController()
  const either = signal === null ? stop.signal : AbortSignal.any([signal, stop.signal])
  const results = new Array<R>(items.length)
  let next = 0
  let failure: { readonly error: unknown } | null = null
  const runner = async (): Promise<void> => {
    while (next < items.length && failure === null) {
      const at = next++
      try {
        results[at] = await work(items[at]!, either)
      } catch (error) {
        failure ??= { error }
        stop.abort()
      }
    }
  }
  const count = Math.min(REQUESTS_AT_ONCE, items.length)
  await Promise.all(Array.from({ length: count }, runner))
  if (failure !== null) throw (failure as { readonly error: unknown }).error
  return results
}
