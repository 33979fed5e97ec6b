// Merges partial answers into one answer. The same rules apply to all kinds of parts: the order of
// hits (`merge-order.ts`), one hit for each distinct value, positions of pinned hits, the count of
// found documents, and the hits of the page.
//
// The hits of a part are sorted and reach no further than the page, so that merging is cheap
// compared with ranking. A single part without pinned hits is used as it is, without copying or
// comparing hits.
import type { IndexUid } from '../../../format/ids.ts'
import { mapped } from '../../runtime/index.ts'
import type { Window } from '../rank/index.ts'
import { byExternalId, placed } from '../retrieval/index.ts'
import { DistinctMerger } from './distinct-merger.ts'
import type { Facets } from './facets.ts'
import { type HitPlace, MergedHits, mergedPlaces, placesOf } from './merged-hits.ts'
import type { HitList, PartialAnswer } from './partial-answer.ts'

export type Answer = {
  readonly hits: HitList
  /** The page: positions in `hits`, `to` is exclusive. */
  readonly from: number
  readonly to: number
  /** Documents counted as found in all parts. */
  readonly total: number
  /** The parts in their order, with the positions of the hits that merging left out. */
  readonly parts: readonly MergedPart[]
}

type MergedPart = { readonly part: PartialAnswer; readonly rejected: readonly number[] }

/**
 * Ties are broken by the position of the query, then by the order of the parts. For the same answer
 * on every instance, the parts must be passed in the same order everywhere.
 */
export function merge(parts: readonly PartialAnswer[], { offset, limit }: Window): Answer {
  const merged = mapped(parts, (part) => ({ part, rejected: [] as number[] }))
  const [first] = parts
  const isWhole = parts.length === 1 && first !== undefined && first.pinned.length === 0
  const hits = isWhole ? first.hits : new MergedHits(withPinned(rankedPlaces(merged), parts))
  const from = offset - (parts.length === 1 ? first!.skipped : 0)
  return {
    hits,
    from,
    to: Math.max(from, Math.min(hits.length, from + limit)),
    total: merged.reduce((sum, { part, rejected }) => sum + part.total(rejected), 0),
    parts: merged,
  }
}

/** Facets of each part with requested facets, with its index. @throws EngineFault */
export const facetsByPart = ({ parts }: Answer): readonly PartFacets[] =>
  parts.flatMap(({ part, rejected }) => {
    const facets = part.facets(rejected)
    return facets === null ? [] : { indexUid: part.indexUid, facets }
  })

export type PartFacets = { readonly indexUid: IndexUid; readonly facets: Facets }

/** The ranked hits of all parts, one for each distinct value. */
function rankedPlaces(
  merged: readonly { readonly part: PartialAnswer; readonly rejected: number[] }[],
): readonly HitPlace[] {
  const rejectedOf = new Map(merged.map(({ part, rejected }) => [part.hits, rejected]))
  const distinct = new DistinctMerger()
  return mergedPlaces(mapped(merged, ({ part }) => part.hits)).filter(({ list, at }) => {
    if (distinct.admit(list.distinctAt(at))) return true
    rejectedOf.get(list)!.push(at)
    return false
  })
}

/** Inserts the pinned hits; each document occurs once. */
function withPinned(
  ranked: readonly HitPlace[],
  parts: readonly PartialAnswer[],
): readonly HitPlace[] {
  const pinned: HitPlace[] = []
  const pinnedDocuments = new Map<HitList, Set<number>>()
  for (const part of parts) {
    const documents = new Set<number>()
    for (const place of placesOf(part.pinned)) {
      const document = part.pinned.documentAt(place.at)
      if (documents.has(document)) continue
      documents.add(document)
      pinned.push(place)
    }
    pinnedDocuments.set(part.hits, documents)
  }
  if (pinned.length === 0) return ranked
  const pinOf = ({ list, at }: HitPlace): number => list.pinAt(at) ?? 0
  pinned.sort((a, b) => pinOf(a) - pinOf(b) || byExternalId(a.key, b.key))
  const others = ranked.filter(
    ({ list, at }) => pinnedDocuments.get(list)?.has(list.documentAt(at)) !== true,
  )
  return placed(others, pinned, pinOf)
}

/** Number of hits on the page that were ranked by a vector. */
export function semanticHits({ hits, from, to }: Answer): number {
  let count = 0
  for (let at = from; at < to; at++) if (hits.isSemanticAt(at)) count++
  return count
}
