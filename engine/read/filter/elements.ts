// Conditions on one element: `variants[color = red AND size = 42]` is met by documents with an object
// at `variants` that meets all of it (docs/search-semantics.md#conditions-on-one-element). The
// condition runs on the elements as filters run on documents.
import type { FieldId } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import {
  type ElementPath,
  type Elements,
  type ElementsNode,
  leaves,
  rewrite,
} from '../filter-syntax/index.ts'
import type { FilterContext } from './context.ts'

/** The member of an element that holds its place. */
export const PLACE_MEMBER = '_geo'
/** Conditions of more parts are made by programs and rarely repeat: their results are not cached. */
const CACHED_LEAVES_MAX = 8
const CACHED_VALUES_MAX = 16

/** Returns the documents, or the outer elements, with an element that `match` finds. */
export const withElement = (
  node: ElementsNode,
  context: FilterContext,
  match: (elements: Elements) => IdSet,
): IdSet =>
  context.columns.elements(pathOf(node.path.text, context), cacheKey(node, context), match)

/** Returns where the elements of a path are. */
export function pathOf(path: string, context: FilterContext): ElementPath {
  const fields: FieldId[] = []
  for (let dot = path.indexOf('.'); dot >= 0; dot = path.indexOf('.', dot + 1)) {
    fields.push(context.fieldId(path.slice(0, dot)) ?? -1)
  }
  fields.push(context.fieldId(path) ?? -1)
  return { fields, below: fieldsBelow(path, context.names) }
}

function fieldsBelow(path: string, names: readonly string[]): readonly FieldId[] {
  const ids: FieldId[] = []
  const beginning = `${path}.`
  for (let id = 0; id < names.length; id++) if (names[id]!.startsWith(beginning)) ids.push(id)
  return ids
}

/**
 * Returns the text of a short condition, or null. A field that no document had yet matches nothing,
 * and later all elements without it, so a condition on one is not cached.
 */
function cacheKey(node: ElementsNode, context: FilterContext): string | null {
  let count = 0
  for (const leaf of leaves(node)) {
    if (++count > CACHED_LEAVES_MAX) return null
    if (!('field' in leaf)) continue
    if (leaf.kind === 'in' && leaf.values.length > CACHED_VALUES_MAX) return null
    if (context.fieldId(leaf.field.text) === null) return null
  }
  return rewrite(node, null).text
}
