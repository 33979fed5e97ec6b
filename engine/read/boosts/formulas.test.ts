// The formulas, compared with values that were computed from their definitions in the manual of
// Elasticsearch (`rank_feature`, decay functions of `function_score`).
import { describe, expect, it } from 'vitest'
import { type Boost, wholeSecond } from '../../model/index.ts'
import { decayOf, functionOf } from './formulas.ts'

/** ln 11 and ln 1003, to 15 digits. */
const LN_11 = 2.39789527279837
const LN_1003 = 6.91075078796194

const FUNCTIONS: readonly (readonly [Boost, value: number, factor: number])[] = [
  [{ function: 'log' }, 0, 0],
  [{ function: 'log' }, 1, Math.LN2],
  [{ function: 'log' }, 10, LN_11],
  [{ function: 'log', factor: 3 }, 1000, LN_1003],
  [{ function: 'log', factor: 11 }, -5, LN_11],
  [{ function: 'saturation', pivot: 8 }, 8, 0.5],
  [{ function: 'saturation', pivot: 8 }, 24, 0.75],
  [{ function: 'saturation', pivot: 8 }, 0, 0],
  [{ function: 'saturation', pivot: 8 }, -3, 0],
  [{ function: 'saturation', pivot: 8 }, Number.MAX_VALUE, 1],
  [{ function: 'linear' }, 12.5, 12.5],
  [{ function: 'linear', factor: 0.25 }, 12, 3],
  [{ function: 'linear', factor: 2 }, -1, 0],
  [{ function: 'linear', factor: 2 }, Number.MAX_VALUE, Number.MAX_VALUE],
]

const QUARTER = { scale: 10, offset: 2, decay: 0.25 } as const
const DECAYS: readonly (readonly [Boost, distance: number, factor: number])[] = [
  [{ shape: 'exp', scale: 10 }, 0, 1],
  [{ shape: 'exp', scale: 10 }, 10, 0.5],
  [{ shape: 'exp', scale: 10 }, 30, 0.125],
  [{ shape: 'exp', ...QUARTER }, 2, 1],
  [{ shape: 'exp', ...QUARTER }, 7, 0.5],
  [{ shape: 'exp', ...QUARTER }, 12, 0.25],
  [{ shape: 'gauss', scale: 10 }, 10, 0.5],
  [{ shape: 'gauss', scale: 10 }, 20, 0.0625],
  [{ shape: 'gauss', ...QUARTER }, 1.5, 1],
  [{ shape: 'gauss', ...QUARTER }, 7, Math.SQRT1_2],
  [{ shape: 'gauss', ...QUARTER }, 12, 0.25],
  [{ shape: 'linear', scale: 10 }, 5, 0.75],
  [{ shape: 'linear', scale: 10 }, 10, 0.5],
  [{ shape: 'linear', scale: 10 }, 20, 0],
  [{ shape: 'linear', scale: 10 }, 1000, 0],
  [{ shape: 'linear', ...QUARTER }, 12, 0.25],
  [{ shape: 'linear', ...QUARTER }, 10, 0.4],
]

describe('formulas', () => {
  it('of values', () => {
    for (const [boost, value, factor] of FUNCTIONS) {
      const found = functionOf(boost)(value)
      expect(Math.abs(found - factor) <= 1e-9 * Math.max(1, factor)).toBe(true)
    }
  })

  it('of distances', () => {
    for (const [boost, distance, factor] of DECAYS) {
      expect(Math.abs(decayOf(boost)(distance) - factor)).toBeLessThan(1e-9)
    }
  })

  it('never grow with the distance', () => {
    for (const [boost] of DECAYS) {
      const factorOf = decayOf(boost)
      let before = factorOf(0)
      for (let distance = 0; distance < 40; distance += 0.25) {
        const factor = factorOf(distance)
        expect(factor).toBeLessThanOrEqual(before)
        before = factor
      }
    }
  })
})

it('the moment of searches is the second in which they arrive', () => {
  expect([0, 999, 1000, 1_700_000_000_999].map(wholeSecond)).toEqual([
    0, 0, 1000, 1_700_000_000_000,
  ])
})
