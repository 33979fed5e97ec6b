// Finds files that the state does not name, such as those left by a crash. They were written by
// batches that never committed, or belong to removed segments.
import { segmentName } from './names.ts'
import type { State } from './state.ts'

/**
 * Returns those of the names in the segments folder that the state does not name; they can be
 * removed.
 */
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
