// Writes lists as JSON text. Pages have no upper limit, so long lists are written in slices and
// other work runs in between.
import { setImmediate as nextTurn } from 'node:timers/promises'

/** About 2 ms of work. */
const SLICE = 500

/** Returns `{"results":[…],…rest}`; `rest` keeps its order. */
export async function listText<T>(
  items: readonly T[],
  view: (item: T) => unknown,
  rest: { readonly [member: string]: unknown },
): Promise<string> {
  const slices: string[] = []
  for (let start = 0; start < items.length; start += SLICE) {
    if (start > 0) await nextTurn()
    const slice = items.slice(start, start + SLICE).map((item) => JSON.stringify(view(item)))
    slices.push(slice.join(','))
  }
  return `{"results":[${slices.join(',')}],${JSON.stringify(rest).slice(1)}`
}
