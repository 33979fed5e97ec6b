// Calls: methods, functions of the library, and functions passed as values.
import {
  CHANGING_FUNCTIONS,
  constantFault,
  FunctionPointer,
  functionKey,
  functionNotFound,
  type Link,
  mismatch,
  type Node,
  type NodeOf,
  type Place,
  type Position,
  ScriptMap,
  signatureOf,
  TemporaryPlace,
  typeName,
  type Value,
  VariablePlace,
} from '../language/index.ts'
import type { Machine } from './machine.ts'

export function callMethod(
  run: Machine,
  place: Place,
  { name, args: nodes, at }: Extract<Link, { readonly kind: 'method' }>,
): Value {
  const args = nodes.map((node) => run.owned(node))
  const { value } = place
  if (name === 'call' || name === 'curry') return usePointer(run, name, value, args, at)
  const definition = run.functions.get(functionKey(name, args.length))
  if (definition !== undefined) return run.call(definition, args, [], place, at)
  const member = value instanceof ScriptMap ? value.get(name) : undefined
  if (member instanceof FunctionPointer) return callPointer(run, member, args, place, at)
  const all = [value, ...args]
  const result = callNative(run, name, all, place, at)
  if (result === undefined) throw functionNotFound(name, signatureOf(all), at)
  return result
}

/**
 * Calls a function of the library. Returns undefined if no function of that name accepts these
 * values.
 */
export function callNative(
  run: Machine,
  name: string,
  args: readonly Value[],
  place: Place,
  at: Position,
): Value | undefined {
  const native = run.natives.get(name)
  if (native === undefined) return undefined
  const { constant } = place
  const isText = typeof place.value === 'string'
  if (constant !== null && CHANGING_FUNCTIONS.has(name) && !isText) throw constantFault(constant)
  const result = native(args, { run, place, at, meter: run.meter })
  if (result !== undefined && CHANGING_FUNCTIONS.has(name)) run.meter.checkSize(place.value, at)
  return result
}

/** Evaluates a call of a function that the script does not define. */
export function evaluateNative(run: Machine, { name, args, at }: NodeOf<'call'>): Value {
  if (name === 'call' || name === 'curry') {
    const [first, ...rest] = args
    if (first !== undefined) {
      const pointer = run.evaluate(first)
      const values = rest.map((node) => run.owned(node))
      return usePointer(run, name, pointer, values, first.at)
    }
  }
  const place = firstPlace(run, args[0], CHANGING_FUNCTIONS.has(name))
  const values = args.map((node, i) => (i === 0 ? place.value : run.owned(node)))
  const result = callNative(run, name, values, place, at)
  if (result === undefined) throw functionNotFound(name, signatureOf(values), at)
  return result
}

/**
 * Returns the place of the first argument: the library may change a variable passed first; of any
 * other value it gets a copy.
 */
function firstPlace(run: Machine, node: Node | undefined, changes: boolean): Place {
  if (node === undefined) return new TemporaryPlace(null)
  if (node.kind === 'name') return new VariablePlace(run.variable(node.name, node.at), node.at)
  if (node.kind === 'this') return run.self(node.at)
  return new TemporaryPlace(changes ? run.owned(node) : run.evaluate(node))
}

function usePointer(
  run: Machine,
  name: 'call' | 'curry',
  value: Value,
  args: readonly Value[],
  at: Position,
): Value {
  if (!(value instanceof FunctionPointer)) throw mismatch(typeName(value), 'Fn', at)
  if (name === 'call') return callPointer(run, value, args, null, at)
  const { name: pointerName, definition, captured, curried } = value
  return new FunctionPointer(pointerName, definition, captured, [...curried, ...args])
}

/** Calls a function value. @throws ScriptFault */
function callPointer(
  run: Machine,
  pointer: FunctionPointer,
  args: readonly Value[],
  self: Place | null,
  at: Position,
): Value {
  const { name, captured, curried } = pointer
  const all = curried.length === 0 ? args : [...curried, ...args]
  const definition = pointer.definition ?? run.functions.get(functionKey(name, all.length))
  if (definition !== undefined && definition.parameters.length === all.length) {
    return run.call(definition, all, captured, self, at)
  }
  const values = self === null ? all : [self.value, ...all]
  const place = self ?? new TemporaryPlace(values[0] ?? null)
  const result = pointer.definition === null ? callNative(run, name, values, place, at) : undefined
  if (result === undefined) throw functionNotFound(name, signatureOf(values), at)
  return result
}

/**
 * Calls a function for an element: with as many of `args` as it has parameters, but at least
 * `least`; a function without parameters gets the element as `this`.
 */
export function callFor(
  run: Machine,
  pointer: FunctionPointer,
  args: readonly Value[],
  least: number,
  self: Place,
  at: Position,
): Value {
  const { name, curried } = pointer
  const accepts = (count: number): boolean => {
    const total = count + curried.length
    if (pointer.definition !== null) return pointer.definition.parameters.length === total
    return run.functions.has(functionKey(name, total))
  }
  for (let count = args.length; count >= least; count--) {
    if (accepts(count)) return callPointer(run, pointer, args.slice(0, count), null, at)
  }
  if (accepts(0)) return callPointer(run, pointer, [], self, at)
  return callPointer(run, pointer, args.slice(0, least), null, at)
}
