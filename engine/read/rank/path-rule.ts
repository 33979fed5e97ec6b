// Rules that rank by paths through the query graph (docs/search-semantics.md#ranking). Every step
// of a path has a cost and a set of documents; the cost of a path is their sum; a document belongs
// to the cheapest path it satisfies.
//
// The order in which paths of one cost are tried affects results: a path is passed on to the next
// rule only if it has a document that no earlier path had. Steps are tried by node, then by cost.
import { IdSet } from '../../../format/idset/index.ts'
import { mapped } from '../../runtime/index.ts'
import type { GraphNode, QueryGraph } from '../query-graph/index.ts'
import { LeftDocuments } from './left-documents.ts'
import type { CostStep } from './occurring.ts'
import type { Bucket, BucketSource } from './rule.ts'
import type { ScoreDetail } from './scores.ts'
import { type CostEdge, costsOfPath, singlePathIndices } from './single-path.ts'

/** One way to step onto a node. `docs` is called at most once for each rule and universe. */
export type Step = {
  readonly cost: number
  /** Documents of `universe` that allow the step; null for all. */
  readonly docs: (universe: IdSet) => IdSet | null
}

/** The part in which rules differ. */
export type PathCosts = {
  /** Returns the steps from one node (null is the start) onto the next, by ascending cost. */
  steps(from: GraphNode | null, to: GraphNode, universe: IdSet): readonly Step[]
  /**
   * Returns the node without the alternatives that a step of this `cost` excludes; null if nodes
   * stay as they are.
   */
  readonly cut: ((node: GraphNode, cost: number) => GraphNode) | null
  /**
   * Returns the score of paths with this cost; `costMax` is the cost of the most expensive path.
   */
  score(cost: number, costMax: number): ScoreDetail
}

/**
 * Steps that walks may visit before the remaining documents get their costs one by one. Pages that
 * the first buckets fill do not need those of all documents.
 */
const WALK_STEPS_MAX = 48

export class PathBuckets implements BucketSource {
  readonly #graph: QueryGraph
  readonly #rule: PathCosts
  readonly #universe: IdSet
  /** Edges by `from * (end + 1) + to`; `from` is `end` for the start. */
  readonly #edges = new Map<number, readonly CostEdge[]>()
  /** The same by node object, because a graph may contain a node several times. */
  readonly #edgesByNode = new Map<GraphNode | null, Map<GraphNode, readonly CostEdge[]>>()
  /** By node: all total costs of paths from it to the end. */
  readonly #costsToEnd: (ReadonlySet<number> | null)[]
  readonly #costs: readonly number[]
  readonly #costMax: number
  #at = 0
  /** Steps that walks have visited. */
  #steps = 0
  /** The only path, if its documents may get their costs one by one; else null. */
  readonly #onlyPath: readonly number[] | null
  /** The buckets that are left of the only path; null until walks have visited many steps. */
  #byCost: readonly CostStep[] | null = null

  constructor(universe: IdSet, graph: QueryGraph, rule: PathCosts) {
    this.#graph = graph
    this.#rule = rule
    this.#universe = universe
    this.#onlyPath = rule.cut === null ? singlePathIndices(graph) : null
    this.#costsToEnd = new Array(graph.end + 1).fill(null)
    this.#costsToEnd[graph.end] = new Set([0])
    for (let i = graph.end - 1; i >= 0; i--) {
      if (graph.nodes[i]) this.#costsToEnd[i] = this.#costsFrom(i, graph.next[i]!)
    }
    const all = this.#costsFrom(graph.end, graph.start)
    this.#costs = [...all].sort((a, b) => a - b)
    this.#costMax = this.#costs.at(-1) ?? 0
  }

  next(left: IdSet): Bucket | null {
    const { cut } = this.#rule
    if (this.#byCost !== null) return this.#nextByCost(this.#onlyPath!, left)
    while (this.#at < this.#costs.length && !left.isEmpty) {
      if (this.#onlyPath !== null && this.#steps > WALK_STEPS_MAX) {
        return this.#nextByCost(this.#onlyPath, left)
      }
      const cost = this.#costs[this.#at++]!
      const walk = new PathWalk(this.#graph, this.#edges, this.#costsToEnd, left)
      walk.visit(this.#graph.end, this.#graph.start, cost, left)
      this.#steps += walk.steps
      if (walk.found.isEmpty) continue
      return {
        ids: walk.found,
        graph: this.#graph.ofPaths(
          mapped(walk.paths, (path) => path.nodes),
          (node, path, step) => (cut === null ? node : cut(node, walk.paths[path]!.costs[step]!)),
        ),
        score: this.#rule.score(cost, this.#costMax),
      }
    }
    return null
  }

  /** Like `next`, for a graph with one path; the first call gives each of `left` its cost. */
  #nextByCost(path: readonly number[], left: IdSet): Bucket | null {
    if (this.#byCost === null) {
      const edges = mapped(path, (to, i) => this.#edgesOf(path[i - 1] ?? this.#graph.end, to))
      this.#byCost = costsOfPath(edges, left)
      this.#at = 0
    }
    while (this.#at < this.#byCost.length) {
      const { cost, docs } = this.#byCost[this.#at++]!
      const ids = docs.and(left)
      if (ids.isEmpty) continue
      const graph = this.#graph.ofPaths([path], (node) => node)
      return { ids, graph, score: this.#rule.score(cost, this.#costMax) }
    }
    return null
  }

  #costsFrom(from: number, targets: readonly number[]): ReadonlySet<number> {
    const costs = new Set<number>()
    for (const to of targets) {
      const costsAfter = this.#costsToEnd[to]!
      for (const edge of this.#edgesOf(from, to)) {
        for (const remaining of costsAfter) costs.add(remaining + edge.cost)
      }
    }
    return costs
  }

  #edgesOf(from: number, to: number): readonly CostEdge[] {
    const key = from * (this.#graph.end + 1) + to
    const cached = this.#edges.get(key)
    if (cached !== undefined) return cached
    const edges = to === this.#graph.end ? [FREE] : this.#makeEdges(from, to)
    this.#edges.set(key, edges)
    return edges
  }

  #makeEdges(from: number, to: number): readonly CostEdge[] {
    const source = from === this.#graph.end ? null : this.#graph.nodes[from]!
    const target = this.#graph.nodes[to]!
    let bySource = this.#edgesByNode.get(source)
    if (bySource === undefined) this.#edgesByNode.set(source, (bySource = new Map()))
    let edges = bySource.get(target)
    if (edges === undefined) bySource.set(target, (edges = this.#edgesBetween(source, target)))
    return edges
  }

  /** Steps of a rule may read all fields, so their documents are cut to those that match the node. */
  #edgesBetween(source: GraphNode | null, target: GraphNode): CostEdge[] {
    const steps = this.#rule.steps(source, target, this.#universe)
    const { exactOnly, mask, term } = target
    const own = term.space.readsAllFields ? null : term.docs(mask, exactOnly)
    return mapped(steps, ({ cost, docs }) => {
      let isComputed = false
      let cached: IdSet | null = null
      return {
        cost,
        docs: () => {
          if (!isComputed) {
            const found = docs(this.#universe)
            cached = own === null ? found : (found?.and(own) ?? own)
          }
          isComputed = true
          return cached
        },
      }
    })
  }
}

const FREE: CostEdge = { cost: 0, docs: () => null }

/**
 * Returns documents and paths without costs: a node matches with any of its alternatives. `paths`
 * are lists of node indices.
 */
export function freePaths(
  graph: QueryGraph,
  left: IdSet,
): { readonly ids: IdSet; readonly paths: readonly (readonly number[])[] } {
  const edges = new Map<number, readonly CostEdge[]>()
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

/** The search for paths of one cost for one bucket, depth first. */
class PathWalk {
  readonly #graph: QueryGraph
  readonly #edges: ReadonlyMap<number, readonly CostEdge[]>
  readonly #costsToEnd: readonly (ReadonlySet<number> | null)[]
  readonly #nodes: number[] = []
  readonly #stepCosts: number[] = []
  readonly #left: LeftDocuments
  found: IdSet = IdSet.empty
  readonly paths: { readonly nodes: readonly number[]; readonly costs: readonly number[] }[] = []
  /** Steps visited. */
  steps = 0

  constructor(
    graph: QueryGraph,
    edges: ReadonlyMap<number, readonly CostEdge[]>,
    costs: readonly (ReadonlySet<number> | null)[],
    left: IdSet,
  ) {
    this.#graph = graph
    this.#edges = edges
    this.#costsToEnd = costs
    this.#left = new LeftDocuments(left)
  }

  /**
   * Tries every continuation from `from` with a total of exactly `cost`; `docs` satisfy the path so
   * far.
   */
  visit(from: number, targets: readonly number[], cost: number, docs: IdSet): void {
    let { takes } = this.#left
    let among = docs
    for (const to of targets) {
      for (const edge of this.#edges.get(from * (this.#graph.end + 1) + to)!) {
        const remaining = cost - edge.cost
        if (remaining < 0 || !this.#costsToEnd[to]!.has(remaining)) continue
        // Remove the documents that a path of an earlier edge has taken.
        if (takes !== this.#left.takes) {
          among = among.and(this.#left.read())
          takes = this.#left.takes
        }
        this.#step(to, edge, remaining, among)
        if (this.#left.isEmpty) return
      }
    }
  }

  /**
   * Calls `edge.docs` even if no documents are left, because it looks up words with typos, which
   * hits highlight.
   */
  #step(to: number, edge: CostEdge, remaining: number, docs: IdSet): void {
    this.steps++
    const allowed = edge.docs()
    const here = allowed === null ? docs : docs.and(allowed)
    if (here.isEmpty) return
    if (to === this.#graph.end) {
      this.found = this.found.or(here)
      this.#left.take(here)
      this.paths.push({ nodes: [...this.#nodes], costs: [...this.#stepCosts] })
      return
    }
    this.#nodes.push(to)
    this.#stepCosts.push(edge.cost)
    this.visit(to, this.#graph.next[to]!, remaining, here)
    this.#nodes.pop()
    this.#stepCosts.pop()
  }
}
