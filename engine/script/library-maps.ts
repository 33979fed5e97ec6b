// Library functions on maps. A function argument is called with a name and its value, as far as it
// has parameters; one without parameters gets the value as `this`.

import { FunctionPointer, MemberPlace, ScriptMap, type Value } from './language/index.ts'
import { boolean, callFor, type Native, type NativeCall, type Natives } from './run/index.ts'

type OnMap = (map: ScriptMap, args: readonly Value[], call: NativeCall) => Value | undefined

const onMap =
  (count: number, apply: OnMap): Native =>
  ([map, ...args], call) => {
    if (!(map instanceof ScriptMap) || args.length !== count) return undefined
    call.meter.touch(map.size, call.at)
    return apply(map, args, call)
  }

/** Calls a function for a member. */
function callForMember(
  map: ScriptMap,
  name: string,
  pointer: FunctionPointer,
  { run, at, meter }: NativeCall,
): Value {
  const self = new MemberPlace(map, name, null, at, meter)
  return callFor(run, pointer, [name, meter.copy(map.get(name) ?? null, at)], 1, self, at)
}

/** Returns a function on maps with a function as its argument. */
const withFunction = (
  apply: (map: ScriptMap, pointer: FunctionPointer, call: NativeCall) => Value,
): Native =>
  onMap(1, (map, [pointer], call) =>
    pointer instanceof FunctionPointer ? apply(map, pointer, call) : undefined,
  )

/**
 * Returns the members for which a function returns `answers`; removes them from the map if
 * `removes`.
 */
const selected =
  (answers: boolean, removes: boolean) =>
  (map: ScriptMap, pointer: FunctionPointer, call: NativeCall): ScriptMap => {
    const out = new ScriptMap()
    for (const name of map.names()) {
      if (boolean(callForMember(map, name, pointer, call), call.at) !== answers) continue
      out.set(name, map.get(name) ?? null)
      if (removes) map.delete(name)
    }
    return out
  }

const merged =
  (replaces: boolean): OnMap =>
  (map, [more], { meter, at }) => {
    if (!(more instanceof ScriptMap)) return undefined
    for (const [name, member] of more.entries()) {
      if (replaces || !map.has(name)) map.set(name, member)
    }
    meter.checkSize(map, at)
    return null
  }

export const MAP_FUNCTIONS: Natives = {
  len: onMap(0, (map) => BigInt(map.size)),
  is_empty: onMap(0, (map) => map.size === 0),
  get: onMap(1, (map, [name]) => (typeof name === 'string' ? (map.get(name) ?? null) : undefined)),
  set: onMap(2, (map, [name, value]) => {
    if (typeof name !== 'string') return undefined
    map.set(name, value!)
    return null
  }),
  contains: onMap(1, (map, [name]) => (typeof name === 'string' ? map.has(name) : undefined)),
  remove: onMap(1, (map, [name]) => {
    if (typeof name !== 'string') return undefined
    const value = map.get(name) ?? null
    map.delete(name)
    return value
  }),
  clear: onMap(0, (map) => {
    map.clear()
    return null
  }),
  keys: onMap(0, (map) => map.names()),
  values: onMap(0, (map) => map.names().map((name) => map.get(name)!)),
  mixin: onMap(1, merged(true)),
  fill_with: onMap(1, merged(false)),
  map: withFunction((map, pointer, call) => {
    const out = new ScriptMap()
    for (const name of map.names()) out.set(name, callForMember(map, name, pointer, call))
    return out
  }),
  filter: withFunction(selected(true, false)),
  drain: withFunction(selected(true, true)),
  retain: withFunction(selected(false, true)),
}
