// exactness, as two rules: whether an attribute equals the query or begins with it, and how many
// words occur as typed (docs/search-semantics.md#exactness).
import { IdSet, IdUnion } from '../../../format/idset/index.ts'
import { positionBucket } from '../../../format/postings/index.ts'
import { mapped } from '../../runtime/index.ts'
import { WIDE_STEP } from '../../text/index.ts'
import {
  cutNode,
  type GraphNode,
  idCount,
  type QueryGraph,
  type TermSpace,
} from '../query-graph/index.ts'
import { type LocalOccurrences, scopeOf, type Word } from '../segment-text/index.ts'
import { PathBuckets, type PathCosts } from './path-rule.ts'
import type { Bucket, BucketSource, RankingRule, RuleContext } from './rule.ts'
import type { ExactMatch } from './scores.ts'

/** Longest query, in positions, that can equal an attribute. */
const SPAN_MAX = 255
/** The index stores exact lengths of fields only up to this number of words. */
const FIELD_WORDS_MAX = 30
/**
 * If more fields than this contain all words of the query, documents are read instead of sets by
 * field.
 */
const FIELDS_BY_SET_MAX = 64
/** Documents whose occurrences are read together. */
const DOCUMENTS_AT_ONCE = 1024

export class ExactAttributeRule implements RankingRule {
  readonly name = 'exactAttribute'
  readonly graphUse = 'keeps'
  readonly #context: RuleContext
  constructor(context: RuleContext) {
    this.#context = context
  }
  open(universe: IdSet, graph: QueryGraph): BucketSource {
    return new ExactAttributeBuckets(graph, exactSets(this.#context, universe, graph))
  }
}

type ExactSets = { readonly exact: IdSet; readonly starts: IdSet }

class ExactAttributeBuckets implements BucketSource {
  readonly #graph: QueryGraph
  readonly #sets: ExactSets
  #step = 0
  constructor(graph: QueryGraph, sets: ExactSets) {
    this.#graph = graph
    this.#sets = sets
  }

  next(left: IdSet): Bucket | null {
    while (this.#step < 3) {
      const step = this.#step++
      const match = (['exactMatch', 'matchesStart', 'noExactMatch'] as const)[step]!
      const ids = this.#members(match, left)
      if (!ids.isEmpty) return { ids, graph: this.#graph, score: { kind: 'exactAttribute', match } }
    }
    return null
  }

  #members(match: ExactMatch, left: IdSet): IdSet {
    if (match === 'noExactMatch') return left
    return left.and(match === 'exactMatch' ? this.#sets.exact : this.#sets.starts)
  }
}

/** A query word that must occur in a position bucket of the document. */
type PlacedWord = { readonly word: Word; readonly bucket: number }

function exactSets(context: RuleContext, universe: IdSet, graph: QueryGraph): ExactSets {
  const none = { exact: IdSet.empty, starts: IdSet.empty }
  const { space } = context
  const nodes = exactNodes(space, graph)
  if (nodes === null) return none
  const placed: PlacedWord[] = []
  let span = 0
  for (const node of nodes) {
    const words = placeWords(space, node, placed)
    if (words === 0) return none
    span += words
  }
  let candidates = universe
  for (const { word, bucket } of placed) {
    candidates = candidates.and(space.index.unionInBuckets([word], [bucket]))
    if (candidates.isEmpty) return none
  }
  return inOneField(context, candidates, placed, span)
}

/**
 * Returns the nodes that can be exact (a phrase, or a word of the index), from the first query word
 * on without a gap, or null without such nodes. Missing words after them do not matter.
 */
function exactNodes(space: TermSpace, graph: QueryGraph): GraphNode[] | null {
  const byFirst = new Map<number, GraphNode>()
  for (const [, node] of graph.present()) {
    if (!isExactAllowed(node)) continue
    const isIndexed = node.term.phrase !== null || space.index.word(node.term.text!) !== null
    if (isIndexed) byFirst.set(node.idFirst, node)
  }
  const nodes = [...byFirst.values()].sort((a, b) => a.idFirst - b.idFirst)
  if (nodes.length === 0 || nodes.some((node, i) => node.idFirst !== i)) return null
  return nodes
}

/**
 * Adds the words of an exact node with their position buckets. Returns how many words of a field
 * they are, where stop words do not count; 0 if the index lacks one.
 */
function placeWords(space: TermSpace, node: GraphNode, placed: PlacedWord[]): number {
  const { phrase, text } = node.term
  const words = phrase === null ? [text!] : phrase.words
  let position = node.positionFirst
  let counted = 0
  for (let i = 0; i < words.length; i++) {
    if (phrase?.breaks.includes(i) === true) position += WIDE_STEP - 1
    const word = space.word(words[i]!)
    if (word === null) return 0
    placed.push({ word, bucket: positionBucket(position++ & 0xffff) })
    if (word.text === words[i]) counted++
  }
  return counted
}

/** Of this thread, empty between searches; new ones would take a bit for each document. */
const collectors = { exact: new IdUnion(0), starts: new IdUnion(0) }

function inOneField(
  context: RuleContext,
  candidates: IdSet,
  placed: readonly PlacedWord[],
  span: number,
): ExactSets {
  const { space } = context
  const fields = commonFields(context, placed)
  const byField =
    fields.size <= FIELDS_BY_SET_MAX
      ? setsByField(space, fields, candidates, placed)
      : setsByDocument(space, fields, candidates, placed)
  const { exact, starts } = collectors
  // Empty, unless an earlier search ended while it collected.
  exact.take()
  starts.take()
  for (const [field, holding] of byField) {
    if (holding.isEmpty) continue
    starts.addSet(holding)
    if (span < SPAN_MAX && span <= FIELD_WORDS_MAX) {
      exact.addSet(space.index.docsOfLength(field, span, holding))
    }
  }
  const whole = exact.take()
  return { exact: whole, starts: starts.take().andNot(whole) }
}

/** Returns the searched fields in which all of the words occur in some document. */
function commonFields(
  { space, searchableFields }: RuleContext,
  placed: readonly PlacedWord[],
): ReadonlySet<number> {
  let common = space.scope.fields ?? searchableFields()
  for (const { word } of placed) {
    const fields = space.index.fieldsOf([word])
    common = common.filter((field) => fields.has(field))
  }
  return new Set(common)
}

/**
 * For each field, the candidates that contain all words in it: one cached set for each field and
 * word.
 */
function* setsByField(
  space: TermSpace,
  fields: ReadonlySet<number>,
  candidates: IdSet,
  placed: readonly PlacedWord[],
): Iterable<readonly [number, IdSet]> {
  for (const field of fields) {
    const scope = scopeOf([field])
    let holding = candidates
    for (const { word } of placed) holding = holding.and(space.index.docs(word, scope))
    yield [field, holding]
  }
}

/**
 * The same, from the occurrences of the words in each candidate. With thousands of fields, sets by
 * field would read every posting that many times. 31,000 fields of one document: 45 s by field, 19
 * ms this way.
 */
function setsByDocument(
  space: TermSpace,
  fields: ReadonlySet<number>,
  candidates: IdSet,
  placed: readonly PlacedWord[],
): Iterable<readonly [number, IdSet]> {
  const all = candidates.toArray()
  const holders = new Map<number, number[]>()
  for (let at = 0; at < all.length; at += DOCUMENTS_AT_ONCE) {
    const ids = all.subarray(at, at + DOCUMENTS_AT_ONCE)
    const places = mapped(placed, ({ word }) => space.index.occurrences([word], null, ids))
    for (let d = 0; d < ids.length; d++) {
      for (const field of fieldsInDocument(places, d, fields)) {
        const earlier = holders.get(field)
        if (earlier === undefined) holders.set(field, [ids[d]!])
        else earlier.push(ids[d]!)
      }
    }
  }
  return mapped([...holders], ([field, ids]) => [field, IdSet.ofSorted(Uint32Array.from(ids))])
}

/** Returns the fields of document `d` that contain an occurrence of each word. */
function fieldsInDocument(
  places: readonly LocalOccurrences[],
  d: number,
  among: ReadonlySet<number>,
): ReadonlySet<number> {
  let left = among
  for (const { starts, packed } of places) {
    const found = new Set<number>()
    for (let i = starts[d]!; i < starts[d + 1]!; i++) {
      const field = packed[i]! >>> 16
      if (left.has(field)) found.add(field)
    }
    left = found
  }
  return left
}

export class ExactWordsRule implements RankingRule {
  readonly name = 'exactWords'
  open(universe: IdSet, graph: QueryGraph): BucketSource {
    return new PathBuckets(universe, graph, EXACT_COSTS)
  }
}

/** Returns true if the node may still match exactly; n-grams never do. */
const isExactAllowed = (node: GraphNode): boolean =>
  !node.term.isNgram && ((node.mask & 1) !== 0 || node.exactOnly)

const EXACT_COSTS: PathCosts = {
  steps: (_, to) => [
    { cost: 0, docs: () => (isExactAllowed(to) ? to.term.docs(1, true) : IdSet.empty) },
    { cost: idCount(to), docs: () => to.term.docs(to.mask, to.exactOnly) },
  ],
  cut: (node, cost) => (cost === 0 ? cutNode(node, node.mask, true) : node),
  score: (cost, costMax) => ({ kind: 'exactWords', matching: costMax - cost, max: costMax }),
}
