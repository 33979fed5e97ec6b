// words, with the matching strategy `any`: documents that match more words of the query come first
// (docs/search-semantics.md#words). Any words may be missing, so documents are counted rather than
// combinations of words tried.
import { gallop, IdSet, popcount } from '../../../format/idset/index.ts'
import { type GraphNode, idCount, QueryGraph } from '../query-graph/index.ts'
import type { Bucket, BucketSource, RankingRule } from './rule.ts'

/**
 * Combinations of words that later rules tell apart, times the nodes of the query: later rules walk
 * all paths once for each of their costs. Rules behind see the documents of more as equal.
 */
const COMBINED_NODES_MAX = 512

/** The reading without words, which every document matches. */
const ANYTHING = new QueryGraph([], [], [0])

export class AnyWordsRule implements RankingRule {
  readonly name = 'words'
  open(universe: IdSet, graph: QueryGraph): BucketSource {
    return new AnyWordsBuckets(universe, graph)
  }
}

class AnyWordsBuckets implements BucketSource {
  readonly #graph: QueryGraph
  readonly #nodes: readonly (readonly [number, GraphNode])[]
  readonly #words: number
  /** By number of words: the documents that match as many. */
  readonly #byCount: readonly IdSet[]
  #count: number

  constructor(universe: IdSet, graph: QueryGraph) {
    this.#graph = graph
    this.#nodes = [...graph.present()]
    this.#words = this.#nodes.reduce((most, [, { idLast }]) => Math.max(most, idLast + 1), 0)
    this.#byCount = countWords(this.#nodes, universe, this.#words)
    this.#count = this.#words
  }

  next(left: IdSet): Bucket | null {
    for (; this.#count >= 0; this.#count--) {
      const ids = this.#byCount[this.#count]!.and(left)
      if (ids.isEmpty) continue
      const rank = this.#count--
      return { ids, graph: this.#readings(ids), score: { kind: 'words', rank, max: this.#words } }
    }
    return null
  }

  /** Returns the readings of the words that the documents have, or `ANYTHING` for too many. */
  #readings(ids: IdSet): QueryGraph {
    type Group = { readonly ids: IdSet; readonly nodes: readonly number[] }
    let groups: readonly Group[] = [{ ids, nodes: [] }]
    for (const [index, { term, mask, exactOnly }] of this.#nodes) {
      const docs = term.docs(mask, exactOnly)
      const split: Group[] = []
      for (const group of groups) {
        const having = group.ids.and(docs)
        if (!having.isEmpty) split.push({ ids: having, nodes: [...group.nodes, index] })
        if (having.size < group.ids.size) split.push({ ...group, ids: group.ids.andNot(docs) })
      }
      if (split.length * this.#nodes.length > COMBINED_NODES_MAX) return ANYTHING
      groups = split
    }
    const paths = groups.map(({ nodes }) => this.#pathOf(nodes))
    return this.#graph.ofPaths(paths, (node) => node)
  }

  /** Returns nodes that cover no word twice: single words first, then words read as one. */
  #pathOf(nodes: readonly number[]): readonly number[] {
    const taken = new Array<boolean>(this.#words).fill(false)
    const path: number[] = []
    const bySize = nodes.toSorted(
      (a, b) => idCount(this.#node(a)) - idCount(this.#node(b)) || a - b,
    )
    for (const index of bySize) {
      const { idFirst, idLast } = this.#node(index)
      if (taken.slice(idFirst, idLast + 1).includes(true)) continue
      taken.fill(true, idFirst, idLast + 1)
      path.push(index)
    }
    return path.sort((a, b) => a - b)
  }

  #node(index: number): GraphNode {
    return this.#graph.nodes[index]!
  }
}

/** Returns the documents of `universe` by the number of query words that they match. */
function countWords(
  nodes: readonly (readonly [number, GraphNode])[],
  universe: IdSet,
  words: number,
): readonly IdSet[] {
  const ids = universe.toArray()
  const width = Math.max(1, Math.ceil(words / 32))
  /** `width` numbers for each document: a bit for each word that it matches. */
  const matched = new Uint32Array(ids.length * width)
  for (const [, { term, mask, exactOnly, idFirst, idLast }] of nodes) {
    const docs = term.docs(mask, exactOnly).and(universe).toArray()
    for (let word = idFirst; word <= idLast; word++) mark(matched, width, word, docs, ids)
  }
  const counts = new Uint8Array(ids.length)
  const sizes = new Uint32Array(words + 1)
  for (let d = 0; d < ids.length; d++) {
    let count = 0
    for (let i = 0; i < width; i++) count += popcount(matched[d * width + i]!)
    counts[d] = count
    sizes[count]!++
  }
  return Array.from(sizes, (size, count) => {
    const members = new Uint32Array(size)
    let n = 0
    if (size > 0)
      for (let d = 0; d < ids.length; d++) if (counts[d] === count) members[n++] = ids[d]!
    return IdSet.ofSorted(members)
  })
}

/** Sets the bit of a word for each of `docs`, which are among ascending `ids`. */
function mark(
  matched: Uint32Array,
  width: number,
  word: number,
  docs: Uint32Array,
  ids: Uint32Array,
): void {
  const part = word >>> 5
  const bit = 1 << (word & 31)
  let at = 0
  for (let i = 0; i < docs.length; i++) {
    at = gallop(ids, at, docs[i]!)
    matched[at * width + part]! |= bit
  }
}
