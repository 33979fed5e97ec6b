// Which boosts are refused, and why.
import { describe, expect, it } from 'vitest'
import { isValid } from '../../../format/schema/index.ts'
import { type Boost, EngineFault } from '../../model/index.ts'
import { BOOSTS_MAX, boostProblem, boosts } from './boosts.ts'

const DECAY = { field: 'age', shape: 'gauss', origin: 3, scale: 2 } as const
const PLACE = { ...DECAY, field: '_geo', origin: { lat: 1, lng: 2 } } as const

const ACCEPTED: readonly Boost[] = [
  { filter: 'a = 1', weight: 0 },
  { field: 'a', function: 'log' },
  { field: 'a', function: 'log', factor: 1, weight: 2 },
  { field: 'a', function: 'saturation', pivot: 0.5 },
  { field: 'a', function: 'linear', factor: 0 },
  DECAY,
  { ...DECAY, origin: 'now', offset: 0, decay: 0.99, weight: 0 },
  PLACE,
]

const REFUSED: readonly (readonly [Boost, string])[] = [
  [{}, 'expected `filter`'],
  [{ field: 'a' }, 'expected `filter`'],
  [{ filter: 'a = 1' }, '`weight` is missing'],
  [{ filter: 'a = 1', weight: 1, field: 'a' }, '`field` does not belong here'],
  [{ filter: 'a = 1', weight: -1 }, '`weight` is invalid'],
  [{ filter: 'a = 1', weight: Number.POSITIVE_INFINITY }, '`weight` is invalid'],
  [{ function: 'log' }, '`field` is missing'],
  [{ field: 'a', function: 'log', factor: 0.5 }, '`factor` is invalid'],
  [{ field: 'a', function: 'log', pivot: 1 }, '`pivot` does not belong here'],
  [{ field: 'a', function: 'saturation' }, '`pivot` is missing'],
  [{ field: 'a', function: 'saturation', pivot: 0 }, '`pivot` is invalid'],
  [{ field: '_geo', function: 'linear' }, '`_geo` has no numbers'],
  [{ field: 'a', shape: 'exp', scale: 1 }, '`origin` is missing'],
  [{ ...DECAY, scale: 0 }, '`scale` is invalid'],
  [{ ...DECAY, offset: -1 }, '`offset` is invalid'],
  [{ ...DECAY, decay: 1 }, '`decay` is invalid'],
  [{ ...DECAY, origin: PLACE.origin }, '`field` has to be `_geo`'],
  [{ ...PLACE, origin: 1 }, '`origin` of `_geo` has to be'],
  [{ ...PLACE, origin: { lat: 91, lng: 0 } }, '`origin` is invalid'],
]

describe('boosts', () => {
  it('of each kind are accepted', () => {
    for (const boost of ACCEPTED) expect(boostProblem(boost)).toBeNull()
    expect(isValid(boosts.stored, ACCEPTED)).toBe(true)
    expect(isValid(boosts.stored, Array(BOOSTS_MAX + 1).fill(DECAY))).toBe(false)
  })

  it('are refused with the member that is wrong', () => {
    for (const [boost, problem] of REFUSED) expect(boostProblem(boost)).toContain(problem)
  })

  it('are replaced as a whole', () => {
    const before: readonly Boost[] = [{ filter: 'a = 1', weight: 2 }]
    expect(boosts.merge(before, [DECAY], undefined as never)).toEqual([DECAY])
    expect(boosts.merge(before, [], undefined as never)).toEqual([])
    expect(boosts.default).toEqual([])
  })

  it('take the borders of each number', () => {
    const allows = (boost: Boost): boolean => boostProblem(boost) === null
    for (const weight of [0, 1, Number.MAX_VALUE]) expect(allows({ ...DECAY, weight })).toBe(true)
    for (const decay of [0, 1, Number.NaN]) expect(allows({ ...DECAY, decay })).toBe(false)
  })

  it('are refused with their position', () => {
    for (const [boost, problem] of REFUSED) {
      const check = () => boosts.check?.([DECAY, boost])
      expect(check).toThrow(EngineFault)
      expect(check).toThrow(`\`boosts[1]\`: `)
      expect(check).toThrow(problem)
    }
  })
})
