// Resolves conditions on documents of other indexes: each is evaluated before anything else of the
// filter is checked, and becomes a list of ids for its field. Later faults quote the filter with
// these lists.

import {
  type FilterTree,
  FOREIGN_DOCUMENTS_MAX,
  type ForeignNode,
  type InNode,
  ListedValues,
  leaves,
  plainFault,
} from '../filter-syntax/index.ts'
import type { FilterContext } from './context.ts'

type Context = Pick<FilterContext, 'foreign' | 'wording' | 'checkpoint'>

/**
 * Returns the filter without `_foreign`, or the filter itself if it has no such conditions. @throws
 * EngineFault
 */
export function resolveForeign(tree: FilterTree, context: Context): FilterTree {
  return hasForeign(tree) ? resolved(tree, context) : tree
}

function hasForeign(tree: FilterTree): boolean {
  for (const leaf of leaves(tree)) if (leaf.kind === 'foreign') return true
  return false
}

function resolved(tree: FilterTree, context: Context): FilterTree {
  switch (tree.kind) {
    case 'and':
    case 'or':
      return { kind: tree.kind, operands: tree.operands.map((one) => resolved(one, context)) }
    case 'not':
      return { kind: 'not', operand: resolved(tree.operand, context) }
    case 'elements':
      return { ...tree, condition: resolved(tree.condition, context) }
    case 'foreign':
      return listOf(tree, context)
    default:
      return tree
  }
}

function listOf({ field, condition }: ForeignNode, context: Context): InNode {
  const { foreign, wording } = context
  context.checkpoint()
  if (!foreign?.isForeignKey(field.text)) {
    throw plainFault(wording, `Field \`${field.text}\` is not a foreign key`)
  }
  if (hasForeign(condition)) throw plainFault(wording, 'Nested foreign filters are not supported')
  const ids = foreign.match(field.text, condition)
  if (ids.length > FOREIGN_DOCUMENTS_MAX) {
    const sentence =
      `The foreign filter on \`${field.text}\` matches more than ` +
      `${FOREIGN_DOCUMENTS_MAX} documents of the foreign index`
    throw plainFault(wording, sentence)
  }
  const values = new ListedValues()
  for (const text of ids) values.add({ source: '', from: 0, to: 0, text })
  return { kind: 'in', field, values }
}
