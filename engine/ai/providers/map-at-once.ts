// Calls of a provider for many items, a limited number of them at the same time.
import { inOrder } from '../../time/index.ts'
import { REQUESTS_AT_ONCE } from './limits.ts'

/** Returns the results in order. The first failure aborts the other calls and is thrown. */
export async function mapAtOnce<T, R>(
  items: readonly T[],
  signal: AbortSignal | null,
  work: (item: T, signal: AbortSignal | null) => Promise<R>,
): Promise<readonly R[]> {
  if (items.length === 1) return [await work(items[0]!, signal)]
  const stop = new AbortController()
  const either = signal === null ? stop.signal : AbortSignal.any([signal, stop.signal])
  let first: unknown
  return inOrder(items.length, REQUESTS_AT_ONCE, (at) =>
    work(items[at]!, either).catch((error: unknown) => {
      if (!stop.signal.aborted) first = error
      stop.abort()
      throw first
    }),
  )
}
