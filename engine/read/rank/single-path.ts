// The buckets of a rule on a graph with one path, document by document. A walk visits each
// combination of steps whose costs add up to the wanted cost: with eleven costs for each word, four
// words have 14,641 of them. Here each step is visited once, because the cost of a document is the
// sum of its least cost at each node.
import type { IdSet } from '../../../format/idset/index.ts'
import type { GraphNode, QueryGraph } from '../query-graph/index.ts'
import { type CostStep, groupByCost, NO_COST } from './occurring.ts'

/** One way to step onto a node; `docs` returns null for all documents. */
export type CostEdge = { readonly cost: number; readonly docs: () => IdSet | null }

/** Returns the nodes of a graph with one path, in order, or null if it has several. */
export function singlePath(graph: QueryGraph): readonly GraphNode[] | null {
  return singlePathIndices(graph)?.map((index) => graph.nodes[index]!) ?? null
}

/** Returns the indices of these nodes. */
export function singlePathIndices(graph: QueryGraph): readonly number[] | null {
  const indices: number[] = []
  for (let next = graph.start; ; next = graph.next[next[0]!]!) {
    if (next.length !== 1) return null
    if (next[0] === graph.end) return indices
    indices.push(next[0]!)
  }
}

/**
 * Returns the documents of `universe` by the cost of the path, in ascending order of cost; those
 * that a node does not allow are left out. `steps`: for each node the ways onto it, in ascending
 * order of cost.
 */
export function costsOfPath(
  steps: readonly (readonly CostEdge[])[],
  universe: IdSet,
): readonly CostStep[] {
  const ids = universe.toArray()
  const costs = new Uint16Array(ids.length)
  let allowed = universe
  for (const edges of steps) {
    let left = allowed
    for (const { cost, docs } of edges) {
      if (left.isEmpty) break
      const set = docs()
      const here = set === null ? left : left.and(set)
      if (here.isEmpty) continue
      left = left.andNot(here)
      if (cost > 0) addTo(costs, ids, here.toArray(), cost)
    }
    allowed = allowed.andNot(left)
  }
  addTo(costs, ids, universe.andNot(allowed).toArray(), NO_COST)
  return groupByCost(universe, ids, costs)
}

/** Adds `cost` to those of ascending `some`, which are among ascending `ids`; at most NO_COST. */
function addTo(costs: Uint16Array, ids: Uint32Array, some: Uint32Array, cost: number): void {
  let d = 0
  for (let i = 0; i < some.length; i++) {
    const id = some[i]!
    while (ids[d]! < id) d++
    costs[d] = Math.min(NO_COST, costs[d]! + cost)
  }
}
