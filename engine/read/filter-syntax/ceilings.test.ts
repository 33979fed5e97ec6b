// Filters that exceed a limit are refused with its name while they are parsed.
import { describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { parseFilter } from '../filter/input.ts'
import {
  CONDITIONS_MAX,
  CORNERS_MAX,
  LISTED_VALUES_MAX,
  PART_UNITS_MAX,
  PLACES_MAX,
  VALUE_UNITS_MAX,
} from './limits.ts'
import { filterWording } from './wording.ts'

const input = {
  wording: filterWording('search', 'parsing', asIndexUid('x')),
  features: { containsFilter: true, foreignKeys: true, multimodal: true, network: true },
  takesForeign: true,
}
const many = (part: string, count: number, joint: string): string =>
  `${(part + joint).repeat(count - 1)}${part}`

/** A filter at its limit, and the name of the limit in the fault of one more. */
const CASES: readonly (readonly [string, number, (count: number) => unknown])[] = [
  ['conditions', CONDITIONS_MAX, (count) => many('a = 1', count, ' OR ')],
  ['conditions', CONDITIONS_MAX, (count) => [Array<string>(count).fill('a = 1')]],
  ['conditions', CONDITIONS_MAX, (count) => Array<string>(count).fill('NOT a = 1')],
  ['`IN` values', LISTED_VALUES_MAX, (count) => [`a IN [${many('1', count, ',')}]`]],
  ['geo conditions', PLACES_MAX, (count) => many('_geoRadius(1, 2, 3)', count, ' OR ')],
  [
    'geo conditions',
    PLACES_MAX,
    (count) => many('_geoBoundingBox([2, 2], [1, 1])', count, ' AND '),
  ],
  ['corners of polygons', CORNERS_MAX, (count) => `_geoPolygon(${many('[1, 2]', count, ',')})`],
  [
    'characters to look for with `CONTAINS`',
    PART_UNITS_MAX,
    (count) => `a CONTAINS xx OR a CONTAINS ${'x'.repeat(count - 2)}`,
  ],
  ['characters in one value', VALUE_UNITS_MAX, (count) => `a = ${'x'.repeat(count)}`],
  ['characters in one value', VALUE_UNITS_MAX, (count) => `a = '${'é'.repeat(count)}'`],
  ['characters in one value', VALUE_UNITS_MAX, (count) => `a > ${'1'.repeat(count)}`],
]

describe('a filter', () => {
  it.each(CASES)('has at most so many %s: %i', (what, most, filterOf) => {
    expect(parseFilter(filterOf(most), input)).not.toBeNull()
    expect(() => parseFilter(filterOf(most + 1), input)).toThrow(
      `The filter has more than ${most} ${what}, the most that one filter may have.`,
    )
  })

  it.each([
    ['conditions', many('a = 1', 5000, ' OR ')],
    ['values', `a IN [${many('1', 5000, ',')}]`],
    ['expressions', Array<string>(5000).fill('a = 1')],
  ])('ends while it is read when its time is up: many %s', (_what, filter) => {
    let looks = 0
    const checkpoint = (): void => {
      if (++looks === 3) throw new Error('time is up')
    }
    expect(() => parseFilter(filter, { ...input, checkpoint })).toThrow('time is up')
  })

  it('counts all its expressions together', () => {
    const half = many('a = 1', CONDITIONS_MAX / 2, ' OR ')
    expect(parseFilter([half, half], input)).not.toBeNull()
    expect(() => parseFilter([half, [half, 'a = 1']], input)).toThrow('conditions')
  })
})
