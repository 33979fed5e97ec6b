// The setup of all test files: the fast comparison of `toEqual` finds equal only values that
// Vitest finds equal without it; the state of a test is cheap to change.
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { isPlainlyEqual } from '../fixtures/test-equality.ts'

describe('the fast comparison', () => {
  const endless = (): object => {
    const value: { self?: object } = {}
    value.self = value
    return value
  }
  class Wrapped {
    readonly #value: number
    constructor(value: number) {
      this.#value = value
    }
    get value(): number {
      return this.#value
    }
  }

  it.each<[string, unknown, unknown]>([
    ['numbers', Number.NaN, Number.NaN],
    ['objects', { a: [1, { b: null }], c: undefined }, { c: undefined, a: [1, { b: null }] }],
    ['objects without a prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ['bytes', Uint8Array.of(1, 2), Uint8Array.of(0, 1, 2).subarray(1)],
    ['doubles', Float64Array.of(0.1, -0), Float64Array.of(0.1, -0)],
  ])('finds equal %s', (name, a, b) => {
    expect(isPlainlyEqual(a, b)).toBe(!name.includes('without'))
    expect(a).toEqual(b)
  })

  it.each<[string, unknown, unknown]>([
    ['zeros of both signs', [0], [-0]],
    ['a text and a number', ['1'], [1]],
    ['lengths', [1, 2], [1, 2, 3]],
    ['a member more', { a: 1 }, { a: 1, b: 2 }],
    ['other members', { a: undefined }, { b: undefined }],
    ['kinds of arrays', Uint8Array.of(1), Int8Array.of(1)],
    ['elements', Uint8Array.of(1, 2), Uint8Array.of(1, 3)],
    ['a hole', Array(1), [undefined]],
    ['members of an array', /a/.exec('a'), ['a']],
    ['members named by symbols', { [Symbol.iterator]: 1 }, {}],
    ['private members', new Wrapped(1), new Wrapped(2)],
    ['an object and an array', {}, []],
    ['nothing and an object', null, {}],
    ['values that contain themselves', endless(), endless()],
  ])('does not decide for %s', (_, a, b) => {
    expect([isPlainlyEqual(a, b), isPlainlyEqual(b, a)]).toEqual([false, false])
  })

  it('agrees with the comparison of Node', () => {
    const few = fc.constantFrom(0, -0, 1, '1', null, undefined)
    const anySmall = fc.anything({
      maxDepth: 2,
      maxKeys: 2,
      key: fc.constantFrom('a', 'b'),
      values: [few],
    })
    fc.assert(
      fc.property(anySmall, anySmall, (a, b) => {
        expect(isPlainlyEqual(a, b)).toBe(isDeepStrictEqual(a, b))
        expect(isPlainlyEqual(a, structuredClone(a))).toBe(true)
      }),
      { numRuns: 1000 },
    )
  })

  it('leaves the decision about other values to Vitest', () => {
    expect([1, { a: 'text' }]).toEqual([expect.any(Number), { a: expect.stringContaining('ex') }])
    expect(() => expect([1, 2]).toEqual([1, 3])).toThrow(/3/)
    expect(new Map([[1, [2]]])).toEqual(new Map([[1, [2]]]))
  })
})
