// Dictionaries whose trailer contradicts their nodes.
import { expect, it } from 'vitest'
import { encoder } from '../bytes/index.ts'
import { buildFst, Fst } from './index.ts'
import { FST_KEYS_MAX, TRAILER_BYTES } from './layout-v1.ts'

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
