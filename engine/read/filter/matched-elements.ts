// The elements because of which documents match a filter: those that meet one of its conditions on
// one element, outside of NOT (docs/search-semantics.md#values-of-matching-elements).
import type { IdSet } from '../../../format/idset/index.ts'
import type { ElementGroup, ElementsNode, FilterTree } from '../filter-syntax/index.ts'
import type { FilterContext } from './context.ts'
import { pathOf } from './elements.ts'
import { evaluateIn } from './evaluate.ts'
import { resolveForeign } from './foreign.ts'

export type MatchedRows = { readonly group: ElementGroup; readonly rows: IdSet }

/** By path: groups of elements, of dead documents as well; a group may occur repeatedly. */
export type MatchedElements = ReadonlyMap<string, readonly MatchedRows[]>

/** `sent` was evaluated before. @throws EngineFault for `_foreign`, errors of `checkpoint` */
export function matchedElements(sent: FilterTree, context: FilterContext): MatchedElements {
  const found = new Map<string, MatchedRows[]>()
  collect(resolveForeign(sent, context), context, null, found)
  return found
}

/** `outer`: the elements that the conditions are about, or null for all documents. */
function collect(
  tree: FilterTree,
  context: FilterContext,
  outer: IdSet | null,
  found: Map<string, MatchedRows[]>,
): void {
  for (const node of positive(tree)) {
    const path = node.path.text
    const list = found.get(path) ?? []
    found.set(path, list)
    for (const group of context.columns.groups(pathOf(path, context))) {
      context.checkpoint()
      const { columns } = group
      const universe = outer === null ? group.universe : group.within(outer)
      if (universe.isEmpty) continue
      const inner = { ...context, columns, universe }
      const rows = evaluateIn(node.condition, inner)
      list.push({ group, rows })
      collect(node.condition, inner, rows, found)
    }
  }
}

/** The conditions on one element outside of NOT and of other such conditions. */
function* positive(tree: FilterTree): Generator<ElementsNode> {
  if (tree.kind === 'elements') yield tree
  if (tree.kind !== 'and' && tree.kind !== 'or') return
  for (const operand of tree.operands) yield* positive(operand)
}
