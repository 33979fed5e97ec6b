// What lies about after a crash: files that the state does not name. They were written by batches
// that never committed, or belong to segments that are gone.
import { segmentName } from './names.ts'
import type { State } from './state.ts'

/** Of the names found in the segments folder, those that nobody names: to be removed. */
export function sweep(state: State, names: Iterable<string>): readonly string[] {
  const named = new Set<string>()
  for (const index of state.indexes.values()) {
    for (const { segment, layer, location } of index.segments.values()) {
      if (location.kind === 'file') named.add(segmentName(segment, layer))
    }
  }
  const rest: string[] = []
  for (const name of names) if (!named.has(name)) rest.push(name)
  return rest
}
