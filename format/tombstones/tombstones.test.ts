// Tombstones: golden bytes, round trips, the shortest coding, refusals. Layout: ./TOMBSTONES.md

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectGolden } from '../../fixtures/golden.ts'
import { ByteWriter } from '../bytes/index.ts'
import { CorruptionError, VersionError } from '../errors.ts'
import { encodeIdSet, IdSet } from '../idset/index.ts'
import { decodeTombstones, encodeTombstones, type Tombstones } from './index.ts'
import { SEGMENT_DOCUMENTS_MAX } from './limits.ts'
import { tombstoneNotes } from './test-notes.ts'

const of = (ids: Iterable<number>, form: Tombstones['form'] = 'delta'): Tombstones => ({
  form,
  generation: 3,
  ids: IdSet.of(ids),
})
const plain = (t: Tombstones) => ({ ...t, ids: [...t.ids.toArray()] })

const GAPS = fc.constantFrom(0, 1, 126, 127, 128, 129, 5000)
/** Mostly of single ids, for which gaps are shorter. */
const RUN_LENGTHS = fc.constantFrom(1, 1, 1, 1, 1, 2, 127, 128, 129, 300)

/** Gaps between ascending ids, after their number. */
const gapCodes = (ids: readonly number[]): readonly number[] => [
  ids.length,
  ...ids.map((id, i) => (i === 0 ? id : id - ids[i - 1]! - 1)),
]

/** Distance and length of each run, after their number; two runs are at least one id apart. */
function runCodes(ids: readonly number[]): readonly number[] {
  const starts = ids.filter((id, i) => i === 0 || ids[i - 1] !== id - 1)
  const ends = ids.filter((id, i) => ids[i + 1] !== id + 1)
  const codes = starts.flatMap((start, i) => [
    i === 0 ? start : start - ends[i - 1]! - 2,
    ends[i]! - start,
  ])
  return [starts.length, ...codes]
}

function varints(values: readonly number[]): readonly number[] {
  const out = new ByteWriter(values.length)
  for (const value of values) out.varint(value)
  return [...out.finish()]
}

/** Containers of 2^16 ids. */
const FULL = SEGMENT_DOCUMENTS_MAX >>> 16

/** The bytes of a set of full containers, and of one with a single id if `more` is 1. */
function fullSet(full: number, more: 0 | 1): Uint8Array {
  const count = full + more
  const begin = 8 + count * 8
  const out = new Uint8Array(begin + full * 8192 + more * 2)
  const view = new DataView(out.buffer)
  out.fill(0xff, begin, begin + full * 8192)
  view.setUint32(0, 12346, true)
  view.setUint32(4, count, true)
  for (let i = 0; i < count; i++) {
    view.setUint32(8 + i * 4, i | (i < full ? 0xffff << 16 : 0), true)
    view.setUint32(8 + count * 4 + i * 4, begin + i * 8192, true)
  }
  return out
}

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

  it('are as short as the shortest coding is by its definition', () => {
    const ids = fc
      .array(fc.tuple(GAPS, RUN_LENGTHS), {
        minLength: 1,
        maxLength: 200,
      })
      .map((runs) => {
        let next = 0
        return runs.flatMap(([gap, length]) => {
          next += gap + length
          return Array.from({ length }, (_, i) => next - length + i)
        })
      })
    fc.assert(
      fc.property(ids, (sorted) => {
        const codings = [gapCodes(sorted), runCodes(sorted)].map((codes) => varints(codes).length)
        const sizes = [...codings, encodeIdSet(IdSet.of(sorted)).length]
        const bytes = encodeTombstones(of(sorted))
        expect(bytes).toHaveLength(8 + Math.min(...sizes))
        expect(bytes[2]).toBe(sizes.indexOf(Math.min(...sizes)) + 1)
      }),
      { examples: [[Array.from({ length: 1000 }, (_, i) => i + Math.floor(i / 5))]] },
    )
  })

  it.each([
    ['8 ids: 0, 1, 2, 3, 4, 5, 6, 7', 8],
    ['9 ids: 0, 1, 2, 3, 4, 5, 6, 7, …', 9],
  ])('are explained: %s', (words, count) => {
    const notes = tombstoneNotes(encodeTombstones(of(IdSet.range(0, count).toArray())))
    expect(notes.at(-1)!.text).toBe(words)
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

  it('holds as many ids as a segment has documents, and no more', () => {
    const header = (coding: number) => [1, 0, coding, 0, 1, 0, 0, 0]
    const most = varints([SEGMENT_DOCUMENTS_MAX])
    const beyond = [0xff, 0xff, 0xff, 0xff, 0x1f]
    const refusal = (
      bytes: readonly number[],
      more: ArrayLike<number> = [],
      length = 0,
    ): string => {
      const all = new Uint8Array(Math.max(length, bytes.length + more.length))
      all.set(bytes)
      all.set(more, bytes.length)
      try {
        return `${decodeTombstones(all).ids.size} ids`
      } catch (error) {
        if (error instanceof CorruptionError) return `${error.code} ${error.expected} ${error.got}`
        throw error
      }
    }
    const tooMany = `bad_value at most ${SEGMENT_DOCUMENTS_MAX} ids ${SEGMENT_DOCUMENTS_MAX + 1}`
    // As many bytes as ids are announced; memory that is never touched costs nothing.
    const length = SEGMENT_DOCUMENTS_MAX + 100
    const last = 2 ** 33 - 1
    const one = varints([SEGMENT_DOCUMENTS_MAX + 1])
    expect(refusal([...header(1), ...most, ...beyond], [], length)).toBe(`bad_value a u32 ${last}`)
    expect(refusal([...header(1), ...one], [], length)).toBe(tooMany)
    expect(refusal([...header(1), ...most, 0])).toBe(
      `bad_length ${SEGMENT_DOCUMENTS_MAX} more bytes 1`,
    )
    expect(refusal([...header(2), 1, 0, ...most])).toBe(tooMany)
    const full = [0, ...varints([SEGMENT_DOCUMENTS_MAX - 1])]
    expect(refusal([...header(2), 2, ...full, ...beyond, 0])).toBe(
      `bad_value a u32 ${last + SEGMENT_DOCUMENTS_MAX + 1}`,
    )
    expect(refusal([...header(2), 1, ...beyond, 2])).toBe(`bad_value a u32 ${last + 2}`)
    expect(refusal([...header(2), 1, 0xfb, 0xff, 0xff, 0xff, 0x0f, 4])).toBe('5 ids')
    expect(refusal([...header(2), 9, 0, 0, 0, 0, 0])).toBe('bad_length 18 more bytes 5')
    expect(refusal(header(3), fullSet(FULL, 1))).toBe(tooMany)
    expect(refusal(header(3), fullSet(FULL, 0))).toBe(`${SEGMENT_DOCUMENTS_MAX} ids`)
    expect(refusal(header(4), fullSet(1, 0))).toBe('bad_value a coding 4')
  })
})
