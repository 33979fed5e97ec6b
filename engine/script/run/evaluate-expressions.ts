// Evaluation of expressions.

import {
  displayText,
  FunctionPointer,
  functionKey,
  mismatch,
  type Node,
  type NodeOf,
  Range,
  ScriptMap,
  typeName,
  type Value,
} from '../language/index.ts'
import { evaluateNative } from './calls.ts'
import type { Machine } from './machine.ts'
import { applyBinary, applyUnary, boolean, contains } from './operators.ts'

export function evaluateArray(run: Machine, { items, at }: NodeOf<'array'>): Value {
  run.meter.build(items.length + 1, at)
  const values = items.map((item) => run.owned(item))
  run.meter.checkSize(values, at)
  return values
}

export function evaluateMap(run: Machine, { members, at }: NodeOf<'map'>): Value {
  run.meter.build(members.length + 1, at)
  const map = new ScriptMap()
  for (const [name, value] of members) map.set(name, run.owned(value))
  run.meter.checkSize(map, at)
  return map
}

export function evaluateTemplate(run: Machine, { parts, at }: NodeOf<'template'>): Value {
  let text = ''
  for (const part of parts) {
    const added = typeof part === 'string' ? part : displayText(run.evaluate(part))
    run.meter.checkLength(text.length + added.length, at)
    run.meter.build(added.length + 1, at)
    text += added
  }
  return text
}

export const evaluateUnary = (run: Machine, { operator, operand, at }: NodeOf<'unary'>): Value =>
  applyUnary(operator, run.evaluate(operand), at)

export function evaluateBinary(run: Machine, node: NodeOf<'binary'>): Value {
  const { operator, left, right, at } = node
  switch (operator) {
    case '&&':
      return truth(run, left) && truth(run, right)
    case '||':
      return truth(run, left) || truth(run, right)
    case '??':
      return run.evaluate(left) ?? run.evaluate(right)
    case 'in':
    case '!in': {
      const value = run.evaluate(left)
      return contains(run.evaluate(right), value, at, run.meter) === (operator === 'in')
    }
    default:
      return applyBinary(operator, run.evaluate(left), run.evaluate(right), at, run.meter)
  }
}

export const truth = (run: Machine, node: Node): boolean => boolean(run.evaluate(node), node.at)

const I64_MAX = 2n ** 63n - 1n

export function evaluateRange(run: Machine, node: NodeOf<'range'>): Value {
  const { start, end, isInclusive } = node
  const from = start === null ? 0n : integer(run, start)
  const to = end === null ? I64_MAX : integer(run, end)
  return new Range(from, to, isInclusive)
}

function integer(run: Machine, node: Node): bigint {
  const value = run.evaluate(node)
  if (typeof value !== 'bigint') throw mismatch(typeName(value), 'i64', node.at)
  return value
}

/** Functions of the script have precedence over those of the library. */
export function evaluateCall(run: Machine, node: NodeOf<'call'>): Value {
  const { name, args, at } = node
  const own = run.functions.get(functionKey(name, args.length))
  if (own === undefined) return evaluateNative(run, node)
  const values = args.map((argument) => run.owned(argument))
  return run.call(own, values, [], null, at)
}

export function evaluateClosure(
  run: Machine,
  { definition, captures }: NodeOf<'closure'>,
): FunctionPointer {
  const captured = captures.map(({ name, at }) => run.variable(name, at))
  return new FunctionPointer(definition.name, definition, captured, [])
}
