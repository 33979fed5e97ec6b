// The chunked UTF-8 check against Node's check of the whole text.
import { isUtf8 } from 'node:buffer'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { firstInvalid, Utf8Check } from './index.ts'

const piece = fc.oneof(
  fc.constantFrom(
    ...['a', 'é', '€', '😀', '\u07ff', '\uffff', '\u{10ffff}'].map((c) => [
      ...new TextEncoder().encode(c),
    ]),
  ),
  fc.constantFrom(
    [0x80],
    [0xc0, 0x80],
    [0xed, 0xa0, 0x80],
    [0xf5],
    [0xe2, 0x82],
    [0xf0, 0x9f],
    [0xff],
    [0xc3],
  ),
)
const bytes = fc.array(piece, { maxLength: 12 }).map((all) => Uint8Array.from(all.flat()))

/** Returns the start of the first character after which no prefix is valid. */
function model(all: Uint8Array): number {
  let at = 0
  while (at < all.length) {
    let length = 1
    while (length <= 4 && !isUtf8(all.subarray(at, at + length))) length++
    if (length > 4 || at + length > all.length) return at
    at += length
  }
  return Infinity
}

describe('a chunked check', () => {
  it('finds the first wrong byte, for any division of the text', () => {
    fc.assert(
      fc.property(
        bytes,
        fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1 }),
        (all, sizes) => {
          const check = new Utf8Check()
          for (let at = 0, i = 0; at < all.length; i++) {
            const size = sizes[i % sizes.length]!
            check.add(all.slice(at, at + size))
            at += size
          }
          check.end()
          expect(check.firstBad).toBe(model(all))
          expect(firstInvalid(all, 0, all.length)).toBe(Math.min(model(all), all.length))
        },
      ),
      { numRuns: 2000 },
    )
  })
})
