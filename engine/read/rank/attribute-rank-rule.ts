// attributeRank: words in more important attributes come first, wherever in them · search semantics
// §8.5.
import { IdSet } from '../../../format/idset/index.ts'
import { mapped } from '../../model/index.ts'
import {
  type Alternatives,
  type GraphNode,
  idCount,
  type QueryGraph,
  type TermSpace,
} from '../query/index.ts'
import { scopeOf, type Word } from '../segments/index.ts'
import {
  type CostTable,
  costsByDocument,
  firstWord,
  LOCAL_DOCUMENTS_MAX,
  NO_COST,
} from './occurring.ts'
import { PathBuckets, type PathCosts, type Step } from './path-rule.ts'
import type { BucketSource, RankingRule, RuleContext } from './rule.ts'

export class AttributeRankRule implements RankingRule {
  readonly name = 'attributeRank'
  readonly graphUse = 'keeps'
  readonly #costs: PathCosts
  constructor(context: RuleContext) {
    this.#costs = attributeCosts(context)
  }
  open(universe: IdSet, graph: QueryGraph): BucketSource {
    return new PathBuckets(universe, graph, this.#costs)
  }
}

function attributeCosts(context: RuleContext): PathCosts {
  const { space, weightMax } = context
  let table: CostTable | null = null
  return {
    steps(_, to, universe): Step[] {
      const ids = idCount(to)
      const term = to.term.alternatives(to.mask, to.exactOnly)
      const steps =
        universe.size <= LOCAL_DOCUMENTS_MAX && term.prefix === null
          ? localSteps(to, term, universe)
          : setSteps(context, term, ids)
      // Nothing may rank below the least attribute, found there or not: the scale is the same for
      // all.
      if (steps.at(-1)?.cost !== weightMax * ids) {
        steps.push({ cost: weightMax * ids, docs: () => IdSet.empty })
      }
      return steps
    },
    cut: (node) => node,
    score: (cost, costMax) => ({
      kind: 'attributeRank',
      rank: costMax + 1 - cost,
      max: costMax + 1,
    }),
  }

  function localSteps(node: GraphNode, term: Alternatives, universe: IdSet): Step[] {
    table ??= weightTable(context)
    const ids = idCount(node)
    const found = costsByDocument(space, node, term, universe, table)
    return mapped(found, ({ cost, docs }) => ({ cost: cost * ids, docs: () => docs }))
  }
}

/** The weights of the fields that are searched on. */
function weightTable({ searchableFields, space, weightOf }: RuleContext): CostTable {
  const fields = space.scope.fields ?? searchableFields()
  const costs = new Uint16Array(Math.max(0, ...fields.slice(-1)) + 1).fill(NO_COST)
  for (const field of fields) costs[field] = weightOf(field) ?? NO_COST
  return { by: 'field', costs }
}

/** Steps whose documents come from sets by field, united only when a path asks for them. */
function setSteps({ space, weightOf }: RuleContext, term: Alternatives, ids: number): Step[] {
  const byWeight = new Map<number, number[]>()
  const searched = space.scope.fields === null ? null : new Set(space.scope.fields)
  for (const field of fieldsOf(space, term)) {
    if (searched !== null && !searched.has(field)) continue
    const weight = weightOf(field)
    if (weight === null) continue
    const fields = byWeight.get(weight)
    if (fields === undefined) byWeight.set(weight, [field])
    else fields.push(field)
  }
  const weights = [...byWeight.keys()].sort((a, b) => a - b)
  return mapped(weights, (weight) => ({
    cost: weight * ids,
    docs: () => docsInFields(space, term, byWeight.get(weight)!),
  }))
}

function fieldsOf(space: TermSpace, term: Alternatives): Set<number> {
  const words = [...term.original, ...term.derived]
  for (const phrase of term.phrases) {
    const first = firstWord(space, phrase)
    if (first !== null) words.push(first)
  }
  const fields = space.index.fieldsOf(words)
  if (term.prefix !== null) {
    for (const field of space.index.prefixFields(term.prefix)) fields.add(field)
  }
  return fields
}

function docsInFields(space: TermSpace, term: Alternatives, fields: readonly number[]): IdSet {
  const { index } = space
  const scope = scopeOf(fields)
  const words: Word[] = [...term.original, ...term.derived]
  let docs = words.length === 1 ? index.docs(words[0]!, scope) : index.union(words, scope)
  if (term.prefix !== null) docs = docs.or(index.prefixDocs(term.prefix, scope))
  for (const phrase of term.phrases) {
    const first = firstWord(space, phrase)
    if (first !== null) docs = docs.or(space.phraseDocs(phrase).and(index.docs(first, scope)))
  }
  return docs
}
