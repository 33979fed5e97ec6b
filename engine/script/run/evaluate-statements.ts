// Evaluation of statements.

import {
  type Block,
  displayText,
  equalValues,
  type Node,
  type NodeOf,
  Range,
  ScriptFault,
  ScriptMap,
  Stream,
  typeName,
  type Value,
} from '../language/index.ts'
import { placeOfTarget } from './chains.ts'
import { truth } from './evaluate-expressions.ts'
import type { Machine } from './machine.ts'
import { applyBinary } from './operators.ts'

/**
 * Thrown by `break`, `continue` and `return`; not an Error, which avoids the cost of a stack trace.
 */
export class Leave {
  readonly kind: 'break' | 'continue' | 'return'
  readonly value: Value

  constructor(kind: Leave['kind'], value: Value) {
    this.kind = kind
    this.value = value
  }
}

export const evaluateBlock = (run: Machine, { statements }: Block): Value =>
  run.inScope(() => run.statements(statements))

export function evaluateIf(run: Machine, { branches }: NodeOf<'if'>): Value {
  for (const { condition, body } of branches) {
    if (condition === null || truth(run, condition)) return run.evaluate(body)
  }
  return null
}

export function evaluateSwitch(run: Machine, { subject, cases }: NodeOf<'switch'>): Value {
  const value = run.evaluate(subject)
  for (const { values, guard, body } of cases) {
    const isMatch = values.length === 0 || values.some((one) => matches(value, run.evaluate(one)))
    if (isMatch && (guard === null || truth(run, guard))) return run.evaluate(body)
  }
  return null
}

function matches(value: Value, wanted: Value): boolean {
  if (wanted instanceof Range && typeof value === 'bigint') return wanted.has(value)
  return typeName(value) === typeName(wanted) && equalValues(value, wanted)
}

/**
 * Runs the body of a loop once. Returns whether the loop continues; `out` receives the value of a
 * `break`.
 */
function iterate(run: Machine, body: Block, out: { value: Value }): boolean {
  const { meter } = run
  const { depth } = meter
  meter.step(body.at)
  try {
    run.evaluate(body)
    return true
  } catch (error) {
    if (!(error instanceof Leave) || error.kind === 'return') throw error
    meter.depth = depth
    out.value = error.value
    return error.kind === 'continue'
  }
}

export function evaluateWhile(run: Machine, node: NodeOf<'while'>): Value {
  const { condition, isUntil, runsFirst, body } = node
  const out: { value: Value } = { value: null }
  if (runsFirst && !iterate(run, body, out)) return out.value
  while (condition === null || truth(run, condition) !== isUntil) {
    if (!iterate(run, body, out)) return out.value
  }
  return null
}

export function evaluateFor(run: Machine, node: NodeOf<'for'>): Value {
  const { name, counter, values, body, at } = node
  const out: { value: Value } = { value: null }
  let count = 0n
  for (const value of valuesOf(run, values)) {
    const continues = run.inScope(() => {
      run.declare({ name, value, isConstant: false }, at)
      if (counter !== null) run.declare({ name: counter, value: count, isConstant: false }, at)
      return iterate(run, body, out)
    })
    if (!continues) return out.value
    count++
  }
  return null
}

function valuesOf(run: Machine, node: Node): Iterable<Value> {
  const value = run.owned(node)
  if (Array.isArray(value)) return value
  if (typeof value === 'string') return Array.from(value)
  if (value instanceof Stream) return value.values()
  if (value instanceof Range) return integersOf(value)
  const at = node.kind === 'chain' ? node.base.at : node.at
  throw new ScriptFault('ErrorFor', 'For loop expects iterable type', at)
}

function* integersOf(range: Range): Iterable<Value> {
  for (let value = range.start; range.has(value); value++) yield value
}

export function evaluateLet(run: Machine, node: NodeOf<'let'>): Value {
  const { name, isConstant, at } = node
  const value = node.value === null ? null : run.owned(node.value)
  run.declare({ name, value, isConstant }, at)
  return null
}

export function evaluateAssignment(run: Machine, node: NodeOf<'assign'>): Value {
  const { target, operator, value: source, at } = node
  const value = run.owned(source)
  if (target.kind === 'chain') run.meter.step(null)
  const place = placeOfTarget(run, target, value)
  if (operator === '') {
    place.write(value)
    return null
  }
  const current = place.value
  if (operator === '+' && Array.isArray(current) && place.constant === null) {
    if (Array.isArray(value)) for (const item of value) current.push(item)
    else current.push(value)
    run.meter.checkSize(current, at)
    return null
  }
  place.write(run.meter.copy(applyBinary(operator, current, value, at, run.meter), at))
  return null
}

export function evaluateThrow(run: Machine, { value: node, at }: NodeOf<'throw'>): Value {
  const value = node === null ? null : run.owned(node)
  const text = value === null ? 'Runtime error' : `Runtime error: ${displayText(value)}`
  throw new ScriptFault('ErrorRuntime', text, at, value)
}

export function evaluateTry(run: Machine, { body, name, handler, at }: NodeOf<'try'>): Value {
  const { meter } = run
  const { depth } = meter
  try {
    return run.evaluate(body)
  } catch (error) {
    if (!(error instanceof ScriptFault) || error.isFinal) throw error
    meter.depth = depth
    return run.inScope(() => {
      if (name !== null) run.declare({ name, value: caught(error), isConstant: false }, at)
      return run.evaluate(handler)
    })
  }
}

/** Returns a fault as the value that the `catch` clause receives. */
function caught(fault: ScriptFault): Value {
  if (fault.thrown !== undefined) return fault.thrown as Value
  const map = new ScriptMap()
  map.set('error', fault.kind)
  map.set('message', fault.text)
  if (fault.at !== null) {
    map.set('line', BigInt(fault.at.line))
    map.set('position', BigInt(fault.at.column))
  }
  return map
}
