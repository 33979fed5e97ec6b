// Rules that rank by paths through the query graph · search semantics §7.5. Every step of a path
// has a cost and a set of documents; a path costs the sum; a document belongs to the cheapest path
// it satisfies.
//
// The order in which paths of one cost are tried shows in the results: a path is passed on to the
// next rule only if it brought a document that no earlier one did. Steps are tried by node, then by
// cost.
import { IdSet } from '../../../format/idset/index.ts'
import { mapped } from '../../model/index.ts'
import type { GraphNode, QueryGraph } from '../query/index.ts'
import type { Bucket, BucketSource } from './rule.ts'
import type { ScoreDetail } from './scores.ts'

/** One way to step onto a node. `docs` is asked at most once per rule and universe. */
export type Step = {
  readonly cost: number
  /** Documents of `universe` that allow the step; null: all of them. */
  readonly docs: (universe: IdSet) => IdSet | null
}

/** What makes one rule different from another. */
export type PathCosts = {
  /** Ways from one node (null: the start) onto the next, by ascending cost. */
  steps(from: GraphNode | null, to: GraphNode, universe: IdSet): readonly Step[]
  /** Cuts a node down after a kept path stepped onto it at `cost`. */
  cut(node: GraphNode, cost: number): GraphNode
  /** The verdict for paths of `cost`; `costMax` is that of the dearest path. */
  score(cost: number, costMax: number): ScoreDetail
}

type Edge = { readonly cost: number; readonly docs: () => IdSet | null }

export class PathBuckets implements BucketSource {
  readonly #graph: QueryGraph
  readonly #rule: PathCosts
  readonly #universe: IdSet
  /** Edges by `from * (end + 1) + to`, from = end standing for the start. */
  readonly #edges = new Map<number, readonly Edge[]>()
  /** The same by what the nodes are: a graph may have one several times. */
  readonly #made = new Map<GraphNode | null, Map<GraphNode, readonly Edge[]>>()
  /** By node: the total costs with which the end can still be reached. */
  readonly #rests: (ReadonlySet<number> | null)[]
  readonly #costs: readonly number[]
  readonly #costMax: number
  #at = 0

  constructor(universe: IdSet, graph: QueryGraph, rule: PathCosts) {
    this.#graph = graph
    this.#rule = rule
    this.#universe = universe
    this.#rests = new Array(graph.end + 1).fill(null)
    this.#rests[graph.end] = new Set([0])
    for (let i = graph.end - 1; i >= 0; i--) {
      if (graph.nodes[i]) this.#rests[i] = this.#restsFrom(i, graph.next[i]!)
    }
    const all = this.#restsFrom(graph.end, graph.start)
    this.#costs = [...all].sort((a, b) => a - b)
    this.#costMax = this.#costs.at(-1) ?? 0
  }

  next(left: IdSet): Bucket | null {
    while (this.#at < this.#costs.length && !left.isEmpty) {
      const cost = this.#costs[this.#at++]!
      const walk = new PathWalk(this.#graph, this.#edges, this.#rests, left)
      walk.visit(this.#graph.end, this.#graph.start, cost, left)
      if (walk.found.isEmpty) continue
      return {
        ids: walk.found,
        graph: this.#graph.ofPaths(
          mapped(walk.paths, (path) => path.nodes),
          (node, path, step) => this.#rule.cut(node, walk.paths[path]!.costs[step]!),
        ),
        score: this.#rule.score(cost, this.#costMax),
      }
    }
    return null
  }

  #restsFrom(from: number, targets: readonly number[]): ReadonlySet<number> {
    const rests = new Set<number>()
    for (const to of targets) {
      const behind = this.#rests[to]!
      for (const edge of this.#edgesOf(from, to)) {
        for (const rest of behind) rests.add(rest + edge.cost)
      }
    }
    return rests
  }

  #edgesOf(from: number, to: number): readonly Edge[] {
    const key = from * (this.#graph.end + 1) + to
    const known = this.#edges.get(key)
    if (known !== undefined) return known
    const edges = to === this.#graph.end ? [FREE] : this.#makeEdges(from, to)
    this.#edges.set(key, edges)
    return edges
  }

  #makeEdges(from: number, to: number): readonly Edge[] {
    const source = from === this.#graph.end ? null : this.#graph.nodes[from]!
    const target = this.#graph.nodes[to]!
    let bySource = this.#made.get(source)
    if (bySource === undefined) this.#made.set(source, (bySource = new Map()))
    let edges = bySource.get(target)
    if (edges === undefined) bySource.set(target, (edges = this.#edgesBetween(source, target)))
    return edges
  }

  #edgesBetween(source: GraphNode | null, target: GraphNode): Edge[] {
    const steps = this.#rule.steps(source, target, this.#universe)
    return mapped(steps, ({ cost, docs }) => {
      let made = false
      let known: IdSet | null = null
      return {
        cost,
        docs: () => {
          if (!made) known = docs(this.#universe)
          made = true
          return known
        },
      }
    })
  }
}

const FREE: Edge = { cost: 0, docs: () => null }

/**
 * Paths that cost nothing: every node takes whatever its term may be. `paths` are lists of node
 * indices.
 */
export function freePaths(
  graph: QueryGraph,
  left: IdSet,
): { readonly ids: IdSet; readonly paths: readonly (readonly number[])[] } {
  const edges = new Map<number, readonly Edge[]>()
  const width = graph.end + 1
  const connect = (from: number, targets: readonly number[]): void => {
    for (const to of targets) {
      const node = to === graph.end ? null : graph.nodes[to]!
      const docs = (): IdSet => node!.term.docs(node!.mask, node!.exactOnly)
      edges.set(from * width + to, [node === null ? FREE : { cost: 0, docs }])
    }
  }
  connect(graph.end, graph.start)
  for (const [index] of graph.present()) connect(index, graph.next[index]!)
  const zero: ReadonlySet<number> = new Set([0])
  const walk = new PathWalk(graph, edges, new Array(width).fill(zero), left)
  walk.visit(graph.end, graph.start, 0, left)
  return { ids: walk.found, paths: mapped(walk.paths, (path) => path.nodes) }
}

/** One bucket's search for paths of one cost, depth first. */
class PathWalk {
  readonly #graph: QueryGraph
  readonly #edges: ReadonlyMap<number, readonly Edge[]>
  readonly #rests: readonly (ReadonlySet<number> | null)[]
  readonly #nodes: number[] = []
  readonly #stepCosts: number[] = []
  #left: IdSet
  found: IdSet = IdSet.empty
  readonly paths: { readonly nodes: readonly number[]; readonly costs: readonly number[] }[] = []

  constructor(
    graph: QueryGraph,
    edges: ReadonlyMap<number, readonly Edge[]>,
    rests: readonly (ReadonlySet<number> | null)[],
    left: IdSet,
  ) {
    this.#graph = graph
    this.#edges = edges
    this.#rests = rests
    this.#left = left
  }

  /** Tries every way on from `from` that costs exactly `cost` in all; `docs` are left. */
  visit(from: number, targets: readonly number[], cost: number, docs: IdSet): void {
    let left = this.#left
    let among = docs
    for (const to of targets) {
      for (const edge of this.#edges.get(from * (this.#graph.end + 1) + to)!) {
        const rest = cost - edge.cost
        if (rest < 0 || !this.#rests[to]!.has(rest)) continue
        // A path of an earlier edge took some.
        if (left !== this.#left) among = among.and((left = this.#left))
        this.#step(to, edge, rest, among)
        if (this.#left.isEmpty) return
      }
    }
  }

  /** The edge is asked where no documents are left as well: it looks for words. */
  #step(to: number, edge: Edge, rest: number, docs: IdSet): void {
    const allowed = edge.docs()
    const here = allowed === null ? docs : docs.and(allowed)
    if (here.isEmpty) return
    if (to === this.#graph.end) {
      this.found = this.found.or(here)
      this.#left = this.#left.andNot(here)
      this.paths.push({ nodes: [...this.#nodes], costs: [...this.#stepCosts] })
      return
    }
    this.#nodes.push(to)
    this.#stepCosts.push(edge.cost)
    this.visit(to, this.#graph.next[to]!, rest, here)
    this.#nodes.pop()
    this.#stepCosts.pop()
  }
}
