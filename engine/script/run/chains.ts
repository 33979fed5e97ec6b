// Access from a value to its parts: members, elements, characters, and results of methods.
import { assert } from '../../../format/errors.ts'
import {
  CharacterPlace,
  ElementPlace,
  GETTERS,
  type Link,
  MemberPlace,
  mismatch,
  type Node,
  type NodeOf,
  type Place,
  type Position,
  Range,
  ScriptFault,
  ScriptMap,
  TemporaryPlace,
  typeName,
  type Value,
  VariablePlace,
} from '../language/index.ts'
import { callMethod, callNative } from './calls.ts'
import type { Machine } from './machine.ts'

export function evaluateChain(run: Machine, { base, links }: NodeOf<'chain'>): Value {
  let place = placeOfBase(run, base)
  for (const link of links) {
    if (link.isOptional && place.value === null) return null
    place = follow(run, place, link)
  }
  return place.value
}

/** Returns the place that an assignment of `value` writes to. @throws ScriptFault */
export function placeOfTarget(run: Machine, target: Node, value: Value): Place {
  if (target.kind !== 'chain') return placeOfBase(run, target)
  let place = placeOfBase(run, target.base)
  const last = target.links.length - 1
  for (let i = 0; i < last; i++) place = follow(run, place, target.links[i]!)
  const link = target.links[last]!
  if (link.kind === 'property') return memberToWrite(run, place, link, value)
  assert(link.kind === 'index', 'the parser refuses assignments to calls')
  return element(run, place, link)
}

function placeOfBase(run: Machine, node: Node): Place {
  if (node.kind === 'name') return new VariablePlace(run.variable(node.name, node.at), node.at)
  return node.kind === 'this' ? run.self(node.at) : new TemporaryPlace(run.evaluate(node))
}

function follow(run: Machine, place: Place, link: Link): Place {
  switch (link.kind) {
    case 'property':
      return member(run, place, link)
    case 'index':
      return element(run, place, link)
    case 'method':
      return new TemporaryPlace(callMethod(run, place, link))
  }
}

type LinkOf<K extends Link['kind']> = Extract<Link, { readonly kind: K }>

function member(run: Machine, place: Place, { name, at }: LinkOf<'property'>): Place {
  const { value } = place
  if (value instanceof ScriptMap) {
    return new MemberPlace(value, name, place.constant, at, run.meter)
  }
  if (GETTERS.has(name)) {
    const got = callNative(run, name, [value], place, at)
    if (got !== undefined) return new TemporaryPlace(got)
  }
  throw new ScriptFault(
    'ErrorDotExpr',
    `Unknown property '${name}' - a getter is not registered for type '${typeName(value)}'`,
    at,
  )
}

function memberToWrite(
  run: Machine,
  place: Place,
  { name, at }: LinkOf<'property'>,
  written: Value,
): Place {
  const { value } = place
  if (value instanceof ScriptMap) {
    return new MemberPlace(value, name, place.constant, at, run.meter)
  }
  throw new ScriptFault(
    'ErrorDotExpr',
    `No writable property '${name}' - a setter is not registered for type ` +
      `'${typeName(value)}' to handle '${typeName(written)}'`,
    at,
  )
}

function element(run: Machine, place: Place, { index: node, at }: LinkOf<'index'>): Place {
  const index = run.evaluate(node)
  const { value } = place
  if (value instanceof ScriptMap) {
    if (typeof index !== 'string') throw mismatch(typeName(index), 'string', at)
    return new MemberPlace(value, index, place.constant, at, run.meter)
  }
  if (Array.isArray(value)) {
    if (typeof index !== 'bigint') throw mismatch(typeName(index), 'i64', at)
    const found = positionIn(value.length, index)
    if (found === null) throw outOfBounds('Array', index, value.length, at)
    return new ElementPlace(value, found, place.constant)
  }
  if (typeof value === 'string') return characters(run, place, value, index, at)
  throw new ScriptFault(
    'ErrorDotExpr',
    `Indexing is not supported for type '${typeName(value)}' with '${typeName(index)}'`,
    at,
  )
}

function characters(run: Machine, place: Place, text: string, index: Value, at: Position): Place {
  run.meter.touch(text.length, at)
  if (index instanceof Range) {
    return new TemporaryPlace(callNative(run, 'sub_string', [text, index], place, at) ?? null)
  }
  if (typeof index !== 'bigint') throw mismatch(typeName(index), 'i64', at)
  const all = Array.from(text)
  const found = positionIn(all.length, index)
  if (found === null) throw outOfBounds('String', index, all.length, at)
  return new CharacterPlace(place, all, found, (value) => mismatch(typeName(value), 'char', at))
}

/** Returns the position of an index, which counts from the back if negative; null if outside. */
export function positionIn(length: number, index: bigint): number | null {
  const found = index < 0n ? BigInt(length) + index : index
  return found >= 0n && found < BigInt(length) ? Number(found) : null
}

const PARTS = { Array: ['element', 'array'], String: ['character', 'string'] } as const

function outOfBounds(
  container: keyof typeof PARTS,
  index: bigint,
  length: number,
  at: Position,
): ScriptFault {
  const [part, whole] = PARTS[container]
  const contents =
    length === 0
      ? `${whole} is empty`
      : `only ${length} ${part}${length === 1 ? '' : 's'} in ${whole}`
  const kind = container === 'Array' ? 'ErrorArrayBounds' : 'ErrorStringBounds'
  return new ScriptFault(kind, `${container} index ${index} out of bounds: ${contents}`, at)
}
