// Library functions on arrays. A function argument is called with an element and its index, as far
// as it has parameters; one without parameters gets the element as `this`.

import {
  compareValues,
  ElementPlace,
  equalValues,
  FunctionPointer,
  isNumber,
  Range,
  ScriptFault,
  typeName,
  type Value,
  weightOf,
} from './language/index.ts'
import {
  boolean,
  callFor,
  contains,
  type Native,
  type NativeCall,
  type Natives,
  positionIn,
} from './run/index.ts'

type OnArray = (array: Value[], args: readonly Value[], call: NativeCall) => Value | undefined

/**
 * Returns a function on arrays with `count` further arguments whose cost does not depend on the
 * array.
 */
const withConstantCost =
  (count: number, apply: OnArray): Native =>
  ([array, ...args], call) =>
    Array.isArray(array) && args.length === count ? apply(array, args, call) : undefined

/**
 * Returns a function on arrays with `least` to `most` further arguments that processes all
 * elements.
 */
const onArray =
  (least: number, most: number, apply: OnArray): Native =>
  ([array, ...args], call) => {
    if (!Array.isArray(array) || args.length < least || args.length > most) return undefined
    call.meter.touch(array.length, call.at)
    return apply(array, args, call)
  }

/** Calls a function for the element at `index`. */
function callForElement(
  array: Value[],
  index: number,
  pointer: FunctionPointer,
  { run, at, meter }: NativeCall,
): Value {
  const self = new ElementPlace(array, index, null)
  const item = meter.copy(array[index] ?? null, at)
  return callFor(run, pointer, [item, BigInt(index)], 1, self, at)
}

const holds = (
  array: Value[],
  index: number,
  pointer: FunctionPointer,
  call: NativeCall,
): boolean => boolean(callForElement(array, index, pointer, call), call.at)

/** Returns a function on arrays with a function as its only argument. */
const withFunction = (
  apply: (array: Value[], pointer: FunctionPointer, call: NativeCall) => Value,
): Native =>
  onArray(1, 1, (array, [pointer], call) =>
    pointer instanceof FunctionPointer ? apply(array, pointer, call) : undefined,
  )

/** Returns the position of an index, limited to the array. */
function clamped(length: number, index: bigint): number {
  const from = index < 0n ? BigInt(length) + index : index
  return from < 0n ? 0 : from > BigInt(length) ? length : Number(from)
}

/**
 * Returns the bounds of a range, or of a start and an optional length; null for other arguments.
 */
export function slice(length: number, args: readonly Value[]): readonly [number, number] | null {
  const [start, count] = args
  if (start instanceof Range) {
    if (count !== undefined) return null
    const from = clamped(length, start.start)
    const end = start.isInclusive ? start.end + 1n : start.end
    const to = end < 0n ? 0 : end > BigInt(length) ? length : Number(end)
    return [from, Math.max(from, to)]
  }
  if (typeof start !== 'bigint') return null
  const from = clamped(length, start)
  if (count === undefined) return [from, length]
  if (typeof count !== 'bigint') return null
  const size = count < 0n ? 0n : count
  return [from, size > BigInt(length - from) ? length : from + Number(size)]
}

/** Removes the elements for which `leaves` returns true. Returns them. */
function takeOut(array: Value[], leaves: (index: number) => boolean): Value[] {
  const decided = array.map((_, index) => leaves(index))
  const out = array.filter((_, index) => decided[index])
  const rest = array.filter((_, index) => !decided[index])
  array.length = 0
  for (const item of rest) array.push(item)
  return out
}

const drain =
  (keepsMatches: boolean): OnArray =>
  (array, args, call) => {
    const [pointer] = args
    if (pointer instanceof FunctionPointer && args.length === 1) {
      return takeOut(array, (index) => holds(array, index, pointer, call) !== keepsMatches)
    }
    const part = slice(array.length, args)
    if (part === null) return undefined
    const [from, to] = part
    return takeOut(array, (index) => (index >= from && index < to) !== keepsMatches)
  }

const reduce =
  (isReversed: boolean): OnArray =>
  (array, [pointer, initial], call) => {
    if (!(pointer instanceof FunctionPointer)) return undefined
    const { run, at, meter } = call
    let result: Value = initial ?? null
    for (let step = 0; step < array.length; step++) {
      const index = isReversed ? array.length - 1 - step : step
      const self = new ElementPlace(array, index, null)
      const args = [result, meter.copy(array[index] ?? null, at), BigInt(index)]
      result = callFor(run, pointer, args, 2, self, at)
    }
    return result
  }

const ORDERED: ReadonlySet<string> = new Set(['i64', 'f64', 'string', 'char', 'bool', '()'])

function sortArray(
  array: Value[],
  pointer: Value | undefined,
  call: NativeCall,
): Value | undefined {
  const { run, at, meter } = call
  meter.touch(array.length * Math.ceil(Math.log2(array.length + 2)), at)
  if (pointer === undefined) {
    const [first = null] = array
    const kind = typeName(first)
    const isOneKind = ORDERED.has(kind) && array.every((item) => typeName(item) === kind)
    if (!isOneKind) {
      const text = 'Function not found: elements of different types cannot be sorted'
      throw new ScriptFault('ErrorFunctionNotFound', text, at)
    }
    array.sort((a, b) => {
      if (typeof a === 'string') meter.touch(a.length, at)
      return compareValues(a, b) ?? 0
    })
    return null
  }
  if (!(pointer instanceof FunctionPointer)) return undefined
  array.sort((a, b) => {
    const args = [meter.copy(a, at), meter.copy(b, at)]
    const order = callFor(run, pointer, args, 2, call.place, at)
    if (typeof order === 'boolean') return order ? -1 : 1
    return isNumber(order) ? Number(order) : 0
  })
  return null
}

/** Returns a sorted copy. */
function sortedCopy(
  array: readonly Value[],
  pointer: Value | undefined,
  call: NativeCall,
): Value[] | undefined {
  const copy = [...array]
  return sortArray(copy, pointer, call) === undefined ? undefined : copy
}

const indexOf: OnArray = (array, [wanted, start], call) => {
  if (start !== undefined && typeof start !== 'bigint') return undefined
  call.meter.touch(weightOf(array), call.at)
  for (let index = clamped(array.length, start ?? 0n); index < array.length; index++) {
    const isMatch =
      wanted instanceof FunctionPointer
        ? holds(array, index, wanted, call)
        : equalValues(array[index]!, wanted!)
    if (isMatch) return BigInt(index)
  }
  return -1n
}

export const ARRAY_FUNCTIONS: Natives = {
  len: withConstantCost(0, (array) => BigInt(array.length)),
  is_empty: withConstantCost(0, (array) => array.length === 0),
  get: withConstantCost(1, (array, [index]) => {
    if (typeof index !== 'bigint') return undefined
    const at = positionIn(array.length, index)
    return at === null ? null : array[at]!
  }),
  set: withConstantCost(2, (array, [index, value]) => {
    if (typeof index !== 'bigint') return undefined
    const at = positionIn(array.length, index)
    if (at !== null) array[at] = value!
    return null
  }),
  push: withConstantCost(1, (array, [value]) => {
    array.push(value!)
    return null
  }),
  append: onArray(1, 1, (array, [more], { meter, at }) => {
    if (!Array.isArray(more)) return undefined
    meter.checkCount(array.length + more.length, at)
    for (const item of more) array.push(item)
    return null
  }),
  insert: withConstantCost(2, (array, [index, value]) => {
    if (typeof index !== 'bigint') return undefined
    array.splice(clamped(array.length, index), 0, value!)
    return null
  }),
  pop: withConstantCost(0, (array) => array.pop() ?? null),
  shift: withConstantCost(0, (array) => array.shift() ?? null),
  remove: withConstantCost(1, (array, [index]) => {
    if (typeof index !== 'bigint') return undefined
    const at = positionIn(array.length, index)
    return at === null ? null : array.splice(at, 1)[0]!
  }),
  reverse: onArray(0, 0, (array) => {
    array.reverse()
    return null
  }),
  clear: withConstantCost(0, (array) => {
    array.length = 0
    return null
  }),
  truncate: withConstantCost(1, (array, [length]) => {
    if (typeof length !== 'bigint') return undefined
    if (length < BigInt(array.length)) array.length = length < 0n ? 0 : Number(length)
    return null
  }),
  chop: withConstantCost(1, (array, [length]) => {
    if (typeof length !== 'bigint') return undefined
    const kept = length < 0n ? 0 : Number(length)
    if (kept < array.length) array.splice(0, array.length - kept)
    return null
  }),
  pad: onArray(2, 2, (array, [length, value], { meter, at }) => {
    if (typeof length !== 'bigint') return undefined
    meter.checkCount(Number(length), at)
    while (array.length < length) array.push(meter.copy(value!, at))
    return null
  }),
  splice: onArray(2, 3, (array, args, { meter, at }) => {
    const more = args.at(-1)!
    const part = slice(array.length, args.slice(0, -1))
    if (!Array.isArray(more) || part === null) return undefined
    meter.checkCount(array.length + more.length, at)
    array.splice(part[0], part[1] - part[0], ...more)
    return null
  }),
  extract: onArray(1, 2, (array, args) => {
    const part = slice(array.length, args)
    return part === null ? undefined : array.slice(part[0], part[1])
  }),
  split: onArray(1, 1, (array, [index]) =>
    typeof index === 'bigint' ? array.splice(clamped(array.length, index)) : undefined,
  ),
  drain: onArray(1, 2, drain(false)),
  retain: onArray(1, 2, drain(true)),
  for_each: withFunction((array, pointer, call) => {
    for (let i = 0; i < array.length; i++) callForElement(array, i, pointer, call)
    return null
  }),
  map: withFunction((array, pointer, call) =>
    array.map((_, index) => callForElement(array, index, pointer, call)),
  ),
  filter: withFunction((array, pointer, call) =>
    array.filter((_, index) => holds(array, index, pointer, call)),
  ),
  all: withFunction((array, pointer, call) =>
    array.every((_, index) => holds(array, index, pointer, call)),
  ),
  some: withFunction((array, pointer, call) =>
    array.some((_, index) => holds(array, index, pointer, call)),
  ),
  find: withFunction(
    (array, pointer, call) => array.find((_, index) => holds(array, index, pointer, call)) ?? null,
  ),
  find_map: withFunction((array, pointer, call) => {
    for (let i = 0; i < array.length; i++) {
      const found = callForElement(array, i, pointer, call)
      if (found !== null) return found
    }
    return null
  }),
  index_of: onArray(1, 2, indexOf),
  contains: onArray(1, 1, (array, [value], { meter, at }) => contains(array, value!, at, meter)),
  reduce: onArray(1, 2, reduce(false)),
  reduce_rev: onArray(1, 2, reduce(true)),
  dedup: onArray(0, 1, (array, [pointer], { run, place, at, meter }) => {
    meter.touch(weightOf(array), at)
    if (pointer !== undefined && !(pointer instanceof FunctionPointer)) return undefined
    const isSame = (a: Value, b: Value): boolean =>
      pointer === undefined
        ? equalValues(a, b)
        : callFor(run, pointer, [a, b], 2, place, at) === true
    const kept = array.slice(0, 1)
    for (const item of array.slice(1)) if (!isSame(kept.at(-1)!, item)) kept.push(item)
    array.length = 0
    for (const item of kept) array.push(item)
    return null
  }),
  sort: onArray(0, 1, (array, [pointer], call) => sortArray(array, pointer, call)),
  sort_by: onArray(1, 1, (array, [pointer], call) => sortArray(array, pointer, call)),
  sort_desc: onArray(0, 0, (array, _, call) => {
    sortArray(array, undefined, call)
    array.reverse()
    return null
  }),
  order: onArray(0, 1, (array, [pointer], call) => sortedCopy(array, pointer, call)),
  order_by: onArray(1, 1, (array, [pointer], call) => sortedCopy(array, pointer, call)),
  order_desc: onArray(0, 0, (array, _, call) => sortedCopy(array, undefined, call)?.reverse()),
}
