// exactness, as two rules: whether an attribute or an element of a list equals the query or begins
// with it, and how many words occur as typed (docs/search-semantics.md#exactness).
import { IdSet } from '../../../format/idset/index.ts'
import { positionBucket } from '../../../format/postings/index.ts'
import { mapped } from '../../runtime/index.ts'
import { type ElementMembers, type ElementWord, elementMembers } from '../phrases/index.ts'
import { cutNode, idCount, type QueryGraph, type TermSpace } from '../query-graph/index.ts'
import { LENGTHS_READ_MAX, type LocalOccurrences, scopeOf } from '../segment-text/index.ts'
import { type ExactRow, exactRow, isExactAllowed } from './exact-row.ts'
import { PathBuckets, type PathCosts } from './path-rule.ts'
import type { Bucket, BucketSource, RankingRule, RuleContext } from './rule.ts'
import type { ExactMatch } from './scores.ts'

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
    const row = exactRow(this.#context, graph)
    const members = row === null ? null : new RowMembers(this.#context.space, row, universe)
    return new ExactAttributeBuckets(graph, members)
  }
}

class ExactAttributeBuckets implements BucketSource {
  readonly #graph: QueryGraph
  /** Null if nothing can equal the query. */
  readonly #members: RowMembers | null
  #step: number
  constructor(graph: QueryGraph, members: RowMembers | null) {
    this.#graph = graph
    this.#members = members
    this.#step = members === null ? 2 : 0
  }

  next(left: IdSet): Bucket | null {
    while (this.#step < 3) {
      const step = this.#step++
      const match = (['exactMatch', 'matchesStart', 'noExactMatch'] as const)[step]!
      const ids = this.#bucket(match, left)
      if (!ids.isEmpty) return { ids, graph: this.#graph, score: { kind: 'exactAttribute', match } }
    }
    return null
  }

  #bucket(match: ExactMatch, left: IdSet): IdSet {
    if (match === 'noExactMatch') return left
    return left.and(match === 'exactMatch' ? this.#members!.equal() : this.#members!.begun())
  }
}

/** The documents of a universe that have a row, computed when a bucket needs them. */
class RowMembers {
  readonly #space: TermSpace
  readonly #row: ExactRow
  /** The documents that contain all words in their places, perhaps in different fields. */
  readonly #candidates: IdSet
  readonly #inLists: ElementMembers
  #holders: readonly Holders[] | null = null

  constructor(space: TermSpace, row: ExactRow, universe: IdSet) {
    this.#space = space
    this.#row = row
    let candidates = universe
    for (const { word, position } of row.words) {
      if (candidates.isEmpty) break
      candidates = candidates.and(space.index.unionInBuckets([word], [positionBucket(position)]))
    }
    this.#candidates = candidates
    this.#inLists = elementMembers(space.index, row.words, row.fields, universe)
  }

  /** Returns the documents in which a field or an element of a list equals the row. */
  equal(): IdSet {
    return unionOf([...this.#equalFields(), this.#inLists.equal])
  }

  /** Returns those in which one begins with it, which may include equal ones. */
  begun(): IdSet {
    return unionOf([...this.#begunFields(), this.#inLists.begun])
  }

  #equalFields(): readonly IdSet[] {
    const { fields, span, words } = this.#row
    const { index } = this.#space
    if (span > FIELD_WORDS_MAX || this.#candidates.isEmpty) return []
    if (this.#candidates.size <= LENGTHS_READ_MAX || fields.length > FIELDS_BY_SET_MAX) {
      return this.#byField().map(([field, holders]) => index.docsOfLength(field, span, holders))
    }
    // Few fields are this short, and then no set of a word in a long field is needed.
    return fields.map((field) =>
      inField(this.#space, field, index.docsOfLength(field, span, this.#candidates), words),
    )
  }

  #begunFields(): readonly IdSet[] {
    // Each candidate contains its only word in some field, and all fields are searched.
    if (this.#row.words.length === 1 && this.#space.scope.fields === null) return [this.#candidates]
    return this.#candidates.isEmpty ? [] : this.#byField().map(([, holders]) => holders)
  }

  /** Returns the candidates that contain all words in a field, for each field. */
  #byField(): readonly Holders[] {
    const { fields, words } = this.#row
    this.#holders ??=
      fields.length <= FIELDS_BY_SET_MAX
        ? fields.map((field) => [field, inField(this.#space, field, this.#candidates, words)])
        : setsByDocument(this.#space, fields, this.#candidates, words)
    return this.#holders
  }
}

/** A field, and documents that contain all words in it. */
type Holders = readonly [field: number, ids: IdSet]

/** Returns the documents of `among` that contain all words in a field. */
function inField(
  space: TermSpace,
  field: number,
  among: IdSet,
  words: readonly ElementWord[],
): IdSet {
  const scope = scopeOf([field])
  let holding = among
  for (const { word } of words) {
    if (holding.isEmpty) break
    holding = holding.and(space.index.docs(word, scope))
  }
  return holding
}

/** Unites neighbors, so that of many sets none is copied often. Of one set, that is itself. */
function unionOf(sets: readonly IdSet[]): IdSet {
  let all = sets
  while (all.length > 1) {
    const united: IdSet[] = []
    for (let i = 0; i < all.length; i += 2) united.push(all[i]!.or(all[i + 1] ?? IdSet.empty))
    all = united
  }
  return all[0] ?? IdSet.empty
}

/**
 * Returns the candidates that contain all words in a field, for each field, from the occurrences of
 * the words in each candidate. With thousands of fields, sets by field would read every posting that
 * many times. 31,000 fields of one document: 45 s by field, 19 ms this way.
 */
function setsByDocument(
  space: TermSpace,
  fields: readonly number[],
  candidates: IdSet,
  placed: readonly ElementWord[],
): readonly Holders[] {
  const among = new Set(fields)
  const all = candidates.toArray()
  const holders = new Map<number, number[]>()
  for (let at = 0; at < all.length; at += DOCUMENTS_AT_ONCE) {
    const ids = all.subarray(at, at + DOCUMENTS_AT_ONCE)
    const places = mapped(placed, ({ word }) => space.index.occurrences([word], null, ids))
    for (let d = 0; d < ids.length; d++) {
      for (const field of fieldsInDocument(places, d, among)) {
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

const EXACT_COSTS: PathCosts = {
  steps: (_, to) => [
    { cost: 0, docs: () => (isExactAllowed(to) ? to.term.docs(1, true) : IdSet.empty) },
    { cost: idCount(to), docs: () => to.term.docs(to.mask, to.exactOnly) },
  ],
  cut: (node, cost) => (cost === 0 ? cutNode(node, node.mask, true) : node),
  score: (cost, costMax) => ({ kind: 'exactWords', matching: costMax - cost, max: costMax }),
}
