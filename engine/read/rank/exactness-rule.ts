// exactness, as two rules: whether an attribute or an element of a list equals the query or begins
// with it, and how many words occur as typed (docs/search-semantics.md#exactness).
import { IdSet } from '../../../format/idset/index.ts'
import { positionBucket } from '../../../format/postings/index.ts'
import { mapped } from '../../runtime/index.ts'
import { type ElementWord, elementMembers } from '../phrases/index.ts'
import { cutNode, idCount, type QueryGraph, type TermSpace } from '../query-graph/index.ts'
import { type LocalOccurrences, scopeOf } from '../segment-text/index.ts'
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

const NO_SETS: ExactSets = { exact: IdSet.empty, starts: IdSet.empty }

function exactSets(context: RuleContext, universe: IdSet, graph: QueryGraph): ExactSets {
  const row = exactRow(context, graph)
  if (row === null) return NO_SETS
  const { index } = context.space
  const whole = inOneField(context.space, row, universe)
  const inLists = elementMembers(index, row.words, row.fields, universe)
  if (inLists.begun.isEmpty) return whole
  const exact = whole.exact.or(inLists.equal)
  return { exact, starts: whole.starts.or(inLists.begun).andNot(exact) }
}

/** Returns the documents of `universe` in which a field equals the row, or begins with it. */
function inOneField(
  space: TermSpace,
  { fields, span, words: placed }: ExactRow,
  universe: IdSet,
): ExactSets {
  let candidates = universe
  for (const { word, position } of placed) {
    candidates = candidates.and(space.index.unionInBuckets([word], [positionBucket(position)]))
    if (candidates.isEmpty) return NO_SETS
  }
  const byField =
    fields.length <= FIELDS_BY_SET_MAX
      ? setsByField(space, fields, candidates, placed)
      : setsByDocument(space, fields, candidates, placed)
  const exact: IdSet[] = []
  const starts: IdSet[] = []
  for (const [field, holding] of byField) {
    if (holding.isEmpty) continue
    starts.push(holding)
    if (span <= FIELD_WORDS_MAX) exact.push(space.index.docsOfLength(field, span, holding))
  }
  const whole = unionOf(exact)
  return { exact: whole, starts: unionOf(starts).andNot(whole) }
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
 * For each field, the candidates that contain all words in it: one cached set for each field and
 * word.
 */
function* setsByField(
  space: TermSpace,
  fields: readonly number[],
  candidates: IdSet,
  placed: readonly ElementWord[],
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
  fields: readonly number[],
  candidates: IdSet,
  placed: readonly ElementWord[],
): Iterable<readonly [number, IdSet]> {
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
