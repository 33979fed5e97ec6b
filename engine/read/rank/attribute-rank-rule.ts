// attributeRank: words in more important attributes come first, regardless of their position
// (docs/search-semantics.md#attributerank).
import type { FieldId } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import { mapped } from '../../runtime/index.ts'
import {
  type Alternatives,
  besidePrefix,
  idCount,
  type TermSpace,
  wordsOf,
} from '../query-graph/index.ts'
import { scopeOf } from '../segment-text/index.ts'
import { type CostTable, costsByDocument, NO_COST } from './occurring.ts'
import type { Step } from './path-rule.ts'
import { type PlaceCosts, PlaceRule } from './place-rule.ts'
import type { RuleContext } from './rule.ts'

export class AttributeRankRule extends PlaceRule {
  constructor(context: RuleContext) {
    super(attributeCosts(context))
  }
}

function attributeCosts(context: RuleContext): PlaceCosts {
  /** By space, because a word of a boolean query may have its own fields. */
  const tables = new Map<TermSpace, CostTable>()
  return {
    kind: 'attributeRank',
    costMax: context.weightMax,
    localSteps(node, term, universe) {
      const { space } = node.term
      let table = tables.get(space)
      if (table === undefined) tables.set(space, (table = weightTable(context, space)))
      const ids = idCount(node)
      const found = costsByDocument(space, node, term, universe, table)
      return mapped(found, ({ cost, docs }) => ({ cost: cost * ids, docs: () => docs }))
    },
    setSteps: (node, term) => setSteps(context, node.term.space, term, idCount(node)),
  }
}

/** The weights of the searched fields. */
function weightTable({ searchableFields, weightOf }: RuleContext, space: TermSpace): CostTable {
  const fields = space.scope.fields ?? searchableFields()
  const costs = new Uint16Array(Math.max(0, ...fields.slice(-1)) + 1).fill(NO_COST)
  for (const field of fields) costs[field] = weightOf(field) ?? NO_COST
  return { by: 'field', costs }
}

/** Steps with documents from the stored sets of fields, united only when a path needs them. */
function setSteps(
  { weightOf }: RuleContext,
  space: TermSpace,
  term: Alternatives,
  ids: number,
): Step[] {
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
  const words = [...wordsOf(term)]
  const prefixes = term.prefix === null ? [] : [term.prefix]
  for (const phrase of term.phrases) {
    const first = space.phrasePart(phrase, 0)
    words.push(...first.words)
    if (first.prefix !== null) prefixes.push(first.prefix)
  }
  const fields = space.index.fieldsOf(words)
  for (const prefix of prefixes) {
    for (const field of space.index.prefixFields(prefix)) fields.add(field)
  }
  return fields
}

function docsInFields(space: TermSpace, term: Alternatives, fields: readonly FieldId[]): IdSet {
  const { index } = space
  const scope = scopeOf(fields)
  const words = besidePrefix(wordsOf(term), term.prefix)
  let docs = words.length === 1 ? index.docs(words[0]!, scope) : index.union(words, scope)
  if (term.prefix !== null) docs = docs.or(index.prefixDocs(term.prefix, scope))
  for (const phrase of term.phrases) {
    const { prefix, words } = space.phrasePart(phrase, 0)
    let holding = index.union(words, scope)
    if (prefix !== null) holding = holding.or(index.prefixDocs(prefix, scope))
    docs = docs.or(space.phraseDocs(phrase).and(holding))
  }
  return docs
}
