// The syntax tree of a script.

import type { Char } from './char.ts'
import type { Position } from './faults.ts'

export type Literal = null | boolean | bigint | number | string | Char

/** An access from a value to one of its parts. `isOptional`: `()` yields `()`. */
export type Link =
  | {
      readonly kind: 'property'
      readonly name: string
      readonly at: Position
      readonly isOptional: boolean
    }
  | {
      readonly kind: 'index'
      readonly index: Node
      readonly at: Position
      readonly isOptional: boolean
    }
  | {
      readonly kind: 'method'
      readonly name: string
      readonly args: readonly Node[]
      readonly at: Position
      readonly isOptional: boolean
    }

export type Branch = { readonly condition: Node | null; readonly body: Block }

export type SwitchCase = {
  /** Empty for the default case. */
  readonly values: readonly Node[]
  readonly guard: Node | null
  readonly body: Node
}

/** Statements with a separate scope. */
export type Block = {
  readonly kind: 'block'
  readonly statements: readonly Node[]
  readonly at: Position
}

type NodeShape =
  | { readonly kind: 'literal'; readonly value: Literal }
  | { readonly kind: 'name'; readonly name: string }
  | { readonly kind: 'this' }
  | { readonly kind: 'array'; readonly items: readonly Node[] }
  | { readonly kind: 'map'; readonly members: readonly (readonly [name: string, value: Node])[] }
  | { readonly kind: 'template'; readonly parts: readonly (string | Block)[] }
  | { readonly kind: 'unary'; readonly operator: string; readonly operand: Node }
  | {
      readonly kind: 'binary'
      readonly operator: string
      readonly left: Node
      readonly right: Node
    }
  | {
      readonly kind: 'range'
      readonly start: Node | null
      readonly end: Node | null
      readonly isInclusive: boolean
    }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Node[] }
  | { readonly kind: 'chain'; readonly base: Node; readonly links: readonly Link[] }
  | {
      readonly kind: 'closure'
      readonly definition: FunctionDefinition
      readonly captures: readonly { readonly name: string; readonly at: Position }[]
    }
  | { readonly kind: 'if'; readonly branches: readonly Branch[] }
  | { readonly kind: 'switch'; readonly subject: Node; readonly cases: readonly SwitchCase[] }
  /** `isUntil`: repeats while the condition is false. */
  | {
      readonly kind: 'while'
      readonly condition: Node | null
      readonly isUntil: boolean
      readonly runsFirst: boolean
      readonly body: Block
    }
  | {
      readonly kind: 'for'
      readonly name: string
      readonly counter: string | null
      readonly values: Node
      readonly body: Block
    }
  | {
      readonly kind: 'let'
      readonly name: string
      readonly value: Node | null
      readonly isConstant: boolean
    }
  /** `operator`: the operator before the `=`, or empty. */
  | {
      readonly kind: 'assign'
      readonly target: Node
      readonly operator: string
      readonly value: Node
    }
  | { readonly kind: 'break'; readonly value: Node | null }
  | { readonly kind: 'continue' }
  | { readonly kind: 'return'; readonly value: Node | null }
  | { readonly kind: 'throw'; readonly value: Node | null }
  | {
      readonly kind: 'try'
      readonly body: Block
      readonly name: string | null
      readonly handler: Block
    }
  | { readonly kind: 'nothing' }

export type Node = (NodeShape & { readonly at: Position }) | Block

export type NodeOf<K extends Node['kind']> = Extract<Node, { readonly kind: K }>

export type FunctionDefinition = {
  readonly name: string
  readonly parameters: readonly string[]
  readonly body: Node
  readonly isClosure: boolean
}

export type Script = {
  readonly body: Block
  /** By name and number of parameters: `name/2`. */
  readonly functions: ReadonlyMap<string, FunctionDefinition>
}

export const functionKey = (name: string, parameters: number): string => `${name}/${parameters}`

/** Returns where an expression begins: the position of an operation is that of its operator. */
export function startOf(node: Node): Position {
  let first = node
  for (;;) {
    if (first.kind === 'chain') first = first.base
    else if (first.kind === 'binary') first = first.left
    else if (first.kind === 'range' && first.start !== null) first = first.start
    else return first.at
  }
}
