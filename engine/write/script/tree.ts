// What a script is made of once it was taken apart.

import type { Char } from './char.ts'
import type { Position } from './faults.ts'

export type Literal = null | boolean | bigint | number | string | Char

/** A step from a value to something inside it. `isOptional`: `()` stays `()`. */
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
  /** Empty: everything. */
  readonly values: readonly Node[]
  readonly guard: Node | null
  readonly body: Node
}

/** Statements with a scope of their own. */
export type Block = {
  readonly kind: 'block'
  readonly statements: readonly Node[]
  readonly at: Position
}

type Shape =
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
  /** `until`: runs as long as the condition does not hold. */
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
  /** `operator`: what stands before the `=`, empty for none. */
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

export type Node = (Shape & { readonly at: Position }) | Block

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

/** Where an expression begins: an operation stands at its operator. */
export function startOf(node: Node): Position {
  let first = node
  for (;;) {
    if (first.kind === 'chain') first = first.base
    else if (first.kind === 'binary') first = first.left
    else if (first.kind === 'range' && first.start !== null) first = first.start
    else return first.at
  }
}
