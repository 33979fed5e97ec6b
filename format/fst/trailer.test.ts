// Dictionaries whose trailer contradicts their nodes, or whose node has a wider form than it needs.
import { expect, it } from 'vitest'
import { encoder } from '../bytes/index.ts'
import { NodeWriter } from './encode-v1.ts'
import { buildFst, Fst } from './index.ts'
import { verifyFst } from './inspect.ts'
import { FST_KEYS_MAX, LEAF, TRAILER_BYTES } from './layout-v1.ts'

/** The dictionary of some keys, with a changed trailer. */
function withTrailer(keys: readonly string[], change: (trailer: DataView) => void): Fst {
  const bytes = buildFst(keys.map((key) => encoder.encode(key))).slice()
  change(new DataView(bytes.buffer, bytes.length - TRAILER_BYTES))
  return new Fst(bytes)
}

const withSize = (keys: readonly string[], size: number): Fst =>
  withTrailer(keys, (trailer) => trailer.setUint32(0, size, true))

it.each([
  ['two keys without nodes', [], 2, '@0: bad_value, expected keys where there are nodes, got 2'],
  ['no key with nodes', ['abcd'], 0, 'bad_value, expected keys where there are nodes, got 0'],
  ['too many keys', ['abcd'], FST_KEYS_MAX + 1, `expected ${FST_KEYS_MAX}, got 2147483648`],
] as const)('%s are refused', (_, keys, size, shown) => {
  expect(() => withSize(keys, size)).toThrow(shown)
})

it('as many keys as there may be are read', () => {
  expect(withSize(['abcd'], FST_KEYS_MAX).size).toBe(FST_KEYS_MAX)
})

it('a key that is longer than the trailer says is refused when it is read', () => {
  const fst = withTrailer(['abcd'], (trailer) => trailer.setUint16(12, 2, true))
  expect(() => fst.keyOf(0, new Uint8Array(2))).toThrow('expected keys of at most 2, got longer')
})

/** A dictionary of one node, which is its root. */
function ofNode(node: readonly number[], keys: number): Fst {
  const bytes = new Uint8Array(node.length + TRAILER_BYTES)
  bytes.set(node)
  const trailer = new DataView(bytes.buffer, node.length)
  trailer.setUint32(0, keys, true)
  trailer.setUint32(4, node.length - 1, true)
  trailer.setUint32(8, 1, true)
  trailer.setUint16(12, 1, true)
  return new Fst(bytes)
}

it.each([
  [1, 'its form', [0x73, 0x80], null],
  [1, 'a count byte', [0x73, 0, 0x84], 'the narrowest outputs, got 132'],
  [1, 'a target', [0, 0x73, 0x88], 'the narrowest targets, got 1'],
  [2, 'its form', [1, 0x61, 0x62, 0x81], null],
  [2, 'outputs of two bytes', [1, 0, 0x61, 0x62, 1, 0x85], 'the narrowest outputs, got 133'],
  [2, 'a count byte', [1, 0x61, 0x62, 1, 0x84], 'the narrowest outputs, got 132'],
  [2, 'labels that fall', [1, 0x62, 0x61, 0x81], 'bad_order, expected above 98, got 97'],
] as const)('a node of %i keys with %s', (keys, _, node, fault) => {
  const verify = () => verifyFst(ofNode(node, keys))
  if (fault === null) verify()
  else expect(verify).toThrow(fault)
})

/**
 * A dictionary of keys of 31 letters, each `a` or `b`: of all 2^31 or, if `isPart`, of all but one.
 */
function ofAllKeys(isPart: boolean): Fst {
  const parts: Uint8Array[] = []
  const writer = new NodeWriter((bytes) => parts.push(bytes.slice()))
  const labels = encoder.encode('ab')
  const node = (a: number, b: number, count: number): number => {
    const arcs = { labels, targets: Int32Array.of(a, b), counts: Int32Array.of(count, 0) }
    return writer.write(arcs, 0, 2, 0)
  }
  let [all, part] = [LEAF, LEAF]
  for (let level = 0; level < 31; level++) {
    const below = all
    if (level < 30 || !isPart) all = node(below, below, 2 ** level)
    if (!isPart) continue
    if (level > 0) part = node(below, part, 2 ** level)
    else {
      const arcs = { labels, targets: Int32Array.of(LEAF), counts: Int32Array.of(1) }
      part = writer.write(arcs, 0, 1, 0)
    }
  }
  writer.finish(FST_KEYS_MAX, isPart ? part : all, 31)
  return new Fst(Buffer.concat(parts))
}

it('as many keys as there may be are counted, and no more', () => {
  verifyFst(ofAllKeys(true))
  expect(() => verifyFst(ofAllKeys(false))).toThrow(`expected ${FST_KEYS_MAX}, got ${2 ** 31}`)
})
