// The readings of a query as a graph: one node for each term, and further nodes for several words
// read as one (docs/search-semantics.md#readings-of-a-query). Every path from START to END is
// a reading.
//
// Nodes are numbered by their last word: word i, then the pair, the triple, … that end with it. So
// node numbers ascend along a path, and alternatives are tried in order of node numbers.

import { IdSet } from '../../../format/idset/index.ts'
import { mapped } from '../../runtime/index.ts'
import { SYNONYM_WORDS_MAX } from '../../settings/schema/index.ts'
import { JOINED_WORDS_MAX, QUERY_WORD_BYTES_MAX, TIGHT_WORDS_MAX } from './limits.ts'
import type { ParsedQuery, PhraseTerm, WordTerm } from './parse.ts'
import { LEVELS_ALL, Term, type TermForm } from './term.ts'
import type { TermSpace } from './term-space.ts'

const END = 'end'

export type GraphNode = {
  readonly term: Term
  /** Ids of the covered terms, inclusive: one for a word or phrase, several for an n-gram. */
  readonly idFirst: number
  readonly idLast: number
  /** Positions in the query, inclusive. */
  readonly positionFirst: number
  readonly positionLast: number
  /** Typo levels still allowed (bit l for level l). */
  readonly mask: number
  /** True if only the exact word or phrase matches. */
  readonly exactOnly: boolean
}

/**
 * Returns the node with fewer alternatives; written out, so that all nodes have one hidden class.
 */
export const cutNode = (node: GraphNode, mask: number, exactOnly: boolean): GraphNode => ({
  term: node.term,
  idFirst: node.idFirst,
  idLast: node.idLast,
  positionFirst: node.positionFirst,
  positionLast: node.positionLast,
  mask,
  exactOnly,
})

/** Number of terms that a node covers. */
export const idCount = (node: GraphNode): number => node.idLast - node.idFirst + 1

export class QueryGraph {
  /** By node index; null for a node that was left out of this graph. */
  readonly nodes: readonly (GraphNode | null)[]
  /** By node index: the following nodes, ascending; `end` is the number of nodes. */
  readonly next: readonly (readonly number[])[]
  /** The first nodes of all readings, ascending. */
  readonly start: readonly number[]

  constructor(
    nodes: readonly (GraphNode | null)[],
    next: readonly (readonly number[])[],
    start: readonly number[],
  ) {
    this.nodes = nodes
    this.next = next
    this.start = start
  }

  get end(): number {
    return this.nodes.length
  }

  /** Returns the documents of `universe` that match a node. */
  anyDocs(universe: IdSet): IdSet {
    let found = IdSet.empty
    // Of a few documents, intersections are small; of many, they cost as much as unions.
    const isSmall = universe.words === null
    for (const [, { term, mask, exactOnly }] of this.present()) {
      const docs = term.docs(mask, exactOnly)
      found = found.or(isSmall ? docs.and(universe) : docs)
    }
    return found.and(universe)
  }

  /**
   * Returns the documents of `universe` that match at least one path. `isWhole`: true if `universe`
   * has all documents that a node can match.
   */
  docs(universe: IdSet, isWhole = false): IdSet {
    const reached: (IdSet | null)[] = new Array(this.nodes.length + 1).fill(null)
    for (const index of this.start) this.#reach(reached, index, universe, isWhole)
    for (let i = 0; i < this.nodes.length; i++) {
      const docs = reached[i]
      if (!docs || docs.isEmpty) continue
      for (const index of this.next[i]!) this.#reach(reached, index, docs, false)
    }
    return reached[this.end] ?? IdSet.empty
  }

  #reach(reached: (IdSet | null)[], index: number, from: IdSet, isWhole: boolean): void {
    const node = index === this.end ? null : this.nodes[index]!
    const own = node?.term.docs(node.mask, node.exactOnly) ?? from
    const docs = isWhole ? own : from.and(own)
    reached[index] = reached[index] ? reached[index].or(docs) : docs
  }

  /** Returns the graph without some nodes; predecessors of a removed node lead to its followers. */
  without(removed: ReadonlySet<number>): QueryGraph {
    if (removed.size === 0) return this
    const expand = (targets: readonly number[]): number[] => {
      const out = new Set<number>()
      for (const target of targets) {
        if (removed.has(target)) for (const t of expand(this.next[target]!)) out.add(t)
        else out.add(target)
      }
      return [...out].sort((a, b) => a - b)
    }
    return new QueryGraph(
      mapped(this.nodes, (node, i) => (removed.has(i) ? null : node)),
      mapped(this.next, (targets, i) => (removed.has(i) ? [] : expand(targets))),
      expand(this.start),
    )
  }

  /**
   * Returns the graph that has exactly the given paths. `cut` changes the node at `step` of path
   * `path`. A node that is cut in two ways becomes two nodes, and a node with two sets of followers
   * is duplicated where necessary, so that no other paths arise.
   */
  ofPaths(
    paths: readonly (readonly number[])[],
    cut: (node: GraphNode, path: number, step: number) => GraphNode,
  ): QueryGraph {
    if (paths.length === 1) return this.#ofPath(paths[0]!, cut)
    const root: Branch = { node: null, from: -1, order: 0, next: new Map() }
    const nodeByKey = new Map<string, GraphNode>()
    let order = 0
    paths.forEach((path, p) => {
      let at = root
      path.forEach((index, step) => {
        const node = cut(this.nodes[index]!, p, step)
        const key = `${index} ${node.mask} ${node.exactOnly}`
        let branch = at.next.get(key) ?? null
        if (branch === null) {
          // Equal nodes are one object, because rules use nodes as keys of caches.
          if (!nodeByKey.has(key)) nodeByKey.set(key, node)
          branch = { node: nodeByKey.get(key)!, from: index, order: order++, next: new Map() }
          at.next.set(key, branch)
        }
        at = branch
      })
      at.next.set(END, null)
    })
    return graphOf(root)
  }

  /** `ofPaths` for one path, the most frequent case. */
  #ofPath(
    path: readonly number[],
    cut: (node: GraphNode, path: number, step: number) => GraphNode,
  ): QueryGraph {
    const nodes: GraphNode[] = []
    const next: (readonly number[])[] = []
    for (let step = 0; step < path.length; step++) {
      nodes.push(cut(this.nodes[path[step]!]!, 0, step))
      next.push(follower(step + 1))
    }
    return new QueryGraph(nodes, next, follower(0))
  }

  /** Nodes that were not left out, with their indices. */
  *present(): Iterable<readonly [number, GraphNode]> {
    for (let i = 0; i < this.nodes.length; i++) {
      const node = this.nodes[i]
      if (node) yield [i, node]
    }
  }
}

const FOLLOWERS: (readonly number[])[] = []

/** A list of one node. Cached, because several are needed for each bucket. */
const follower = (index: number): readonly number[] => (FOLLOWERS[index] ??= [index])

/**
 * A tree of paths. `next`: by key, with null for the end. `order`: order in which nodes were added.
 */
type Branch = {
  readonly node: GraphNode | null
  readonly from: number
  readonly order: number
  readonly next: Map<string, Branch | null>
}

/**
 * Builds the graph of a tree of paths: branches of the same node with the same followers become one
 * node. Nodes with the same origin are in the order of the paths.
 */
function graphOf(root: Branch): QueryGraph {
  const branches = new Map<string, { branch: Branch; readonly next: readonly string[] }>()
  const namesOf = (branch: Branch): string[] =>
    mapped([...branch.next], ([key, child]) => (child === null ? END : merged(key, child))).sort()
  const merged = (key: string, branch: Branch): string => {
    const next = namesOf(branch)
    const name = `${key}(${next.join()})`
    const earlier = branches.get(name)
    if (earlier === undefined) branches.set(name, { branch, next })
    else if (branch.order < earlier.branch.order) earlier.branch = branch
    return name
  }
  const start = namesOf(root)
  const entries = [...branches].sort(
    ([, { branch: a }], [, { branch: b }]) => a.from - b.from || a.order - b.order,
  )
  const numbers = new Map<string, number>()
  for (const [name] of entries) numbers.set(name, numbers.size)
  numbers.set(END, entries.length)
  const ascending = (names: readonly string[]): number[] =>
    mapped(names, (name) => numbers.get(name)!).sort((a, b) => a - b)
  return new QueryGraph(
    mapped(entries, ([, { branch }]) => branch.node),
    mapped(entries, ([, { next }]) => ascending(next)),
    ascending(start),
  )
}

/**
 * Builds the graph of a parsed query; returns null if it has no term. `spaceOf`: by number of a term
 * its space, if that is another one; terms side by side have the same.
 */
export function buildGraph(
  query: Pick<ParsedQuery, 'terms'>,
  common: TermSpace,
  spaceOf: ((term: number) => TermSpace) | null = null,
): QueryGraph | null {
  const { terms } = query
  if (terms.length === 0) return null
  const nodes: GraphNode[] = []
  for (let i = 0; i < terms.length; i++) {
    const space = spaceOf?.(i) ?? common
    nodes.push(nodeOf(terms, i, i, space, isRun(terms, i, i) ? 'run' : 'word'))
    for (let from = i - 1; from >= 0 && isBeside(terms, from); from--) {
      const form = formOf(terms, from, i, space)
      if (form !== null) nodes.push(nodeOf(terms, from, i, space, form))
    }
  }
  const byFirst = new Map<number, number[]>()
  nodes.forEach((node, index) => {
    const list = byFirst.get(node.idFirst)
    if (list === undefined) byFirst.set(node.idFirst, [index])
    else list.push(index)
  })
  const end = [nodes.length]
  return new QueryGraph(
    nodes,
    mapped(nodes, (node) => byFirst.get(node.idLast + 1) ?? end),
    byFirst.get(0)!,
  )
}

/** Returns how the words `from` to `to`, which are adjacent, may be read as one; null for not. */
function formOf(
  terms: readonly (WordTerm | PhraseTerm)[],
  from: number,
  to: number,
  space: TermSpace,
): TermForm | null {
  const { synonyms } = space.rules
  const count = to - from + 1
  const isLong = count > JOINED_WORDS_MAX && synonyms.size === 0
  if (isLong && !hasJoints(terms, from, from + 1, 'tight')) return null
  const run = isRun(terms, from, to)
  const isJoined =
    count <= JOINED_WORDS_MAX ||
    (count <= TIGHT_WORDS_MAX && hasJoints(terms, from, to, 'tight')) ||
    (run && isWhole(terms, from, to))
  if (isJoined && bytesOf(terms, from, to) <= QUERY_WORD_BYTES_MAX) return run ? 'run' : 'word'
  if (synonyms.size === 0 || count > SYNONYM_WORDS_MAX) return null
  const words = wordsOf(terms, from, to)
  const isKey = synonyms.has(words.join('\u0000')) || space.stemSynonyms(words).length > 0
  return isKey ? 'sequence' : null
}

function bytesOf(terms: readonly (WordTerm | PhraseTerm)[], from: number, to: number): number {
  let bytes = 0
  for (let i = from; i <= to; i++) {
    const term = terms[i]!
    if (term.kind === 'word') bytes += Buffer.byteLength(term.word)
  }
  return bytes
}

/** Returns true if this term and the next one are plain words at adjacent positions. */
function isBeside(terms: readonly (WordTerm | PhraseTerm)[], i: number): boolean {
  const term = terms[i]!
  const next = terms[i + 1]!
  return term.kind === 'word' && next.kind === 'word' && term.last + 1 === next.first
}

const wordsOf = (
  terms: readonly (WordTerm | PhraseTerm)[],
  from: number,
  to: number,
): readonly string[] =>
  mapped(terms.slice(from, to + 1), (term) => (term.kind === 'word' ? term.word : ''))

/** Returns true if each word is joined to the one before it as closely as `loosest`. */
function hasJoints(
  terms: readonly (WordTerm | PhraseTerm)[],
  from: number,
  to: number,
  loosest: 'none' | 'tight',
): boolean {
  for (let i = from + 1; i <= to; i++) {
    const term = terms[i]!
    if (term.kind === 'phrase' || term.joint === 'spaced') return false
    if (loosest === 'none' && term.joint !== 'none') return false
  }
  return true
}

/** Returns true for words without anything between them, some in a script without spaces. */
function isRun(terms: readonly (WordTerm | PhraseTerm)[], from: number, to: number): boolean {
  let isUnspaced = false
  for (let i = from; i <= to; i++) {
    const term = terms[i]!
    if (term.kind === 'word' && term.isUnspaced) isUnspaced = true
  }
  return isUnspaced && hasJoints(terms, from, to, 'none')
}

/** Returns true if the words before and behind these do not belong to their run. */
const isWhole = (terms: readonly (WordTerm | PhraseTerm)[], from: number, to: number): boolean =>
  !(from > 0 && hasJoints(terms, from - 1, from, 'none')) &&
  !(to + 1 < terms.length && hasJoints(terms, to, to + 1, 'none'))

function nodeOf(
  terms: readonly (WordTerm | PhraseTerm)[],
  from: number,
  to: number,
  space: TermSpace,
  form: TermForm,
): GraphNode {
  const last = terms[to]!
  return {
    term: last.kind === 'phrase' ? phraseTerm(last, space) : wordTerm(terms, from, to, space, form),
    idFirst: from,
    idLast: to,
    positionFirst: terms[from]!.first,
    positionLast: last.last,
    mask: LEVELS_ALL,
    exactOnly: false,
  }
}

const phraseTerm = (term: PhraseTerm, space: TermSpace): Term =>
  new Term(space, { text: null, phrase: term.phrase, isPrefix: false, parts: [] })

function wordTerm(
  terms: readonly (WordTerm | PhraseTerm)[],
  from: number,
  to: number,
  space: TermSpace,
  form: TermForm,
): Term {
  const parts = wordsOf(terms, from, to)
  const last = terms[to]!
  const isPrefix = last.kind === 'word' && last.prefix && form !== 'sequence'
  const written = from === to && last.kind === 'word' ? space.written(last.token) : null
  return new Term(space, { text: parts.join(''), phrase: null, isPrefix, parts, written, form })
}
