// Splits a filter for facets that are counted without the conditions on their own field
// (docs/search-semantics.md#disjunctive-facets).
import { combine, type FilterTree, leaves } from '../filter-syntax/index.ts'

type SplitFilter = {
  /** By field: the conditions that name only this field. */
  readonly own: ReadonlyMap<string, FilterTree>
  /** All other conditions; null without such. */
  readonly rest: FilterTree | null
}

/** Splits the top-level conjunction of a filter. Only the conditions on `fields` are set apart. */
export function splitFilter(tree: FilterTree | null, fields: ReadonlySet<string>): SplitFilter {
  const own = new Map<string, FilterTree[]>()
  const rest: FilterTree[] = []
  for (const condition of tree === null ? [] : conjuncts(tree)) {
    const field = onlyField(condition)
    if (field === null || !fields.has(field)) rest.push(condition)
    else if (own.has(field)) own.get(field)!.push(condition)
    else own.set(field, [condition])
  }
  const combined = [...own].map(([field, all]) => [field, combine('and', all)!] as const)
  return { own: new Map(combined), rest: combine('and', rest) }
}

/** Returns the conditions that all have to be true; nested conjunctions are flattened. */
const conjuncts = (tree: FilterTree): readonly FilterTree[] =>
  tree.kind === 'and' ? tree.operands.flatMap(conjuncts) : [tree]

/**
 * Returns the field that all conditions of a tree name, or null if they name several, or a place, a
 * vector or another index.
 */
function onlyField(tree: FilterTree): string | null {
  let only: string | null = null
  for (const leaf of leaves(tree)) {
    if (!('field' in leaf) || leaf.kind === 'foreign') return null
    if (only !== null && leaf.field.text !== only) return null
    only = leaf.field.text
  }
  return only
}
