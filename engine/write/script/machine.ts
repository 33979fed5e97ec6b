// What evaluators and native functions need of a run: `run.ts` implements it. Types alone, so that
// evaluators do not import what calls them.
import type { Position } from './faults.ts'
import type { Meter } from './meter.ts'
import type { Place } from './places.ts'
import type { FunctionDefinition, Node } from './tree.ts'
import type { Cell, Value } from './values.ts'

export interface Machine {
  readonly meter: Meter
  readonly natives: ReadonlyMap<string, Native>
  /** Grows by what `eval` defines. */
  readonly functions: Map<string, FunctionDefinition>
  statements(statements: readonly Node[]): Value
  /** The value of a node; it may be one that a variable holds. @throws ScriptFault, Leave */
  evaluate(node: Node): Value
  /** The value of a node as a copy that the caller may keep. @throws ScriptFault, Leave */
  owned(node: Node): Value
  /** @throws ScriptFault where there is no such variable */
  variable(name: string, at: Position): Cell
  find(name: string): Cell | null
  declare(cell: Cell, at: Position): void
  /** Runs something and drops the variables that it declared. */
  inScope(run: () => Value): Value
  /** The value that the current function was called on. @throws ScriptFault */
  self(at: Position): Place
  /** Calls a function of the script; its arguments are its own. @throws ScriptFault */
  call(
    definition: FunctionDefinition,
    args: readonly Value[],
    captured: readonly Cell[],
    self: Place | null,
    at: Position | null,
  ): Value
}

export type NativeCall = {
  readonly run: Machine
  /** Where the first argument is kept. */
  readonly place: Place
  readonly at: Position
  readonly meter: Meter
}

export type Native = (args: readonly Value[], call: NativeCall) => Value | undefined

export type Natives = { readonly [name: string]: Native }
