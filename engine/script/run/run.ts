// One run of a script: variables, calls, and the evaluators of all kinds of nodes.

import {
  type Block,
  CALL_LEVELS,
  type Cell,
  type FunctionDefinition,
  Meter,
  type Node,
  type NodeOf,
  type Place,
  type Position,
  ScriptFault,
  VARIABLES_MAX,
  type Value,
} from '../language/index.ts'
import { evaluateChain } from './chains.ts'
import {
  evaluateArray,
  evaluateBinary,
  evaluateCall,
  evaluateClosure,
  evaluateMap,
  evaluateRange,
  evaluateTemplate,
  evaluateUnary,
} from './evaluate-expressions.ts'
import {
  evaluateAssignment,
  evaluateBlock,
  evaluateFor,
  evaluateIf,
  evaluateLet,
  evaluateSwitch,
  evaluateThrow,
  evaluateTry,
  evaluateWhile,
  Leave,
} from './evaluate-statements.ts'
import type { Machine, Native } from './machine.ts'

type Evaluator<K extends Node['kind']> = (run: Run, node: NodeOf<K>) => Value

type Evaluators = { readonly [K in Node['kind']]: Evaluator<K> }

const EVALUATORS: Evaluators = {
  literal: (_, { value }) => value,
  name: (run, { name, at }) => run.variable(name, at).value,
  this: (run, { at }) => run.self(at).value,
  array: evaluateArray,
  map: evaluateMap,
  template: evaluateTemplate,
  unary: evaluateUnary,
  binary: evaluateBinary,
  range: evaluateRange,
  call: evaluateCall,
  chain: evaluateChain,
  closure: evaluateClosure,
  block: evaluateBlock,
  if: evaluateIf,
  switch: evaluateSwitch,
  while: evaluateWhile,
  for: evaluateFor,
  let: evaluateLet,
  assign: evaluateAssignment,
  break: (run, { value }) => {
    throw new Leave('break', value === null ? null : run.owned(value))
  },
  continue: () => {
    throw new Leave('continue', null)
  },
  return: (run, { value }) => {
    throw new Leave('return', value === null ? null : run.owned(value))
  },
  throw: evaluateThrow,
  try: evaluateTry,
  nothing: () => null,
}

type Frame = { readonly cells: Cell[]; readonly self: Place | null }

/** The inputs of a run in addition to the tree. */
export type RunOptions = {
  readonly functions: ReadonlyMap<string, FunctionDefinition>
  readonly natives: ReadonlyMap<string, Native>
  readonly variables: readonly Cell[]
  /** Called every few thousand steps; throws to end the run. */
  readonly onPause: () => void
}

export class Run implements Machine {
  readonly meter: Meter
  readonly natives: ReadonlyMap<string, Native>
  /** Grows by functions that `eval` defines. */
  readonly functions: Map<string, FunctionDefinition>
  #frame: Frame

  constructor({ functions, natives, variables, onPause }: RunOptions) {
    this.meter = new Meter(onPause)
    this.natives = natives
    this.functions = new Map(functions)
    this.#frame = { cells: [...variables], self: null }
  }

  /** Returns the value of a whole script. @throws ScriptFault */
  script({ statements }: Block): Value {
    return this.untilReturn(() => this.statements(statements))
  }

  statements(statements: readonly Node[]): Value {
    let value: Value = null
    for (let i = 0; i < statements.length; i++) value = this.evaluate(statements[i]!)
    return value
  }

  /** Returns the result of `run`, or the value of a `return` inside it. */
  untilReturn(run: () => Value): Value {
    const { depth } = this.meter
    try {
      return run()
    } catch (error) {
      if (!(error instanceof Leave) || error.kind !== 'return') throw error
      this.meter.depth = depth
      return error.value
    }
  }

  /**
   * Evaluates a node; the result may be a value that a variable holds. @throws ScriptFault, Leave
   */
  evaluate(node: Node): Value {
    const { kind } = node
    if (kind === 'literal') return node.value
    const { meter } = this
    if (kind !== 'range') meter.step(node.at)
    meter.enter(node.at)
    const value = (EVALUATORS[kind] as Evaluator<Node['kind']>)(this, node as never)
    meter.depth--
    return value
  }

  /** Evaluates a node to a value that the caller may keep. */
  owned(node: Node): Value {
    const value = this.evaluate(node)
    if (value === null || typeof value !== 'object') return value
    // A new array or map has no other owner.
    return node.kind === 'array' || node.kind === 'map' ? value : this.meter.copy(value, node.at)
  }

  variable(name: string, at: Position): Cell {
    const cell = this.find(name)
    if (cell === null) {
      throw new ScriptFault('ErrorVariableNotFound', `Variable not found: ${name}`, at)
    }
    return cell
  }

  find(name: string): Cell | null {
    const { cells } = this.#frame
    for (let i = cells.length - 1; i >= 0; i--) {
      if (cells[i]!.name === name) return cells[i]!
    }
    return null
  }

  declare(cell: Cell, at: Position): void {
    const { cells } = this.#frame
    if (cells.length === VARIABLES_MAX) {
      throw new ScriptFault('ErrorTooManyVariables', 'Too many variables defined', at)
    }
    cells.push(cell)
  }

  /** Calls `run` and drops the variables that it declared. */
  inScope(run: () => Value): Value {
    const { cells } = this.#frame
    const count = cells.length
    try {
      return run()
    } finally {
      cells.length = count
    }
  }

  /** Returns the place of `this`. */
  self(at: Position): Place {
    const { self } = this.#frame
    if (self !== null) return self
    throw new ScriptFault('ErrorUnboundThis', "'this' not bound", at)
  }

  /** Calls a function of the script, which owns its arguments. @throws ScriptFault */
  call(
    { name, parameters, body, isClosure }: FunctionDefinition,
    args: readonly Value[],
    captured: readonly Cell[],
    self: Place | null,
    at: Position | null,
  ): Value {
    const before = this.#frame
    const { depth } = this.meter
    const cells = [...captured]
    for (let i = 0; i < parameters.length; i++) {
      cells.push({ name: parameters[i]!, value: args[i] ?? null, isConstant: false })
    }
    this.#frame = { cells, self }
    try {
      this.meter.enter(at, CALL_LEVELS)
      const value =
        body.kind === 'block'
          ? this.untilReturn(() => this.statements(body.statements))
          : this.untilReturn(() => this.evaluate(body))
      return this.meter.copy(value, at)
    } catch (error) {
      if (error instanceof ScriptFault) error.leave(isClosure ? null : name, at)
      throw error
    } finally {
      this.#frame = before
      this.meter.depth = depth
    }
  }
}
