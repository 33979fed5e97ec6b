// Field names, the plan of fields and the place of a document, against plain computations.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FIELDS_MAX } from '../../../format/ids.ts'
import { JsonBuffer } from '../../../format/json/index.ts'
import { EngineFault } from '../../model/index.ts'
import { childOf, discoverFields } from './discover-fields.ts'
import { FieldNames } from './field-names.ts'
import { FieldPlan, type FieldUse } from './field-plan.ts'
import { readGeo } from './geo.ts'
import { NESTING_MAX } from './limits.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)

describe('field names', () => {
  it('get ids in order of first appearance, after those of the view', () => {
    const names = fc.array(fc.string({ unit: 'grapheme', maxLength: 3 }), {
      maxLength: 30,
    })
    fc.assert(
      fc.property(fc.uniqueArray(fc.string({ maxLength: 2 })), names, (viewNames, found) => {
        const table = new FieldNames(viewNames)
        const expected = [...viewNames]
        for (const name of found) {
          if (!expected.includes(name)) expected.push(name)
          const padded = utf8(`<${name}>`)
          expect(table.idOfBytes(padded, 1, padded.length - 1)).toBe(expected.indexOf(name))
        }
        expect(table.all).toEqual(expected)
        expect(table.added).toEqual(expected.slice(viewNames.length))
        expect(table.count).toBe(expected.length)
      }),
    )
  })

  it('are at most 65,535', () => {
    const table = new FieldNames(Array.from({ length: FIELDS_MAX }, (_, i) => `f${i}`))
    expect(table.idOf('f7')).toBe(7)
    expect(() => table.idOf('one more')).toThrow(EngineFault)
  })
})

/** A use of the fields whose names begin with `prefix`. */
const useOf = (prefix: string): FieldUse => ({
  checkedAs: null,
  holds: (name) => name.startsWith(prefix),
  holdsBelow: (name) => prefix.startsWith(`${name}.`),
})

type Json = null | number | string | readonly Json[] | { readonly [name: string]: Json }

const anyJson = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<Json>(null, 1, 'text', '{"a":1}'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom('a', 'b', 'c"', 'd\\', '\\'), tie('value'), { maxKeys: 3 }),
  ),
})).value

/** The names that a walk registers: those on paths that a use may hold values of. */
function expectedNames(value: Json, name: string, reaches: (name: string) => boolean): string[] {
  if (value === null || typeof value !== 'object' || !reaches(name)) return []
  if (Array.isArray(value)) return value.flatMap((item) => expectedNames(item, name, reaches))
  return Object.entries(value as { [name: string]: Json }).flatMap(([key, item]) => [
    `${name}.${key}`,
    ...expectedNames(item, `${name}.${key}`, reaches),
  ])
}

describe('a plan of fields', () => {
  it('registers the nested names of a value in document order', () => {
    fc.assert(
      fc.property(anyJson, fc.constantFrom('x', 'x.a', 'x.a.b', 'y'), (value, prefix) => {
        const use = useOf(prefix)
        const names = new FieldNames(['x'])
        const node = new FieldPlan([null, use], names).field(0)
        discoverFields(node, utf8(JSON.stringify(value)), 0, new JsonBuffer())
        const reaches = (name: string): boolean => use.holds(name) || use.holdsBelow(name)
        expect(names.added).toEqual([...new Set(expectedNames(value, 'x', reaches))])
      }),
      { numRuns: 150 },
    )
  })

  it('registers names as deep as values are read', () => {
    const namesIn = (depth: number): readonly string[] => {
      const names = new FieldNames(['x'])
      const json = `${'['.repeat(depth)}{"a":1}${']'.repeat(depth)}`
      discoverFields(new FieldPlan([useOf('x')], names).field(0), utf8(json), 0, new JsonBuffer())
      return names.added
    }
    expect([namesIn(NESTING_MAX - 1), namesIn(NESTING_MAX)]).toEqual([['x.a'], []])
  })

  it('has a bit for each use that holds or reaches a field', () => {
    const names = new FieldNames(['x', 'y'])
    const plan = new FieldPlan([useOf('x'), null, useOf('x.a'), useOf('y')], names)
    const x = plan.field(0)
    expect([x.held, x.reached]).toEqual([0b0001, 0b0101])
    expect(plan.field(0)).toBe(x)
    const key = utf8('"a"')
    const child = childOf(x, key, 0, key.length, new JsonBuffer(8))
    expect([child.name, child.held, child.reached]).toEqual(['x.a', 0b0101, 0b0101])
    const escaped = utf8('"\\u0061"')
    expect(childOf(x, escaped, 0, escaped.length, new JsonBuffer(8))).toBe(child)
    expect(names.all).toEqual(['x', 'y', 'x.a'])
  })
})

describe('the place of a document', () => {
  const read = (json: string) => readGeo(utf8(json), utf8('d1'))

  it('is two numbers, or texts that parse as numbers', () => {
    expect(read('{"lat":1.5,"lng":-2}')).toEqual([1.5, -2])
    expect(read('{"lng":"4e1","lat":"-0.5"}')).toEqual([-0.5, 40])
    expect(read('null')).toBeNull()
  })

  it('is the same as JSON reads it, in any form', () => {
    const number = fc.oneof(
      fc.double({ noNaN: true, noDefaultInfinity: true }),
      fc.integer({ min: -180, max: 180 }),
      fc.integer({ min: -1_800_000, max: 1_800_000 }).map((n) => n / 10_000),
    )
    fc.assert(
      fc.property(number, number, fc.boolean(), (lat, lng, isUsual) => {
        const json = JSON.stringify(isUsual ? { lat, lng } : { lng, lat })
        const place = JSON.parse(json) as { lat: number; lng: number }
        expect(read(json)).toEqual([place.lat, place.lng])
      }),
    )
  })

  it.each([
    ['[1,2]', 'is not an object'],
    ['{}', 'Could not find latitude nor longitude'],
    ['{"lng":1}', 'Could not find latitude in'],
    ['{"lat":1}', 'Could not find longitude in'],
    ['{"lat":"x","lng":null}', 'Could not parse latitude nor longitude'],
    ['{"lat":"","lng":1}', 'Could not parse latitude in'],
    ['{"lat":1,"lng":true}', 'Could not parse longitude in'],
    ['{"lat":1e999,"lng":1}', 'Could not parse latitude in'],
    ['{"lat":[1],"lng":1}', 'Could not parse latitude in'],
    ['{"lat":1,"lng":2,"alt":3}', 'contains the following unexpected fields: `{"alt":3}`'],
  ])('%s is refused with the reason and the id of the document', (json, reason) => {
    const message = (): unknown => read(json)
    expect(message).toThrow(EngineFault)
    expect(message).toThrow(reason)
    expect(message).toThrow('`"d1"`')
  })
})
