// Seeded numbers, on which the seeds in other tests rely, and the salt of logs.
import { expect, it } from 'vitest'
import { drawLogSalt, randomOf } from './index.ts'

it.each([
  [0, [1684164658, 3653269916, 2939563536, 2141751570]],
  [1, [1580013426, 350525680, 3524174333, 3011703609]],
  [2 ** 32 + 1, [1580013426, 350525680, 3524174333, 3011703609]],
])('the seed %i gives the same numbers everywhere', (seed, expected) => {
  const random = randomOf(seed)
  expect([0, 0, 0, 0].map(() => random.below(2 ** 32))).toEqual(expected)
})

it('numbers are below their bound, and each occurs', () => {
  const random = randomOf(7)
  const seen = new Set(Array.from({ length: 200 }, () => random.below(6)))
  expect([...seen].sort()).toEqual([0, 1, 2, 3, 4, 5])
})

it('a salt is a u32 other than 0, of the whole range', () => {
  const salts = Array.from({ length: 200 }, drawLogSalt)
  expect(salts.every((salt) => Number.isInteger(salt) && salt > 0 && salt < 2 ** 32)).toBe(true)
  expect(Math.max(...salts)).toBeGreaterThan(2 ** 31)
  expect(new Set(salts).size).toBeGreaterThan(190)
})
