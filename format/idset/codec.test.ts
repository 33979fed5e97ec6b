// Id sets as bytes: golden bytes, exchange with another Roaring library, refusals, and the walkers
// that read in place against decoded sets.

import fc from 'fast-check'
import roaring from 'roaring'
import { describe, expect, it } from 'vitest'
import { expectGolden } from '../../fixtures/golden.ts'
import { expectRefusals } from '../../fixtures/refusals.ts'
import { CorruptionError } from '../errors.ts'
import { containersAt } from './encoded-v1.ts'
import {
  decodeIdSet,
  encodedIdsBytes,
  encodeIdSet,
  encodeIds,
  encodeIdsInto,
  IdSet,
  IdUnion,
  membersAmong,
  orEncoded,
  ranksOf,
  readEncoded,
} from './index.ts'
import { CONTAINERS_MAX } from './limits.ts'
import { idSetNotes } from './test-notes.ts'
import { ids, sample, sortedOf, spread } from './test-support.ts'

const sorted = (list: Iterable<number>): Uint32Array => Uint32Array.from(new Set(list)).sort()
const same = (a: Uint32Array, b: Uint32Array): boolean =>
  a.length === b.length && a.every((id, i) => id === b[i])

/** Returns `ok`, or the code of the refusal. */
function outcome(bytes: Uint8Array): string {
  try {
    decodeIdSet(bytes)
  } catch (error) {
    // The test expects this typed refusal.
    if (error instanceof CorruptionError) return error.code
    throw error
  }
  return 'ok'
}

/**
 * Returns `bytes` after and before other bytes, and the offset at which they begin: walkers start
 * at any offset.
 */
function framed(bytes: Uint8Array, at: number): Uint8Array {
  const out = new Uint8Array(at + bytes.length + 5).fill(0xff)
  out.set(bytes, at)
  return out
}

describe('bytes', () => {
  it.each([
    ['none', []],
    ['three-ids', [1, 3, 65536]],
    ['last', [0xffffffff]],
    ['bitmap', spread(0, 4097, 1)],
  ])('%s are the golden ones', (name, list) => {
    const bytes = encodeIds(Uint32Array.from(list))
    const shown = expectGolden(`idset/v1/${name}`, bytes, idSetNotes(bytes))
    expect([...decodeIdSet(shown ?? bytes).toArray()]).toEqual(list)
  })

  it('survive a round trip, are as long as computed, and a set has one encoding', () => {
    fc.assert(
      fc.property(sample, ({ model, set }) => {
        const bytes = encodeIdSet(set)
        const expected = Uint32Array.from(sortedOf(model))
        expect(encodedIdsBytes(expected)).toBe(bytes.length)
        const back = decodeIdSet(bytes)
        expect(same(back.toArray(), expected)).toBe(true)
        expect(back.equals(set)).toBe(true)
        expect(Buffer.compare(encodeIdSet(back), bytes)).toBe(0)
        expect(idSetNotes(bytes).at(-1)!.to).toBe(bytes.length)
      }),
    )
  })

  it.each([4095, 4096, 4097, 65535, 65536, 65537])('%d ids in a row', (count) => {
    for (const from of [0, 1, 65536 - 4096, 65536 * 3]) {
      const list = Uint32Array.from(spread(from, from + count, 1))
      const bytes = encodeIds(list)
      expect(same(decodeIdSet(bytes).toArray(), list)).toBe(true)
      const larger = new Uint8Array(bytes.length + 5)
      expect(encodeIdsInto(list, larger, 3)).toBe(bytes.length)
      expect(Buffer.compare(larger, Buffer.concat([Buffer.alloc(3), bytes, Buffer.alloc(2)]))).toBe(
        0,
      )
    }
  })

  it('are read by the native package, and its bytes by us', () => {
    fc.assert(
      fc.property(ids, (list) => {
        const expected = sorted(list)
        const ours = encodeIds(expected)
        const theirs = new roaring.RoaringBitmap32(expected)
        expect(
          same(roaring.RoaringBitmap32.deserialize(ours, 'portable').toUint32Array(), expected),
        ).toBe(true)
        // The other library writes run containers only on request.
        expect(Buffer.compare(theirs.serialize('portable'), ours)).toBe(0)
        expect(same(decodeIdSet(theirs.serialize('portable')).toArray(), expected)).toBe(true)
      }),
    )
  })

  it('with run containers are refused', () => {
    const bitmap = roaring.RoaringBitmap32.fromRange(0, 100_000)
    bitmap.runOptimize()
    expect(outcome(bitmap.serialize('portable'))).toBe('bad_magic')
  })
})

describe('refusals', () => {
  const small = (): Uint8Array => encodeIds(Uint32Array.of(1, 3, 9, 65536, 65599, 0x7fff0000))

  it('a flipped bit gives another set in its one encoding, or is refused', () => {
    const bytes = small()
    let refused = 0
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      bytes[bit >>> 3]! ^= 1 << (bit & 7)
      if (outcome(bytes) === 'ok') {
        expect(Buffer.compare(encodeIdSet(decodeIdSet(bytes)), bytes), `bit ${bit}`).toBe(0)
      } else refused++
      bytes[bit >>> 3]! ^= 1 << (bit & 7)
    }
    // All flips of cookie, counts and offsets are refused; the others change keys and ids.
    expect(refused).toBeGreaterThan(8 * (8 + 6 + 12))
  })

  it('each check has its message', () => {
    expectRefusals('idset', [['ids', small(), decodeIdSet]])
  })

  it('every truncation and extension', () => {
    const bytes = small()
    for (let length = 0; length < bytes.length; length++) {
      expect(outcome(bytes.subarray(0, length)), `${length}`).not.toBe('ok')
    }
    expect(outcome(Uint8Array.of(...bytes, 0))).toBe('bad_length')
    expect(outcome(Uint8Array.of(...bytes, ...bytes))).toBe('bad_length')
  })

  it.each<[string, number, number[]]>([
    ['bad_magic', 0, [0x3b]],
    ['bad_value', 4, [1, 0, 1, 0]],
    ['bad_length', 4, [255, 255, 0, 0]],
    ['bad_order', 12, [0, 0]],
    ['bad_order', 12, [255, 127]],
    ['bad_value', 20, [33]],
    ['bad_value', 10, [3]],
    ['bad_order', 34, [1, 0]],
    ['bad_order', 36, [2, 0]],
    ['bad_length', 18, [255, 255]],
  ])('%s at %d', (code, at, patch) => {
    const bytes = small()
    bytes.set(patch, at)
    expect(outcome(bytes)).toBe(code)
  })

  it('a bitmap with another number of bits, in a sparse set and in a dense one', () => {
    for (const list of [spread(0, 5000, 1), [...spread(0, 5000, 1), 0x7fffffff]]) {
      const bytes = encodeIds(Uint32Array.from(list))
      const bitmapAt = 8 + 8 * (list.length > 5000 ? 2 : 1)
      expect(outcome(bytes)).toBe('ok')
      bytes[bitmapAt + 8000] = 1
      expect(outcome(bytes)).toBe('bad_value')
      bytes[bitmapAt + 8000] = 0
      bytes[bitmapAt + 1]! ^= 1
      expect(outcome(bytes)).toBe('bad_value')
    }
  })

  it('an array out of order in a dense set', () => {
    const bytes = encodeIds(Uint32Array.from(spread(0, 400, 1)))
    bytes[16] = 9
    expect(outcome(bytes)).toBe('bad_order')
  })

  it('headers that claim billions of ids, before memory is allocated for them', () => {
    const containers = 65536
    const bytes = new Uint8Array(8 + 8 * containers)
    const view = new DataView(bytes.buffer)
    view.setUint32(0, 12346, true)
    view.setUint32(4, containers, true)
    for (let i = 0; i < containers; i++) {
      view.setUint16(8 + i * 4, i, true)
      view.setUint16(10 + i * 4, 65535, true)
      view.setUint32(8 + containers * 4 + i * 4, 8 + 8 * containers, true)
    }
    expect(outcome(bytes)).toBe('bad_length')
  })
})

describe('walkers', () => {
  const at = fc.nat(9)

  it('read as many containers as hold all ids, and no more', () => {
    const headers = (containers: number): Uint8Array => {
      const bytes = new Uint8Array(8 + containers * 8)
      new DataView(bytes.buffer).setUint32(4, containers, true)
      return bytes
    }
    expect(containersAt(headers(CONTAINERS_MAX), 0)).toBe(CONTAINERS_MAX)
    expect(() => containersAt(headers(CONTAINERS_MAX + 1), 0)).toThrow('idset @4: bad_length')
  })

  it('refuse a missing header', () => {
    for (const containers of [1, 65537, 0xffffffff]) {
      const bytes = encodeIds(Uint32Array.of(1)).subarray(0, 15)
      new DataView(bytes.buffer).setUint32(4, containers, true)
      const walks = [
        () => orEncoded(bytes, 0, new Uint32Array(9)),
        () => readEncoded(bytes, 0, new Uint32Array(9), 0),
        () => ranksOf(bytes, 0, Uint32Array.of(1), 1, new Int32Array(1)),
        () => membersAmong(bytes, 0, new Uint32Array(9), new Uint32Array(1), new Int32Array(1)),
      ]
      for (const walk of walks) expect(walk).toThrow(CorruptionError)
    }
  })

  it('read ids after earlier ones', () => {
    fc.assert(
      fc.property(ids, at, fc.nat(5), (list, from, n) => {
        const expected = sorted(list)
        const out = new Uint32Array(expected.length + n).fill(7)
        const end = readEncoded(framed(encodeIds(expected), from), from, out, n)
        expect(end).toBe(n + expected.length)
        expect(same(out.subarray(n), expected)).toBe(true)
        expect(out.subarray(0, n).every((id) => id === 7)).toBe(true)
      }),
    )
  })

  it('set bits where there is room for them, beside others', () => {
    fc.assert(
      fc.property(ids, ids, at, fc.integer({ min: 0, max: 7000 }), (list, others, from, length) => {
        const words = new Uint32Array(length)
        IdSet.of(others).orInto(words)
        orEncoded(framed(encodeIds(sorted(list)), from), from, words)
        const expected = sorted([...list, ...others].filter((id) => id < length * 32))
        expect(same(IdSet.ofWords(words).toArray(), expected)).toBe(true)
      }),
    )
  })

  it('rank members', () => {
    fc.assert(
      fc.property(ids, ids, at, fc.nat(20), (list, others, from, skip) => {
        const members = sorted(list)
        // Ids of which some are members.
        const asked = sorted([...others, ...members.filter((_, i) => i % (skip + 1) === 0)])
        const positions = new Map([...members].map((id, i) => [id, i]))
        const ranks = new Int32Array(asked.length + 2).fill(-9)
        ranksOf(framed(encodeIds(members), from), from, asked, asked.length, ranks)
        const wrong = asked.findIndex((id, i) => ranks[i] !== (positions.get(id) ?? -1))
        expect(wrong).toBe(-1)
        expect([...ranks.subarray(asked.length)]).toEqual([-9, -9])
      }),
    )
  })

  it('read full containers, one id in each container, and nothing behind the last one', () => {
    const full = Uint32Array.from({ length: 65_536 }, (_, i) => 65_536 + i)
    const single = full.map((_, i) => i * 65_536 + (i % 7))
    for (const members of [full, single, Uint32Array.of(1, 2)]) {
      const bytes = framed(encodeIds(members), 0)
      const out = new Uint32Array(members.length)
      expect(readEncoded(bytes, 0, out, 0)).toBe(members.length)
      expect(same(out, members)).toBe(true)
      // The offset of the first container, read as a key, is within these words.
      const words = new Uint32Array(20 * 2048)
      orEncoded(bytes, 0, words)
      const expected = members.filter((id) => id < words.length * 32)
      expect(same(IdSet.ofWords(words).toArray(), expected)).toBe(true)
      const asked = members.filter((_, i) => i % 3 === 0)
      const ranks = new Int32Array(asked.length + 1).fill(-9)
      ranksOf(bytes, 0, asked, asked.length, ranks)
      expect(ranks.findIndex((rank, i) => rank !== i * 3)).toBe(asked.length)
      expect(ranks.at(-1)).toBe(-9)
    }
  })

  it('find the members among others', () => {
    fc.assert(
      fc.property(ids, ids, at, (list, others, from) => {
        const members = sorted(list)
        const asked = IdSet.of([...others, ...members.filter((_, i) => i % 3 === 0)])
        const words = new Uint32Array((asked.max >>> 5) + 1)
        asked.orInto(words)
        const expected = members.filter((id) => asked.has(id))
        const found = new Uint32Array(asked.size)
        const ranks = new Int32Array(asked.size)
        const set = framed(encodeIds(members), from)
        const count = membersAmong(set, from, words, found, ranks)
        expect(same(found.subarray(0, count), expected)).toBe(true)
        expect(expected.findIndex((id, i) => members[ranks[i]!] !== id)).toBe(-1)
      }),
    )
  })

  it('add to a union', () => {
    fc.assert(
      fc.property(ids, ids, at, fc.nat(300_000), (list, others, from, idEnd) => {
        const [a, b] = [sorted(list), sorted(others)]
        const union = new IdUnion(idEnd)
        for (const part of [a, b]) {
          if (part.length === 0) continue
          union.addEncoded(framed(encodeIds(part), from), from, part[0]!, part.at(-1)!)
        }
        expect(same(union.take().toArray(), sorted([...list, ...others]))).toBe(true)
      }),
    )
  })
})

describe('what is no set', () => {
  it.each([[[5, 3]], [[3, 3]], [[0, 7, 7, 2]]])('%j is not encoded', (list) => {
    expect(() => encodeIds(Uint32Array.from(list))).toThrow('ids ascend and are distinct')
  })

  it.each([0, 3, 7])('%i bytes are too short', (length) => {
    expect(outcome(encodeIds(Uint32Array.of(1)).slice(0, length))).toBe('bad_length')
  })
})

describe('an independent implementation', () => {
  it('makes the same union of encoded sets, in the same bytes', () => {
    const encoded = ids.map((list) => encodeIds(sorted(list)))
    fc.assert(
      fc.property(fc.array(encoded, { minLength: 1, maxLength: 4 }), (sets) => {
        const union = new IdUnion(0)
        for (const bytes of sets) {
          const { min, max } = decodeIdSet(bytes)
          if (min >= 0) union.addEncoded(bytes, 0, min, max)
        }
        const theirs = roaring.RoaringBitmap32.orMany(
          sets.map((bytes) => roaring.RoaringBitmap32.deserialize(bytes, 'portable')),
        )
        const ours = encodeIdSet(union.take())
        expect(Buffer.compare(ours, theirs.serialize('portable'))).toBe(0)
      }),
    )
  })
})
