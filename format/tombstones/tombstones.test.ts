// Tombstones: golden bytes, round trips, the shortest coding, refusals. Layout: ./TOMBSTONES.md

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectGolden } from '../../fixtures/golden.ts'
import { CorruptionError, VersionError } from '../errors.ts'
import { encodeIdSet, IdSet } from '../idset/index.ts'
import { decodeTombstones, encodeTombstones, type Tombstones } from './index.ts'
import { tombstoneNotes } from './test-notes.ts'

const of = (ids: Iterable<number>, form: Tombstones['form'] = 'delta'): Tombstones => ({
  form,
  generation: 3,
  ids: IdSet.of(ids),
})
const plain = (t: Tombstones) => ({ ...t, ids: [...t.ids.toArray()] })

function refused(bytes: Uint8Array): boolean {
  try {
    decodeTombstones(bytes)
    return false
  } catch (error) {
    if (error instanceof CorruptionError || error instanceof VersionError) return true
    throw error
  }
}

describe('bytes', () => {
  const cases: readonly [string, Tombstones][] = [
    ['one', of([300])],
    ['gaps', of([7, 8, 9, 30])],
    ['runs', of([...IdSet.range(100, 5100).toArray(), 9000], 'full')],
    ['set', of(Array.from({ length: 20000 }, (_, i) => i * 3))],
  ]
  for (const [name, tombstones] of cases) {
    it(`are the golden ones: ${name}`, () => {
      const bytes = encodeTombstones(tombstones)
      const shown = expectGolden(`tombstones/v1/${name}`, bytes, tombstoneNotes(bytes))
      expect(plain(decodeTombstones(shown))).toEqual(plain(tombstones))
    })
  }

  it('read back as written', () => {
    const scattered = fc.uniqueArray(fc.nat(0xffffffff), { minLength: 1, maxLength: 200 })
    const runs = fc
      .array(fc.tuple(fc.nat(3000), fc.integer({ min: 1, max: 400 })), {
        minLength: 1,
        maxLength: 9,
      })
      .map((pairs) => pairs.flatMap(([from, n]) => Array.from({ length: n }, (_, i) => from + i)))
    const dense = fc
      .uniqueArray(fc.nat(9000), { minLength: 4000, maxLength: 6000 })
      .map((ids) => ids.map((id) => id * 7))
    const form = fc.constantFrom('delta' as const, 'full' as const)
    const generation = fc.integer({ min: 1, max: 0xffffffff })
    fc.assert(
      fc.property(fc.oneof(scattered, runs, dense), form, generation, (ids, f, g) => {
        const tombstones = { form: f, generation: g, ids: IdSet.of(ids) }
        const bytes = encodeTombstones(tombstones)
        expect(plain(decodeTombstones(bytes))).toEqual(plain(tombstones))
        expect(bytes.length).toBeLessThanOrEqual(8 + encodeIdSet(tombstones.ids).length)
      }),
    )
  })

  it('use the shortest coding', () => {
    expect(encodeTombstones(of([300]))).toHaveLength(11)
    expect(encodeTombstones(of([300]))[2]).toBe(1)
    expect(encodeTombstones(of(IdSet.range(0, 100000).toArray()))).toHaveLength(8 + 5)
    expect(encodeTombstones(of(IdSet.range(0, 100000).toArray()))[2]).toBe(2)
    const everyThird = Array.from({ length: 65536 / 3 }, (_, i) => i * 3)
    expect(encodeTombstones(of(everyThird))[2]).toBe(3)
  })

  it('can hold the last id', () => {
    const edge = of([0, 0xfffffffe, 0xffffffff])
    expect(plain(decodeTombstones(encodeTombstones(edge)))).toEqual(plain(edge))
  })
})

describe('a reader', () => {
  const samples = [of([1, 5, 300]), of(IdSet.range(5, 500).toArray()), of([0, 65536])]

  it('refuses every truncation and every added byte', () => {
    for (const sample of samples) {
      const bytes = encodeTombstones(sample)
      for (let n = 0; n < bytes.length; n++) expect(refused(bytes.subarray(0, n))).toBe(true)
      expect(refused(Uint8Array.from([...bytes, 0]))).toBe(true)
    }
  })

  it('gives another set or a refusal for every flipped bit, never the same set', () => {
    for (const sample of samples) {
      const bytes = encodeTombstones(sample)
      for (let bit = 0; bit < bytes.length * 8; bit++) {
        bytes[bit >> 3]! ^= 1 << (bit & 7)
        if (!refused(bytes)) {
          expect(plain(decodeTombstones(bytes))).not.toEqual(plain(sample))
        }
        bytes[bit >> 3]! ^= 1 << (bit & 7)
      }
    }
  })

  it('refuses what no writer makes', () => {
    const header = (coding: number) => [1, 0, coding, 0, 1, 0, 0, 0]
    const huge = [0xff, 0xff, 0xff, 0xff, 0x0f]
    const bad: readonly (readonly [string, readonly number[]])[] = [
      ['another version', [2, 0, 1, 0, 1, 0, 0, 0, 1, 1]],
      ['another form', [1, 2, 1, 0, 1, 0, 0, 0, 1, 1]],
      ['another coding', [...header(4), 1, 1]],
      ['a reserved byte', [1, 0, 1, 1, 1, 0, 0, 0, 1, 1]],
      ['generation 0', [1, 0, 1, 0, 0, 0, 0, 0, 1, 1]],
      ['no ids', [...header(1), 0]],
      ['no runs', [...header(2), 0]],
      ['more ids than bytes', [...header(1), ...huge, 1, 1]],
      ['a run of everything', [...header(2), 1, 0, ...huge]],
      ['ids beyond 32 bits', [...header(1), 2, ...huge, 0]],
      ['a run beyond 32 bits', [...header(2), 1, ...huge, 1]],
    ]
    for (const [what, bytes] of bad) expect(refused(Uint8Array.from(bytes)), what).toBe(true)
  })
})
