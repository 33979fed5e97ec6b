// The order of keys, against the order of their bytes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareBytes, compareText, equalBytes, startsWithBytes } from './index.ts'

const bytes = fc.uint8Array({ maxLength: 12 })
/** Few letters, so common prefixes and equal strings occur. */
const near = fc.array(fc.constantFrom(0, 1, 127, 128, 255), { maxLength: 6 })
const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 8 }),
  fc.string({ unit: fc.constantFrom('a', 'é', '\ud7ff', '\ue000', '\uffff', '😀', '\u{10ffff}') }),
)

describe('compareBytes', () => {
  it.each([
    [[], [], 0],
    [[], [0], -1],
    [[1], [1, 0], -1],
    [[2], [1, 9], 1],
    [[127], [128], -1],
    [[255], [0], 1],
  ])('%j and %j: %d', (a, b, sign) => {
    expect(Math.sign(compareBytes(Uint8Array.from(a), Uint8Array.from(b)))).toBe(sign)
    expect(Math.sign(compareBytes(Uint8Array.from(b), Uint8Array.from(a)))).toBe(0 - sign)
  })

  it('is the order of memcmp', () => {
    fc.assert(
      fc.property(fc.oneof(near, bytes), fc.oneof(near, bytes), (a, b) => {
        const [x, y] = [Uint8Array.from(a), Uint8Array.from(b)]
        expect(Math.sign(compareBytes(x, y))).toBe(Buffer.compare(x, y))
        expect(equalBytes(x, y)).toBe(Buffer.compare(x, y) === 0)
        const [text, prefix] = [x, y].map((one) => Buffer.from(one).toString('latin1'))
        expect(startsWithBytes(x, y)).toBe(text!.startsWith(prefix!))
        expect(startsWithBytes(x, y, 2)).toBe(x.length >= 2 && text!.slice(2).startsWith(prefix!))
      }),
    )
  })
})

describe('compareText', () => {
  it('is the order of the UTF-8 bytes of well-formed strings', () => {
    fc.assert(
      fc.property(text, text, (a, b) => {
        const [x, y] = [new TextEncoder().encode(a), new TextEncoder().encode(b)]
        expect(Math.sign(compareText(a, b))).toBe(Buffer.compare(x, y))
      }),
    )
  })

  it('is not the order of JavaScript for surrogates and the end of the first plane', () => {
    expect('\uffff' < '😀').toBe(false)
    expect(compareText('\uffff', '😀')).toBeLessThan(0)
    expect(compareText('\ue000', '\u{10000}')).toBeLessThan(0)
    expect(compareText('\ud7ff', '\ue000')).toBeLessThan(0)
  })

  it('orders any strings, lone surrogates too', () => {
    const any = fc.string({ unit: fc.constantFrom('a', '\ud800', '\udbff', '\udc00', '\uffff') })
    fc.assert(
      fc.property(any, any, any, (a, b, c) => {
        expect(compareText(a, b) === 0).toBe(a === b)
        expect(Math.sign(compareText(b, a))).toBe(0 - Math.sign(compareText(a, b)))
        if (compareText(a, b) <= 0 && compareText(b, c) <= 0) {
          expect(compareText(a, c)).toBeLessThanOrEqual(0)
        }
      }),
    )
    expect(compareText('\ud800', '\uffff')).toBeGreaterThan(0)
  })
})
