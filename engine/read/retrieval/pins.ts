// Pins documents to positions in the list of hits, as search rules demand
// (docs/search-semantics.md#search-rules).
//
// The rules that apply are read in their order; the first rule that pins a document wins. Pinned
// documents have to pass only the filter, and are left out of the ranking. They are inserted into
// the ranked hits: a pin is placed at its position, or directly after earlier pins, or at the end
// if there are too few hits.
import { IdSet } from '../../../format/idset/index.ts'
import type { SearchableView } from '../jobs/index.ts'
import type { RankedHit, Window } from '../rank/index.ts'
import { type AppliedRule, PINS_MAX } from '../search-rules/index.ts'

/** A ranked or pinned hit; a pinned hit has no scores. */
export type PlacedHit = RankedHit & { readonly pin?: number }

type PinnedHit = Pick<PlacedHit, 'id' | 'scores'> & { readonly pin: number }

export type Pins = {
  /** By position; hits with the same position in the order of the rules. */
  readonly hits: readonly PinnedHit[]
  readonly ids: IdSet
}

const NO_PINS: Pins = { hits: [], ids: IdSet.empty }

/** Returns the documents of `universe` that the rules pin. `rules`: those that apply, in order. */
export function pinsOf(
  { view, ref }: SearchableView,
  rules: readonly AppliedRule[],
  universe: IdSet,
): Pins {
  if (rules.length === 0) return NO_PINS
  const hits: PinnedHit[] = []
  const ids = new Set<number>()
  for (const { actions } of rules) {
    for (const { indexUid, id: externalId, position } of actions.pin ?? []) {
      if (indexUid !== undefined && indexUid !== ref.uid) continue
      const id = view.idOf(Buffer.from(externalId))
      if (id < 0 || ids.has(id) || !universe.has(id) || hits.length >= PINS_MAX) continue
      ids.add(id)
      hits.push({ id, scores: [], pin: position })
    }
  }
  if (hits.length === 0) return NO_PINS
  return { hits: hits.sort((a, b) => a.pin - b.pin), ids: IdSet.of([...ids]) }
}

/** The window to rank so that a page of hits and pins together can be cut from it. */
export const windowBefore = (window: Window, { hits }: Pins): Window =>
  hits.length === 0 ? window : { ...window, offset: 0, limit: window.offset + window.limit }

/** Merges both lists; `pinned` is in ascending order of position. */
export function placed<T>(
  ranked: readonly T[],
  pinned: readonly T[],
  positionOf: (one: T) => number,
): T[] {
  const out: T[] = []
  let next = 0
  for (const one of ranked) {
    while (next < pinned.length && positionOf(pinned[next]!) <= out.length) {
      out.push(pinned[next++]!)
    }
    out.push(one)
  }
  return [...out, ...pinned.slice(next)]
}
