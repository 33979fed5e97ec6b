// Positions of indexes, which count from the back if they are negative.
import { expect, it } from 'vitest'
import { positionIn } from './chains.ts'

it.each([
  [3, 0n, 0],
  [3, 2n, 2],
  [3, 3n, null],
  [3, -1n, 2],
  [3, -3n, 0],
  [3, -4n, null],
  [0, 0n, null],
  [0, -1n, null],
  [3, 2n ** 63n - 1n, null],
  [3, -(2n ** 63n), null],
])('of %i places the index %i is %s', (length, index, position) => {
  expect(positionIn(length, index)).toBe(position)
})
