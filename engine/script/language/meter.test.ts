// The limits of a run, of values and of faults: exactly as much as they allow, and one more.
import { describe, expect, it } from 'vitest'
import { type FaultKind, ScriptFault } from './faults.ts'
import { readJsonText, writeJson } from './json.ts'
import {
  ARRAY_LENGTH_MAX,
  EVALUATION_DEPTH_MAX,
  MAP_SIZE_MAX,
  MEMORY_MAX,
  STEPS_MAX,
  STRING_LENGTH_MAX,
  VALUE_DEPTH_MAX,
} from './limits.ts'
import { Meter } from './meter.ts'
import { ScriptMap, type Value } from './values.ts'

const meter = (): Meter => new Meter(() => undefined)
const listOf = (length: number): Value => Array<Value>(length).fill(null)

function mapOf(size: number): ScriptMap {
  const map = new ScriptMap()
  for (let i = 0; i < size; i++) map.set(`${i}`, null)
  return map
}

function nested(levels: number): Value {
  let value: Value = null
  for (let level = 0; level < levels; level++) value = [value]
  return value
}

function inMaps(levels: number): Value {
  let value: Value = null
  for (let level = 0; level < levels; level++) {
    const map = new ScriptMap()
    map.set('a', value)
    value = map
  }
  return value
}

/** A use, its limit, and the fault of one more. */
const LIMITS: readonly (readonly [string, number, FaultKind, (count: number) => unknown])[] = [
  [
    'steps',
    STEPS_MAX,
    'ErrorTooManyOperations',
    (count) => {
      const one = meter()
      one.steps = count - 1
      one.step(null)
    },
  ],
  ['elements of memory', MEMORY_MAX, 'ErrorDataTooLarge', (count) => meter().build(count, null)],
  ['levels', EVALUATION_DEPTH_MAX, 'ErrorStackOverflow', (count) => meter().enter(null, count)],
  [
    'elements of an array',
    ARRAY_LENGTH_MAX,
    'ErrorDataTooLarge',
    (count) => meter().checkSize(listOf(count), null),
  ],
  [
    'elements to come',
    ARRAY_LENGTH_MAX,
    'ErrorDataTooLarge',
    (count) => meter().checkCount(count, null),
  ],
  [
    'members of a map',
    MAP_SIZE_MAX,
    'ErrorDataTooLarge',
    (count) => meter().checkSize(mapOf(count), null),
  ],
  [
    'units of a string',
    STRING_LENGTH_MAX,
    'ErrorDataTooLarge',
    (count) => meter().checkSize('x'.repeat(count), null),
  ],
  [
    'levels of arrays',
    VALUE_DEPTH_MAX,
    'ErrorDataTooLarge',
    (count) => meter().copy(nested(count), null),
  ],
  [
    'levels of maps',
    VALUE_DEPTH_MAX,
    'ErrorDataTooLarge',
    (count) => meter().copy(inMaps(count), null),
  ],
  // The document around it is a level too.
  [
    'levels of a member',
    VALUE_DEPTH_MAX - 1,
    'ErrorDataTooLarge',
    (count) => writeJson(nested(count)),
  ],
]

describe('a run', () => {
  it.each(LIMITS)('has at most so many %s: %i', (_, most, kind, use) => {
    expect(() => use(most)).not.toThrow()
    expect(() => use(most + 1)).toThrow(expect.objectContaining({ kind }))
  })

  it('reads JSON of as many levels', () => {
    for (const inside of ['', '1', '{"a":1}']) {
      const levels = inside.startsWith('{') ? VALUE_DEPTH_MAX - 1 : VALUE_DEPTH_MAX
      const text = `${'['.repeat(levels)}${inside}${']'.repeat(levels)}`
      expect([inside, readJsonText(text) === undefined]).toEqual([inside, false])
      expect([inside, readJsonText(`[${text}]`)]).toEqual([inside, undefined])
    }
  })
})

describe('a fault', () => {
  const faultOf = (text: string): ScriptFault => new ScriptFault('ErrorRuntime', text, null)

  it('has a text of up to two thousand characters', () => {
    const longest = 'x'.repeat(2000)
    expect(faultOf(longest).text).toBe(longest)
    expect(faultOf(`${longest}x`).text).toBe(`${longest}…`)
  })

  it('names calls until their lines have more than a thousand characters', () => {
    const linesOf = (units: number): number => {
      const fault = faultOf('no')
      fault.leave('f'.repeat(units - "\nin call to function ''".length), null)
      fault.leave(null, null)
      return fault.message.split('\n').length
    }
    expect([linesOf(1000), linesOf(1001)]).toEqual([3, 2])
  })
})
