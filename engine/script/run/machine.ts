// The interface of a run for evaluators and library functions; `run.ts` implements it. Only types,
// so that evaluators do not import their caller.
import type {
  Cell,
  FunctionDefinition,
  Meter,
  Node,
  Place,
  Position,
  Value,
} from '../language/index.ts'

export interface Machine {
  readonly meter: Meter
  readonly natives: ReadonlyMap<string, Native>
  /** Grows by functions that `eval` defines. */
  readonly functions: Map<string, FunctionDefinition>
  statements(statements: readonly Node[]): Value
  /**
   * Evaluates a node; the result may be a value that a variable holds. @throws ScriptFault, Leave
   */
  evaluate(node: Node): Value
  /** Evaluates a node to a copy that the caller may keep. @throws ScriptFault, Leave */
  owned(node: Node): Value
  /** Returns a variable. @throws ScriptFault if it does not exist */
  variable(name: string, at: Position): Cell
  find(name: string): Cell | null
  declare(cell: Cell, at: Position): void
  /** Calls `run` and drops the variables that it declared. */
  inScope(run: () => Value): Value
  /** Returns the place of `this` in the current function. @throws ScriptFault */
  self(at: Position): Place
  /** Calls a function of the script, which owns its arguments. @throws ScriptFault */
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
  /** The place of the first argument. */
  readonly place: Place
  readonly at: Position
  readonly meter: Meter
}

export type Native = (args: readonly Value[], call: NativeCall) => Value | undefined

export type Natives = { readonly [name: string]: Native }
