// A parsed filter: small readonly nodes. Each holds the tokens it was parsed from, so that a fault
// found long after parsing still has a position in the text.
//
// Invariants: `and` and `or` have at least two operands · a `not` never contains a `not` directly ·
// `in` may be empty.
import type { ListedValues } from './listed-values.ts'

export type Token = {
  /** The value without quotes and escapes. */
  readonly text: string
  /** The expression it was read from. */
  readonly source: string
  /** UTF-16 offsets [from, to) in `source`, without the quotes. */
  readonly from: number
  readonly to: number
}

export type CompareOperator = '=' | '!=' | '>' | '>=' | '<' | '<='

/** The kind of an embedder's vectors that `_vectors… EXISTS` requires. */
export type VectorPart = 'any' | 'fragment' | 'userProvided' | 'documentTemplate' | 'regenerate'

export type CompareNode = {
  readonly kind: 'compare'
  readonly field: Token
  readonly operator: CompareOperator
  readonly value: Token
}
export type BetweenNode = {
  readonly kind: 'between'
  readonly field: Token
  readonly low: Token
  readonly high: Token
}
export type InNode = {
  readonly kind: 'in'
  readonly field: Token
  readonly values: ListedValues
}
export type StateNode = { readonly kind: 'exists' | 'null' | 'empty'; readonly field: Token }
export type TextNode = {
  readonly kind: 'contains' | 'startsWith'
  readonly field: Token
  /** The operator's word, at which the refusal of a disabled operator points. */
  readonly keyword: Token
  readonly value: Token
}
/** The path of the elements whose `_geo` is meant, or '' for that of the document. */
type OfPlace = { readonly path: string }
export type GeoRadiusNode = OfPlace & {
  readonly kind: 'geoRadius'
  readonly latitude: Token
  readonly longitude: Token
  readonly metres: Token
  readonly resolution: Token | null
}
/** Latitude and longitude, in this order. */
export type GeoPoint = readonly [Token, Token]
export type GeoBoxNode = OfPlace & {
  readonly kind: 'geoBox'
  readonly topRight: GeoPoint
  readonly bottomLeft: GeoPoint
}
export type GeoPolygonNode = OfPlace & {
  readonly kind: 'geoPolygon'
  readonly points: readonly GeoPoint[]
}
export type VectorsNode = {
  readonly kind: 'vectors'
  readonly keyword: Token
  /** Null for any embedder; `part` is then `any`. */
  readonly embedder: Token | null
  readonly part: VectorPart
  /** Not null exactly if `part` is `fragment`. */
  readonly fragment: Token | null
}
export type ForeignNode = {
  readonly kind: 'foreign'
  /** From its name to its closing parenthesis. */
  readonly whole: { readonly from: number; readonly to: number }
  readonly field: Token
  readonly condition: FilterTree
}
export type LeafNode =
  | CompareNode
  | BetweenNode
  | InNode
  | StateNode
  | TextNode
  | GeoRadiusNode
  | GeoBoxNode
  | GeoPolygonNode
  | VectorsNode
  | ForeignNode

/**
 * `path[condition]`: one element of the path meets the condition. The names in it have the path in
 * front.
 */
export type ElementsNode = {
  readonly kind: 'elements'
  readonly path: Token
  readonly condition: FilterTree
}

export type FilterTree =
  | { readonly kind: 'and' | 'or'; readonly operands: readonly FilterTree[] }
  | { readonly kind: 'not'; readonly operand: FilterTree }
  | ElementsNode
  | LeafNode

/**
 * Returns the conjunction or disjunction of some trees: a single tree unchanged, null for no trees.
 */
export function combine(kind: 'and' | 'or', operands: readonly FilterTree[]): FilterTree | null {
  if (operands.length === 0) return null
  return operands.length === 1 ? operands[0]! : { kind, operands }
}

/** Returns the negation; a double negation is removed. */
export const negate = (tree: FilterTree): FilterTree =>
  tree.kind === 'not' ? tree.operand : { kind: 'not', operand: tree }

/**
 * The leaves from left to right, those inside `path[…]` included, without conditions inside
 * `_foreign`, which belong to another index.
 */
export function* leaves(tree: FilterTree): Generator<LeafNode> {
  switch (tree.kind) {
    case 'and':
    case 'or':
      for (const operand of tree.operands) yield* leaves(operand)
      return
    case 'not':
      yield* leaves(tree.operand)
      return
    case 'elements':
      yield* leaves(tree.condition)
      return
    default:
      yield tree
  }
}
