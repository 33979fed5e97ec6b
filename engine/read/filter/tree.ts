// A parsed filter: small readonly nodes. Each keeps the tokens it was made of, so that a fault
// found long after parsing still points at its place in the text.
//
// Invariants: `and` and `or` have two operands or more · a `not` never holds a `not` · `in` may be
// empty.
import type { ListedValues } from './listed-values.ts'

export type Token = {
  /** The value: unescaped, without its quotes. */
  readonly text: string
  /** The expression it was read from. */
  readonly source: string
  /** UTF-16 offsets [from, to) in `source`, quotes excluded. */
  readonly from: number
  readonly to: number
}

export type CompareOperator = '=' | '!=' | '>' | '>=' | '<' | '<='

/** What of an embedder's vectors `_vectors… EXISTS` asks for. */
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
  /** The operator's own word, which the refusal of a gated operator points at. */
  readonly keyword: Token
  readonly value: Token
}
export type GeoRadiusNode = {
  readonly kind: 'geoRadius'
  readonly latitude: Token
  readonly longitude: Token
  readonly metres: Token
  readonly resolution: Token | null
}
/** Latitude and longitude, in this order. */
export type GeoPoint = readonly [Token, Token]
export type GeoBoxNode = {
  readonly kind: 'geoBox'
  readonly topRight: GeoPoint
  readonly bottomLeft: GeoPoint
}
type GeoPolygonNode = { readonly kind: 'geoPolygon'; readonly points: readonly GeoPoint[] }
export type VectorsNode = {
  readonly kind: 'vectors'
  readonly keyword: Token
  /** null: any embedder; `part` is then `any`. */
  readonly embedder: Token | null
  readonly part: VectorPart
  /** Present exactly when `part` is `fragment`. */
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

export type FilterTree =
  | { readonly kind: 'and' | 'or'; readonly operands: readonly FilterTree[] }
  | { readonly kind: 'not'; readonly operand: FilterTree }
  | LeafNode

/** The conjunction or disjunction of some trees; a single one stands for itself, null for none. */
export function combine(kind: 'and' | 'or', operands: readonly FilterTree[]): FilterTree | null {
  if (operands.length === 0) return null
  return operands.length === 1 ? operands[0]! : { kind, operands }
}

/** The negation; twice is not at all. */
export const negate = (tree: FilterTree): FilterTree =>
  tree.kind === 'not' ? tree.operand : { kind: 'not', operand: tree }

/**
 * The leaves from left to right, conditions inside `_foreign` left out: they belong to another
 * index.
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
    default:
      yield tree
  }
}
