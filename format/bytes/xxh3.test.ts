// XXH3 of inputs of each length at which it works differently. Up to 64 bytes, the hashes are those of
// the reference implementation. None may change: every release must place documents in the same shards.
import { expect, it } from 'vitest'
import { type Hash, xxh3 } from './xxh3.ts'

const inputOf = (length: number): Uint8Array =>
  Uint8Array.from({ length }, (_, i) => i * i * 31 + i * 7 + 11)

const hashOf = (view: DataView, length: number): string => {
  const out: Hash = { high: 0, low: 0 }
  xxh3(view, length, out)
  const hex = (part: number): string => part.toString(16).padStart(8, '0')
  return hex(out.high) + hex(out.low)
}

it.each([
  [0, '2d06800538d394c2'],
  [1, '4a4139caf4136257'],
  [2, 'de38b1fc3c2163c3'],
  [3, '46b3cc1947bf8375'],
  [4, '0879ac75cf84a4a6'],
  [5, 'a080e40f0b4c45a0'],
  [7, 'b33fa73840492f22'],
  [8, '8b253d392d3fea05'],
  [9, 'dffc74a841dbcb21'],
  [12, '3355f97db446bfe6'],
  [15, 'ac3cad41240abce8'],
  [16, '2728fdbc03b1bea6'],
  [17, '704aabd603ea6c55'],
  [31, 'a649fb9a621ce4ad'],
  [32, '8401e0cf0f05e580'],
  [33, '9333d30c86e5ce84'],
  [64, '5f718c25e44b8a21'],
  // Longer inputs have other hashes than those of the reference implementation: see `SECRET`.
  [65, 'e146cfb9b9bdda42'],
  [96, '3130fb49da22e904'],
  [97, 'e7952d24ee016612'],
  [127, '0df4b673ec5c384a'],
  [128, 'a8cd6c85596a89c4'],
  [129, 'f5758b42ae4dc055'],
  [160, 'db82c3f0bc52d1c4'],
  [161, '67e8f9cd1b156acf'],
  [240, '14022a42c85cf1a3'],
  [241, '16334037e031642b'],
  [256, '1f187ea8cfc37508'],
  [257, '0b8ad8c8037c694c'],
  [1024, 'cb4a122a123e20b2'],
  [1025, 'fc62156815fa6fa5'],
  [2049, '409cba0e2a86fa0e'],
  [5000, '74ec2319a7fba1e7'],
])('of %i bytes', (length, hash) => {
  const bytes = inputOf(length)
  expect(hashOf(new DataView(bytes.buffer), length)).toBe(hash)
  // Neither the place of the input nor what follows it counts.
  const padded = Buffer.concat([Buffer.from('abc'), bytes, Buffer.from('defg')])
  expect(hashOf(new DataView(padded.buffer, padded.byteOffset + 3, length + 4), length)).toBe(hash)
})

it('hashes no more than its input', () => {
  expect(() => hashOf(new DataView(new ArrayBuffer(3)), 4)).toThrow('only bytes of the input')
})
