// Longer copies of typed arrays keep their class and their elements; the original does not change.

import { expect, it } from 'vitest'
import { InvariantError } from '../errors.ts'
import { lengthened, withRoom } from './index.ts'

it.each([Uint8Array, Uint16Array, Uint32Array, Int32Array, Float64Array])('%o', (Kind) => {
  const array = Kind.of(1, 2, 200)
  const longer = lengthened(array, 5)
  expect(longer).toEqual(Kind.of(1, 2, 200, 0, 0))
  longer[0] = 7
  expect(array).toEqual(Kind.of(1, 2, 200))
  expect(lengthened(array, 3)).toEqual(array)
  expect(lengthened(array.subarray(1), 2)).toEqual(Kind.of(2, 200))
  expect(() => lengthened(array, 2)).toThrow(InvariantError)
})

it('withRoom returns the same array if it is long enough, else at least twice as many elements', () => {
  const array = Uint16Array.of(1, 2, 3)
  expect(withRoom(array, 0)).toBe(array)
  expect(withRoom(array, 3)).toBe(array)
  expect(withRoom(array, 4)).toEqual(Uint16Array.of(1, 2, 3, 0, 0, 0))
  expect(withRoom(array, 8)).toEqual(Uint16Array.of(1, 2, 3, 0, 0, 0, 0, 0))
  expect(withRoom(new Uint8Array(0), 1)).toEqual(Uint8Array.of(0))
})
