// Splits documents by the cheapest occurrence of a term in them. Rules that use positions or fields
// (attributeRank, wordPosition) call this for few documents, and use stored sets for many.
import { IdSet } from '../../../format/idset/index.ts'
import { type Alternatives, type GraphNode, type TermSpace, wordsOf } from '../query-graph/index.ts'
import type { LocalOccurrences, Word } from '../segment-text/index.ts'

/** Up to this many documents, reading their occurrences is faster than uniting stored sets. */
export const LOCAL_DOCUMENTS_MAX = 1024

/** In a table of costs: the occurrence does not count. */
export const NO_COST = 0xffff

/** The cost of an occurrence, which is encoded as `field << 16 | position`. */
export type CostTable =
  | { readonly by: 'field'; readonly costs: Uint16Array }
  /** `indexOf`: by position, the index of its cost. */
  | { readonly by: 'position'; readonly indexOf: Uint8Array; readonly costs: Uint16Array }

export type CostStep = { readonly cost: number; readonly docs: IdSet }

/**
 * Returns the documents of `universe` by the least cost of an occurrence of the term, in ascending
 * order of cost.
 */
export function costsByDocument(
  space: TermSpace,
  node: GraphNode,
  term: Alternatives,
  universe: IdSet,
  table: CostTable,
): CostStep[] {
  const ids = universe.toArray()
  const costs = new Uint16Array(ids.length).fill(NO_COST)
  const words = wordsOf(term)
  if (words.length > 0 || term.prefix !== null) {
    const { found, places } = occurrencesOf(space, node, { words, prefix: term.prefix }, ids)
    lower(costs, found, places, table, null)
  }
  for (const phrase of term.phrases) {
    const first = space.phrasePart(phrase, 0)
    const found = space.index.occurrences(first.words, first.prefix, ids)
    lower(costs, found, null, table, memberBits(space.phraseDocs(phrase), ids))
  }
  return groupByCost(universe, ids, costs)
}

/**
 * Occurrences of a node's words in ascending documents, cached because other rules may need them.
 */
type CachedOccurrences = { readonly ids: Uint32Array; readonly found: LocalOccurrences }
/**
 * `places`: the index of each document among those of the occurrences; null if both lists are
 * equal.
 */
type Placed = { readonly found: LocalOccurrences; readonly places: Uint32Array | null }

const cachedBySpace = new WeakMap<TermSpace, Map<GraphNode, CachedOccurrences>>()

/**
 * A rule often needs documents of a bucket of the previous rule, which may have read all documents
 * of that bucket: they are not read again.
 */
function occurrencesOf(
  space: TermSpace,
  node: GraphNode,
  { prefix, words }: { readonly words: readonly Word[]; readonly prefix: string | null },
  ids: Uint32Array,
): Placed {
  let byNode = cachedBySpace.get(space)
  if (byNode === undefined) cachedBySpace.set(space, (byNode = new Map()))
  const cached = byNode.get(node)
  if (cached !== undefined) {
    const places = placesAmong(cached.ids, ids)
    if (places !== null) return { found: cached.found, places }
  }
  const found = space.index.occurrences(words, prefix, ids)
  byNode.set(node, { ids, found })
  return { found, places: null }
}

/** Returns the indexes of ascending `ids` in ascending `all`, or null if one is missing. */
function placesAmong(all: Uint32Array, ids: Uint32Array): Uint32Array | null {
  if (ids.length > all.length) return null
  const places = new Uint32Array(ids.length)
  let at = 0
  for (let d = 0; d < ids.length; d++) {
    const id = ids[d]!
    while (at < all.length && all[at]! < id) at++
    if (all[at] !== id) return null
    places[d] = at
  }
  return places
}

/** Returns 1 for each document that is a member, else 0. */
function memberBits(members: IdSet, ids: Uint32Array): Uint8Array {
  const bits = new Uint8Array(ids.length)
  for (let d = 0; d < ids.length; d++) if (members.has(ids[d]!)) bits[d] = 1
  return bits
}

/**
 * Lowers `costs` to the least cost of an occurrence. `places`: as in `Placed`. `among`: 1 for
 * documents to include; null includes all.
 */
function lower(
  costs: Uint16Array,
  { starts, packed }: LocalOccurrences,
  places: Uint32Array | null,
  table: CostTable,
  among: Uint8Array | null,
): void {
  const indexOf = table.by === 'position' ? table.indexOf : null
  const byIndex = table.costs
  for (let d = 0; d < costs.length; d++) {
    const place = places === null ? d : places[d]!
    const to = starts[place + 1]!
    if (among !== null && among[d] === 0) continue
    let least = costs[d]!
    for (let i = starts[place]!; i < to; i++) {
      const index = indexOf === null ? packed[i]! >>> 16 : indexOf[packed[i]! & 0xffff]!
      const cost = byIndex[index]!
      if (cost < least) least = cost
    }
    costs[d] = least
  }
}

/** Returns the documents in ascending order of cost; those without a cost are left out. */
export function groupByCost(universe: IdSet, ids: Uint32Array, costs: Uint16Array): CostStep[] {
  let most = -1
  for (let d = 0; d < costs.length; d++) {
    if (costs[d] !== NO_COST && costs[d]! > most) most = costs[d]!
  }
  const counts = new Uint32Array(most + 1)
  for (let d = 0; d < costs.length; d++) if (costs[d] !== NO_COST) counts[costs[d]!]!++
  const steps: CostStep[] = []
  for (let cost = 0; cost <= most; cost++) {
    const count = counts[cost]!
    if (count === 0) continue
    if (count === ids.length) return [{ cost, docs: universe }]
    const members = new Uint32Array(count)
    let n = 0
    for (let d = 0; d < costs.length; d++) if (costs[d] === cost) members[n++] = ids[d]!
    steps.push({ cost, docs: IdSet.ofSorted(members) })
  }
  return steps
}
