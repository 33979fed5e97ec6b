// The order of eviction and the sum of costs, against a list.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { LruCache } from './lru-cache.ts'

it('evicts the least recently used value', () => {
  const cache = new LruCache<string, number>(2)
  expect(cache.set('a', 1)).toEqual([])
  expect(cache.set('b', 2)).toEqual([])
  expect(cache.get('a')).toBe(1)
  expect(cache.set('c', 3)).toEqual([2])
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3])
})

it('does not hold a value that costs more than the limit', () => {
  const cache = new LruCache<string, string>(10)
  cache.set('small', 'x', 4)
  expect(cache.set('large', 'y', 11)).toEqual(['x', 'y'])
  expect(cache.cost).toBe(0)
})

it('counts costs like a list in order of use', () => {
  const steps = fc.array(
    fc.tuple(fc.constantFrom('get', 'set', 'delete', 'drop'), fc.nat(5), fc.nat(6)),
  )
  fc.assert(
    fc.property(steps, (all) => {
      const cache = new LruCache<number, number>(12)
      let model: { key: number; cost: number }[] = []
      for (const [step, key, cost] of all) {
        const entry = model.find((one) => one.key === key)
        if (step === 'drop') {
          cache.drop((value) => value === key)
          model = model.filter((one) => one.key !== key)
          continue
        }
        model = model.filter((one) => one.key !== key)
        if (step === 'get') {
          expect(cache.get(key)).toBe(entry?.key)
          if (entry !== undefined) model.push(entry)
        } else if (step === 'delete') {
          cache.delete(key)
        } else {
          cache.set(key, key, cost)
          model.push({ key, cost })
          while (model.reduce((sum, one) => sum + one.cost, 0) > 12) model.shift()
        }
        expect(cache.cost).toBe(model.reduce((sum, one) => sum + one.cost, 0))
      }
    }),
  )
})
