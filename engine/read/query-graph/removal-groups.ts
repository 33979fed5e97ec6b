// Which words of a query each matching strategy may drop, and in which order
// (docs/search-semantics.md#matching-strategy).
import type { IdSet } from '../../../format/idset/index.ts'
import type { MatchingStrategy } from '../../model/index.ts'
import { mapped } from '../../runtime/index.ts'
import type { GraphNode, QueryGraph } from './graph.ts'

/** A strategy that drops words in an order. */
export type DroppingStrategy = Exclude<MatchingStrategy, 'any'>

/**
 * Returns groups of node indices in the order in which the matching strategy drops them
 * (docs/search-semantics.md#matching-strategy). Phrases and terms that must match exactly are never
 * dropped.
 */
export function removalGroups(graph: QueryGraph, strategy: DroppingStrategy): Set<number>[] {
  if (strategy === 'all') return []
  const present = [...graph.present()]
  const mandatory = present.some(([, node]) => isMandatory(node))
  const removable = present.filter(([, node]) => !isMandatory(node))
  const rank = strategy === 'last' ? lastRank : frequencyRank(present)
  const groups = new Map<number, Set<number>>()
  for (const [index, node] of removable) {
    const group = rank(node)
    const members = groups.get(group)
    if (members === undefined) groups.set(group, new Set([index]))
    else members.add(index)
  }
  const order = [...groups.keys()].sort((a, b) => a - b)
  if (!mandatory) order.pop()
  return mapped(order, (group) => groups.get(group)!)
}

const isMandatory = (node: GraphNode): boolean => node.term.phrase !== null || node.exactOnly

/** The last word is dropped first; an n-gram is dropped with its first word. */
const lastRank = (node: GraphNode): number => -node.idFirst

/**
 * The most frequent word in the index is dropped first; a word without matches before all others.
 */
function frequencyRank(
  present: readonly (readonly [number, GraphNode])[],
): (node: GraphNode) => number {
  // An n-gram counts for each word it covers.
  const docs = new Map<number, IdSet>()
  for (const [, node] of present) {
    const matching = node.term.docs(node.mask, node.exactOnly)
    for (let id = node.idFirst; id <= node.idLast; id++) {
      docs.set(id, docs.get(id)?.or(matching) ?? matching)
    }
  }
  const sizes = new Set<number>()
  for (const set of docs.values()) sizes.add(set.size)
  const order = [...sizes].sort((a, b) => {
    if (a === 0 || b === 0) return a === b ? 0 : a === 0 ? -1 : 1
    return b - a
  })
  const rankOfId = new Map<number, number>()
  for (const [id, set] of docs) rankOfId.set(id, order.indexOf(set.size))
  return (node) => {
    let rank = 0
    for (let id = node.idFirst; id <= node.idLast; id++) rank = Math.max(rank, rankOfId.get(id)!)
    return rank
  }
}
