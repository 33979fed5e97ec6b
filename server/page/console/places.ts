// Compares two lists of hits: where the hits of one stand in the other.

export type Change = 'same' | 'up' | 'down' | 'new'

export type PlaceChange = {
  readonly change: Change
  /** Places by which the hit moved, for example 3; 0 for the same place and for a new hit. */
  readonly by: number
}

/**
 * Returns for each key of `now` how its place differs from that in `before`. Keys are texts of primary
 * keys.
 */
export function placeChanges(
  now: readonly string[],
  before: readonly string[],
): readonly PlaceChange[] {
  const places = new Map(before.map((key, place) => [key, place]))
  return now.map((key, place) => {
    const old = places.get(key)
    if (old === undefined) return { change: 'new', by: 0 }
    const by = Math.abs(old - place)
    return { change: by === 0 ? 'same' : place < old ? 'up' : 'down', by }
  })
}

export function changeText({ change, by }: PlaceChange): string {
  if (change === 'up') return `↑ ${by}`
  if (change === 'down') return `↓ ${by}`
  return change === 'new' ? 'only here' : '='
}
