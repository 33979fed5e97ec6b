// The dictionary against a sorted array, its bytes against golden files, damaged bytes against
// refusals.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { expectGolden } from '../../fixtures/golden.ts'
import { expectRefusals } from '../../fixtures/refusals.ts'
import { compareBytes, startsWithBytes } from '../bytes/index.ts'
import { CorruptionError, InvariantError } from '../errors.ts'
import { NodeWriter } from './encode-v1.ts'
import {
  buildFst,
  Fst,
  FstBuilder,
  FstCursor,
  FuzzyCursor,
  fstDot,
  fstStats,
  verifyFst,
} from './index.ts'
import { fstNotes } from './inspect.ts'
import {
  arcCount,
  CHAIN_CODES,
  CHAIN_LABELS,
  COUNTED_SHAPE,
  FULL_NODE,
  labelsOffset,
  outputOf,
  targetOf,
} from './layout-v1.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const open = (...words: string[]): Fst => new Fst(buildFst(words.map(utf8)))

/** The distinct keys in order, as the dictionary holds them. */
function sorted(keys: readonly Uint8Array[]): Uint8Array[] {
  const all = [...keys].sort(compareBytes)
  return all.filter((key, i) => i === 0 || compareBytes(all[i - 1]!, key) !== 0)
}

function keysFrom(cursor: FstCursor, ordinal: number): Uint8Array[] {
  const keys: Uint8Array[] = []
  while (cursor.next()) {
    expect(cursor.ordinal).toBe(ordinal++)
    keys.push(cursor.bytes.slice(0, cursor.length))
  }
  expect(cursor.next()).toBe(false)
  return keys
}

/**
 * Short keys over few bytes share much; the other keys use every byte and characters of several
 * bytes.
 */
const anyKey = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.constantFrom(0x61, 0x62, 0x63), { maxLength: 6 }) },
  {
    weight: 1,
    arbitrary: fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 12 }),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 5 }).map((s) => [...utf8(s)]) },
)
const anyKeys = fc.array(
  anyKey.map((bytes) => Uint8Array.from(bytes)),
  { maxLength: 40 },
)

/** Deterministic words, enough of them for targets of three bytes and outputs of two. */
function manyWords(count: number): Uint8Array[] {
  const words: Uint8Array[] = []
  let seed = 7
  for (let i = 0; i < count; i++) {
    const word: number[] = []
    for (let n = 0; n < 3 + (i % 9); n++) {
      seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
      word.push(0x61 + ((seed >>> 16) % 26))
    }
    words.push(Uint8Array.from(word))
  }
  return sorted(words)
}

describe('bytes', () => {
  const cases: Record<string, string[]> = {
    none: [],
    'empty-key': [''],
    // The worked example of FST.md.
    page: ['tea', 'ten', 'tens', 'to', 'tot'],
    'shared-ends': ['fast', 'faster', 'fastest', 'last', 'lasted', 'past'],
    'not-common': ['Ab', 'A b', 'äö', 'ä', '日本', '日曜'],
    'many-arcs': ['', 'a', 'b', 'c', 'd', 'e', 'ea', 'fa'],
  }
  for (const [name, words] of Object.entries(cases)) {
    it(`${name} equals its golden file`, () => {
      const keys = sorted(words.map(utf8))
      const body = buildFst(keys)
      const golden = expectGolden(`fst/v1/${name}`, body, fstNotes(body))
      const fst = new Fst(golden)
      verifyFst(fst)
      expect(keysFrom(new FstCursor(fst), 0)).toEqual(keys)
    })
  }

  it('gives the same bytes for any division of the output', () => {
    const keys = manyWords(20000)
    const body = buildFst(keys)
    const again: number[] = []
    const builder = new FstBuilder((bytes) => again.push(...bytes))
    const wrapped = new Uint8Array(300)
    for (const key of keys) {
      wrapped.set(key, 5)
      builder.add(wrapped, 5, 5 + key.length)
    }
    const summary = builder.finish()
    expect(summary).toEqual({
      keyCount: keys.length,
      nodeCount: new Fst(body).nodeCount,
      bytes: body.length,
    })
    expect(body.length).toBeGreaterThan(1 << 16)
    expect(compareBytes(Uint8Array.from(again), body)).toBe(0)
  })

  it('has a chain code for each of 128 labels', () => {
    expect(new Set(CHAIN_LABELS).size).toBe(128)
    expect([...CHAIN_LABELS].map((label) => CHAIN_CODES[label])).toEqual([...Array(128).keys()])
    expect(CHAIN_CODES.filter((code) => code >= 0)).toHaveLength(128)
  })

  it('reads at any offset of a buffer', () => {
    const body = buildFst([utf8('one'), utf8('two')])
    const wider = Buffer.alloc(body.length + 5, 0xff)
    wider.set(body, 3)
    const fst = new Fst(wider.subarray(3, 3 + body.length))
    verifyFst(fst)
    expect(fst.ordinalOf(utf8('two'))).toBe(1)
  })

  it('reaches targets far away and counts many keys', () => {
    const chunks: Uint8Array[] = []
    const writer = new NodeWriter((bytes) => chunks.push(bytes.slice()))
    const labels = Uint8Array.from({ length: 256 }, (_, i) => i)
    const counts = new Int32Array(256).fill(8000000)
    const first = writer.write({ labels, targets: new Int32Array(256), counts }, 0, 2, 0)
    const wide = { labels, targets: new Int32Array(256).fill(first), counts }
    while (writer.length < 1 << 24) writer.write(wide, 0, 256, 0)
    const last = writer.write(wide, 0, 3, 1)
    writer.finish(0, 0, 0)
    const bytes = Buffer.concat(chunks)
    const header = bytes[last]!
    const count = arcCount(bytes, last, header)
    const at = labelsOffset(last, header, count)
    expect(count).toBe(3)
    for (let arc = 0; arc < count; arc++) {
      expect(targetOf(bytes, last, header, at, count, arc)).toBe(first)
      expect(outputOf(bytes, header, at, count, arc)).toBe(1 + arc * 8000000)
    }
  })
})

describe('against a sorted array', () => {
  const lookUps = (fst: Fst, keys: Uint8Array[], probe: Uint8Array): void => {
    const ordinal = keys.findIndex((key) => compareBytes(key, probe) === 0)
    expect(fst.ordinalOf(probe)).toBe(ordinal)
    const bound = keys.filter((key) => compareBytes(key, probe) < 0).length
    expect(fst.lowerBound(probe)).toBe(bound)
    const cursor = new FstCursor(fst)
    cursor.seek(probe)
    expect(keysFrom(cursor, bound)).toEqual(keys.slice(bound))
    const under = keys.filter((key) => startsWithBytes(key, probe))
    const range = fst.range(probe)
    expect(range.to - range.from).toBe(under.length)
    if (under.length > 0) expect(range.from).toBe(bound)
    cursor.seekPrefix(probe)
    expect(keysFrom(cursor, range.from)).toEqual(under)
  }

  it('gives the same results for any size of the registry', () => {
    fc.assert(
      fc.property(
        anyKeys,
        fc.array(anyKey, { maxLength: 5 }),
        fc.constantFrom(1, 2, 8, undefined),
        (given, probes, registryNodesMax) => {
          const keys = sorted(given)
          const fst = new Fst(buildFst(given, registryNodesMax))
          verifyFst(fst)
          expect(fst.size).toBe(keys.length)
          expect(keysFrom(new FstCursor(fst), 0)).toEqual(keys)
          keys.forEach((key, i) => {
            expect(fst.key(i)).toEqual(key)
            lookUps(fst, keys, key)
          })
          for (const probe of probes) lookUps(fst, keys, Uint8Array.from(probe))
          for (const key of keys.slice(0, 5)) lookUps(fst, keys, key.subarray(0, key.length >> 1))
        },
      ),
      { numRuns: 80 },
    )
  })

  it('reads a range of a longer array if requested', () => {
    const fst = open('b', 'ba', 'c')
    const text = utf8('xbay')
    expect(fst.ordinalOf(text, 1, 3)).toBe(1)
    expect(fst.range(text, 1, 2)).toEqual({ from: 0, to: 2 })
    expect(fst.lowerBound(text, 1, 4)).toBe(2)
    const cursor = new FstCursor(fst)
    cursor.seek(text, 1, 4)
    expect(keysFrom(cursor, 2)).toEqual([utf8('c')])
    cursor.seekPrefix(text, 1, 2)
    expect(keysFrom(cursor, 0)).toEqual([utf8('b'), utf8('ba')])
    cursor.rewind()
    expect(keysFrom(cursor, 0)).toHaveLength(3)
  })

  it('holds many words, with or without forgetting', () => {
    const keys = manyWords(30000)
    const whole = new Fst(buildFst(keys))
    const forgetful = new Fst(buildFst(keys, 64))
    expect(forgetful.nodeCount).toBeGreaterThan(whole.nodeCount)
    for (const fst of [whole, forgetful]) {
      verifyFst(fst)
      const out = new Uint8Array(fst.keyBytesMax)
      const cursor = new FstCursor(fst)
      let wrong = 0
      keys.forEach((key, i) => {
        if (fst.ordinalOf(key) !== i) wrong++
        if (compareBytes(out.subarray(0, fst.keyOf(i, out)), key) !== 0) wrong++
        if (!cursor.next() || compareBytes(cursor.bytes.subarray(0, cursor.length), key)) wrong++
      })
      expect(wrong).toBe(0)
    }
  })

  it('holds a key of the greatest length', () => {
    const long = new Uint8Array(65535).fill(0x61)
    const fst = new Fst(buildFst([long, long.subarray(1)]))
    verifyFst(fst)
    expect(fst.ordinalOf(long)).toBe(1)
    expect(fst.key(1)).toEqual(long)
    expect(keysFrom(new FstCursor(fst), 0)).toHaveLength(2)
  })

  it('is minimal when all nodes are remembered', () => {
    fc.assert(
      fc.property(anyKeys, (given) => {
        const keys = sorted(given).map((key) => Buffer.from(key).toString('latin1'))
        const fst = new Fst(buildFst(given))
        // Expects one node per distinct set of suffixes that follow some prefix; the leaf takes no
        // bytes.
        const ends = new Map<string, string[]>()
        for (const key of keys) {
          for (let i = 0; i <= key.length; i++) {
            const rest = ends.get(key.slice(0, i)) ?? []
            ends.set(key.slice(0, i), [...rest, key.slice(i)])
          }
        }
        const different = new Set([...ends.values()].map((rest) => JSON.stringify(rest)))
        different.delete('[""]')
        expect(fst.nodeCount).toBe(different.size)
      }),
    )
  })
})

describe('invariants', () => {
  it('refuses keys out of order, twice, too long or too late', () => {
    const builder = new FstBuilder(() => undefined)
    builder.add(utf8('b'))
    for (const key of ['b', 'a', '', 'azz']) {
      expect(() => builder.add(utf8(key))).toThrow(InvariantError)
    }
    expect(() => builder.add(new Uint8Array(65536).fill(0x7a))).toThrow(InvariantError)
    builder.add(utf8('ba'))
    builder.finish()
    expect(() => builder.add(utf8('c'))).toThrow(InvariantError)
    expect(() => builder.finish()).toThrow(InvariantError)
  })

  it('refuses the empty key twice', () => {
    const builder = new FstBuilder(() => undefined)
    expect(builder.add(utf8(''))).toBe(0)
    expect(() => builder.add(utf8(''))).toThrow(InvariantError)
  })

  it('refuses the key of an ordinal that does not exist', () => {
    expect(() => open('a').key(1)).toThrow(InvariantError)
    expect(() => open().key(0)).toThrow(InvariantError)
  })
})

describe('damaged bytes', () => {
  const words = ['', 'art', 'arts', 'bart', 'barts', 'cart', 'é', 'éa', 'zoo', 'zoom', 'zoos']
  const body = buildFst(words.map(utf8))
  /**
   * Calls every read method with a bound on the number of steps. Returns the keys if all succeed.
   */
  const read = (bytes: Uint8Array): string[] => {
    const fst = new Fst(bytes)
    for (const word of words) {
      fst.ordinalOf(utf8(word))
      fst.lowerBound(utf8(word))
      fst.range(utf8(word))
      const cursor = new FstCursor(fst)
      cursor.seek(utf8(word))
      cursor.next()
    }
    for (let i = 0; i < Math.min(fst.size, 50); i++) fst.key(i)
    const keys: string[] = []
    const cursor = new FstCursor(fst)
    while (keys.length < 1000 && cursor.next()) {
      keys.push(Buffer.from(cursor.bytes.subarray(0, cursor.length)).toString('hex'))
    }
    for (const prefix of [false, true]) {
      const near = new FuzzyCursor(fst, 'barts', {
        maxDistance: 2,
        prefix,
        otherFirstDistanceMax: 2,
      })
      for (let i = 0; i < 1000 && near.next(); i++);
    }
    fstStats(fst)
    fstDot(fst, 50)
    verifyFst(fst)
    return keys
  }
  const outcome = (bytes: Uint8Array): string => {
    try {
      return read(bytes).join()
    } catch (error) {
      // CorruptionError is the only failure that bytes may cause.
      expect(error).toBeInstanceOf(CorruptionError)
      return 'refused'
    }
  }

  it('every bit flip is refused, or is another dictionary', () => {
    const sound = outcome(body)
    expect(sound).not.toBe('refused')
    let refused = 0
    for (let bit = 0; bit < body.length * 8; bit++) {
      const flipped = body.slice()
      flipped[bit >> 3]! ^= 1 << (bit & 7)
      const got = outcome(flipped)
      expect(got).not.toBe(sound)
      if (got === 'refused') refused++
    }
    // The other flips change labels, which only the checksum of the section protects.
    expect(refused).toBeGreaterThan(body.length * 8 * 0.6)
  })

  it('each check has its message', () => {
    expectRefusals('fst', [['dictionary', body, read]])
  })

  it('every truncation is refused', () => {
    for (let length = 0; length < body.length; length++) {
      expect(outcome(body.slice(0, length)), `${length} bytes`).toBe('refused')
    }
    expect(outcome(Uint8Array.from([...body, 0]))).toBe('refused')
  })

  it('any bytes before a fitting trailer are read or refused', () => {
    fc.assert(
      fc.property(
        fc.uint8Array({ minLength: 1, maxLength: 200 }),
        fc.integer({ min: 1, max: 1000 }),
        (nodes, size) => {
          const bytes = new Uint8Array(nodes.length + 16)
          bytes.set(nodes)
          const trailer = new DataView(bytes.buffer, nodes.length)
          trailer.setUint32(0, size, true)
          trailer.setUint32(4, nodes.length - 1, true)
          trailer.setUint32(8, nodes.length, true)
          trailer.setUint16(12, nodes.length, true)
          outcome(bytes)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('a header at address 0 is refused', () => {
    // Found by fuzzing: the count byte would be before the first byte.
    const bytes = Uint8Array.of(0x8c, 0x61, 0x80, 1, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0)
    expect(outcome(bytes)).toBe('refused')
  })

  it('reports the kind and place of damage', () => {
    const parts: [number, number, string][] = [
      [0, 99, 'bad_value'],
      [4, 1, 'bad_value'],
      [8, 200, 'bad_value'],
      [12, 200, 'bad_value'],
      [14, 1, 'bad_value'],
    ]
    for (const [offset, value, code] of parts) {
      const bytes = body.slice()
      bytes[body.length - 16 + offset] = value
      expect(() => verifyFst(new Fst(bytes))).toThrow(code)
    }
  })
})

it('refuses a node whose count of arcs would be before the first byte', () => {
  const header = FULL_NODE | COUNTED_SHAPE
  expect(arcCount(Uint8Array.of(4, header), 1, header)).toBe(5)
  expect(() => arcCount(Uint8Array.of(header), 0, header)).toThrow(
    'fst @0: bad_length, expected room for a count, got 0',
  )
})

describe('for the tools', () => {
  it('counts', () => {
    const fst = open('fast', 'faster', 'last')
    const stats = fstStats(fst)
    expect(stats).toMatchObject({ keys: 3, keyBytesMax: 6, nodes: fst.nodeCount })
    expect(stats.bytes).toBe(fst.bytes.length + 16)
  })

  it('draws', () => {
    expect(fstDot(open('a', 'ab', '"'), 10)).toBe(`digraph fst {
  rankdir=LR
  node [shape=circle]
  7 [label="7"]
  7 -> 0 [label="\\""]
  7 -> 1 [label="a +1"]
  0 [label="leaf", shape=doublecircle]
  1 [label="1", shape=doublecircle]
  1 -> 0 [label="b +1"]
}
`)
    expect(fstDot(open('a', 'b'), 0).split('\n')).toHaveLength(5)
    expect(fstDot(open(), 5).split('\n')).toHaveLength(5)
  })
})
