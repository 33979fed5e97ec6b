// A boolean query as a tree, and the documents that match it.
import type { IdSet } from '../../../format/idset/index.ts'

/** Words side by side, or a phrase with its quotes: a part of the query text, `to` is exclusive. */
export type Leaf = {
  readonly kind: 'words' | 'phrase'
  readonly from: number
  readonly to: number
  /** The attribute that is searched, with the place of its name; null for all. */
  readonly field: FieldName | null
  /** Under an odd number of negations, so that documents do not have it. */
  readonly isNegated: boolean
}

export type FieldName = { readonly name: string; readonly from: number }

export type Tree =
  | Leaf
  | { readonly kind: 'all' | 'any'; readonly operands: readonly Tree[] }
  | { readonly kind: 'not'; readonly operand: Tree }

export type BooleanQuery = {
  /** Null for a query without words. */
  readonly tree: Tree | null
  /** All words and phrases in their order, also those that only rank. */
  readonly leaves: readonly Leaf[]
}

/**
 * Returns the documents of `universe` that match, or null if no leaf says anything. `docsOf` returns
 * null for a leaf that says nothing, such as one of stop words alone.
 */
export function matching(
  tree: Tree,
  universe: IdSet,
  docsOf: (leaf: Leaf) => IdSet | null,
): IdSet | null {
  switch (tree.kind) {
    case 'not': {
      const found = matching(tree.operand, universe, docsOf)
      return found === null ? null : universe.andNot(found)
    }
    case 'all':
    case 'any':
      return tree.operands.reduce<IdSet | null>((sofar, operand) => {
        const among = tree.kind === 'all' ? (sofar ?? universe) : universe
        const docs = matching(operand, among, docsOf)
        if (docs === null || sofar === null) return docs ?? sofar
        return tree.kind === 'all' ? docs : sofar.or(docs)
      }, null)
    default:
      return docsOf(tree)?.and(universe) ?? null
  }
}
