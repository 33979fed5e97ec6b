// Walks over damaged dictionaries, and the exact words of the full check.
import { describe, expect, it, test } from 'vitest'
import { encoder } from '../bytes/index.ts'
import { CorruptionError } from '../errors.ts'
import { FuzzyCursor } from './fuzzy.ts'
import { buildFst, Fst, fstDot, fstStats, verifyFst } from './index.ts'
import { fstNotes } from './inspect.ts'
import { TRAILER_BYTES } from './layout-v1.ts'

const built = (...keys: readonly string[]): Uint8Array =>
  buildFst(keys.map((key) => encoder.encode(key))).slice()

function withLongest(keys: readonly string[], bytesMax: number): Fst {
  const bytes = built(...keys)
  new DataView(bytes.buffer, bytes.length - TRAILER_BYTES).setUint16(12, bytesMax, true)
  return new Fst(bytes)
}

const OPTIONS = { maxDistance: 2, prefix: false, otherFirstDistanceMax: 2 } as const

function found(fst: Fst, query: string): string[] {
  const cursor = new FuzzyCursor(fst, query, OPTIONS)
  const keys: string[] = []
  while (cursor.next()) keys.push(Buffer.from(cursor.bytes.subarray(0, cursor.length)).toString())
  return keys
}

describe('a fuzzy walk', () => {
  it.each([
    ['in a chain', ['abcd'], 'abcd'],
    ['at a node of several arcs', ['abc', 'abd'], 'abc'],
  ])('refuses keys that are longer than the trailer says, %s', (_, keys, query) => {
    const longest = Math.max(...keys.map((key) => key.length))
    expect(found(withLongest(keys, longest), query)).toEqual(keys)
    expect(() => found(withLongest(keys, longest - 1), query)).toThrow('expected keys of')
  })

  it('over any damaged bytes ends, with keys in order of ordinals or a refusal', () => {
    const bytes = built('fast', 'faster', 'feast', 'last', 'lost', 'past')
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = bytes.slice()
      flipped[bit >>> 3]! ^= 1 << (bit & 7)
      try {
        const cursor = new FuzzyCursor(new Fst(flipped), 'fast', OPTIONS)
        let last = -1
        while (cursor.next()) {
          expect(cursor.ordinal).toBeGreaterThan(last)
          last = cursor.ordinal
        }
      } catch (error) {
        expect(error).toBeInstanceOf(CorruptionError)
      }
    }
  })
})

test('the parts of a dictionary are explained without gaps', () => {
  for (const keys of [[], [''], ['a'], ['a', 'ab', 'ac', 'b'], ['abc', 'abd', 'xyz']]) {
    const body = built(...keys)
    const notes = fstNotes(body)
    let at = 0
    for (const { from, to } of notes) {
      expect(from).toBe(at)
      expect(to).toBeGreaterThan(from)
      at = to
    }
    expect(at).toBe(body.length)
    verifyFst(new Fst(body))
  }
  const texts = fstNotes(built('a', 'b', 'bc')).map(({ text }) => text)
  expect(texts).toContain('keyCount 3')
  expect(texts).toContain('keyBytesMax 2')
  expect(texts.filter((text) => text.startsWith('node '))).toHaveLength(2)
  expect(texts).toContain('labels a b')
  expect(texts).toContain('outputs 0 1, the first not stored')
})

test('nodes and arcs are counted', () => {
  const stats = (...keys: readonly string[]) => {
    const { nodes, chainNodes, arcs, leafArcs } = fstStats(new Fst(built(...keys)))
    return { nodes, chainNodes, arcs, leafArcs }
  }
  expect(stats()).toEqual({ nodes: 0, chainNodes: 0, arcs: 0, leafArcs: 0 })
  expect(stats('a')).toEqual({ nodes: 1, chainNodes: 0, arcs: 1, leafArcs: 1 })
  expect(stats('abc')).toMatchObject({ nodes: 3, arcs: 3, leafArcs: 1 })
  expect(stats('a', 'b', 'c')).toEqual({ nodes: 1, chainNodes: 0, arcs: 3, leafArcs: 3 })
})

test('a drawing has so many nodes', () => {
  const fst = new Fst(built('abc', 'abd', 'x'))
  const nodes = (limit: number) =>
    fstDot(fst, limit).match(/\[label="[^"]*"(?:, shape=doublecircle)?\]$/gm)
  for (const limit of [1, 2, 3]) {
    const drawn = fstDot(fst, limit)
      .split('\n')
      .filter((line) => /^ {2}\d+ \[label/.test(line))
    expect(drawn).toHaveLength(limit)
  }
  expect(nodes(1)!.length).toBeGreaterThan(1)
})

describe('the full check', () => {
  // A node: outputs, targets, labels, count, header. Built by hand: one arc to the leaf, and the
  // same with a wider target.
  const bodyOf = (nodes: readonly number[], trailer: readonly [number, number, number, number]) => {
    const bytes = new Uint8Array(nodes.length + TRAILER_BYTES)
    bytes.set(nodes)
    const view = new DataView(bytes.buffer, nodes.length)
    view.setUint32(0, trailer[0], true)
    view.setUint32(4, trailer[1], true)
    view.setUint32(8, trailer[2], true)
    view.setUint16(12, trailer[3], true)
    return bytes
  }

  it('accepts what the builder writes', () => {
    const body = built('a')
    const nodes = [...body.subarray(0, -TRAILER_BYTES)]
    expect(bodyOf(nodes, [1, nodes.length - 1, 1, 1])).toEqual(body)
  })

  it.each([
    [[1, 1, 1], 2],
    [[2, 1, 1], 2],
    [[1, 2, 1], 2],
    [[1, 1, 2], 2],
  ])('compares keys, nodes and lengths with the trailer: %j', ([keys, nodes, longest]) => {
    const own = [...built('a').subarray(0, -TRAILER_BYTES)]
    const check = () => verifyFst(new Fst(bodyOf(own, [keys!, own.length - 1, nodes!, longest!])))
    if (keys === 1 && nodes === 1 && longest === 1) expect(check).not.toThrow()
    else expect(check).toThrow(CorruptionError)
  })

  it('refuses a node that no other node uses', () => {
    const [inner] = [[...built('a').subarray(0, -TRAILER_BYTES)]]
    const twice = [...inner!, ...inner!]
    const body = bodyOf(twice, [1, twice.length - 1, 2, 1])
    expect(() => verifyFst(new Fst(body))).toThrow('a node in use')
  })

  it('refuses labels that do not ascend', () => {
    const body = built('a', 'b')
    const at = body.indexOf(0x61)
    for (const [first, second] of [
      [0x62, 0x61],
      [0x61, 0x61],
    ]) {
      const wrong = body.slice()
      wrong[at] = first!
      wrong[at + 1] = second!
      expect(() => verifyFst(new Fst(wrong))).toThrow('bad_order')
    }
  })
})
