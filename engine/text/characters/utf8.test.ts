// Short encodings compared with those of Node.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import {
  leadBytes,
  pointAt,
  pointBytes,
  readText,
  textBytes,
  textPoints,
  wellFormed,
  writeText,
} from './utf8.ts'

/** The first and last points of each length, beside the surrogates as well. */
const EDGES = [0, 0x7f, 0x80, 0x7ff, 0x800, 0xd7ff, 0xe000, 0xffff, 0x1_0000, 0x10_ffff]

it.each(EDGES)('the point %i is written and read in as few bytes as possible', (point) => {
  const text = String.fromCodePoint(point)
  const bytes = Buffer.from(text)
  const out = new Uint8Array(8)
  expect(writeText(text, out, 2)).toBe(2 + bytes.length)
  expect([...out]).toEqual([0, 0, ...bytes, ...new Uint8Array(6 - bytes.length)])
  expect([pointBytes(point), textBytes(text), leadBytes(out[2]!)]).toEqual(
    Array(3).fill(bytes.length),
  )
  expect([pointAt(out, 2), readText(out, 2, 2 + bytes.length)]).toEqual([point, text])
})

it('texts are measured, written and read as Node does it', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), (text) => {
      const bytes = Buffer.from(text)
      const out = new Uint8Array(text.length * 3)
      expect(writeText(text, out, 0)).toBe(bytes.length)
      expect(Buffer.compare(out.subarray(0, bytes.length), bytes)).toBe(0)
      expect([textBytes(text), textPoints(text)]).toEqual([bytes.length, [...text].length])
      expect(readText(out, 0, bytes.length)).toBe(text)
    }),
  )
})

it('lone surrogates are replaced, pairs stay', () => {
  expect(['a\ud800', '\udc00b', '\ud83d\ude00'].map(wellFormed)).toEqual([
    'a\ufffd',
    '\ufffdb',
    '\ud83d\ude00',
  ])
})
