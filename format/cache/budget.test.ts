// One limit for several caches: the largest gives way.
import { expect, it } from 'vitest'
import { CacheBudget, type Shrinking } from './budget.ts'

class Cache implements Shrinking {
  byteLength: number
  readonly kept: number[] = []

  constructor(byteLength: number) {
    this.byteLength = byteLength
  }

  /** Entries of ten bytes: some more may go than wanted. */
  shrinkTo(bytes: number): void {
    this.kept.push(bytes)
    this.byteLength = Math.min(this.byteLength, Math.floor(bytes / 10) * 10)
  }
}

it.each<[number, readonly number[], readonly number[]]>([
  [100, [30, 70], [30, 70]],
  [99, [30, 70], [30, 60]],
  [50, [30, 70], [30, 20]],
  [25, [30, 70, 10], [10, 0, 10]],
  [0, [30, 70], [0, 0]],
])('of %i bytes, caches of %j have %j', (bytesMax, sizes, left) => {
  const budget = new CacheBudget<'a' | 'b', Cache>(bytesMax)
  for (const [at, size] of sizes.entries()) budget.add(at === 1 ? 'b' : 'a', new Cache(size))
  budget.fit()
  const { caches } = budget
  expect(caches.map(({ byteLength }) => byteLength)).toEqual(left)
  expect(budget.bytesOf('b')).toBe(left[1])
  expect(budget.bytesOf('a')).toBe(left.reduce((sum, one) => sum + one) - left[1]!)
})

it('leaves caches alone that fit', () => {
  const cache = new Cache(10)
  const budget = new CacheBudget(10)
  budget.add('a', cache)
  budget.fit()
  expect(cache.kept).toEqual([])
})
