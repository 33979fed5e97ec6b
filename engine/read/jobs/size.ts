// Decides whether a request is so large that it is expected to hold a thread for long: a filter
// with ten thousand conditions, a query of a megabyte. Runs on the main thread, so counting stops
// at the limit.
import { LARGE_REQUEST_UNITS } from './limits.ts'
import type { JobRequest, ViewsRequest } from './protocol.ts'

export function isLarge(request: JobRequest | ViewsRequest): boolean {
  if ('searches' in request) return exceeds(request.searches)
  return 'request' in request && exceeds(request.request)
}

/**
 * Returns true if plain data has more than LARGE_REQUEST_UNITS UTF-16 units of text; every value
 * counts as at least one.
 */
function exceeds(data: unknown): boolean {
  let left = LARGE_REQUEST_UNITS
  const open: unknown[] = [data]
  while (open.length > 0) {
    const value = open.pop()
    left -= typeof value === 'string' ? value.length + 1 : 1
    // A filter is held as UTF-8 text, a vector as numbers.
    if (ArrayBuffer.isView(value)) left -= (value as Uint8Array | Float64Array).length
    else if (typeof value === 'object' && value !== null) {
      const inner: readonly unknown[] = Array.isArray(value) ? value : Object.values(value)
      if (inner.length > left) return true
      for (const one of inner) open.push(one)
    }
    if (left < 0) return true
  }
  return false
}
