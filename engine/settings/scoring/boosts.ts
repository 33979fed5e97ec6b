// Factors for the scores of hits, which searches use that send none of their own.
import {
  anything,
  either,
  listUpTo,
  number,
  object,
  oneOf,
  part,
  text,
} from '../../../format/schema/index.ts'
import {
  BOOST_FUNCTIONS,
  BOOST_SHAPES,
  type Boost,
  type BoostPlace,
  EngineFault,
} from '../../model/index.ts'
import { replace, setting } from '../schema/index.ts'

/** Each boost is computed for every document of a bucket, so many of them would be slow. */
export const BOOSTS_MAX = 20

const ADVICE =
  `send at most ${BOOSTS_MAX} objects: \`{"filter": …, "weight": …}\`, ` +
  '`{"field": …, "function": "log", "saturation" or "linear"}` or ' +
  '`{"field": …, "shape": "exp", "gauss" or "linear", "origin": …, "scale": …}`.'

export const boosts = setting<readonly Boost[]>()({
  code: 'invalid_settings_boosts',
  advice: ADVICE,
  change: 'whole',
  default: [],
  stored: listUpTo(
    BOOSTS_MAX,
    part<Boost>({
      filter: anything,
      field: text,
      function: oneOf(BOOST_FUNCTIONS),
      factor: number,
      pivot: number,
      shape: oneOf(BOOST_SHAPES),
      origin: either(number, text, object<BoostPlace>({ lat: number, lng: number })),
      scale: number,
      offset: number,
      decay: number,
      weight: number,
    }),
  ),
  merge: replace,
  check(patch) {
    for (const [at, boost] of patch.entries()) {
      const problem = boostProblem(boost)
      if (problem !== null) {
        throw new EngineFault('invalid_settings_boosts', `\`boosts[${at}]\`: ${problem}`)
      }
    }
  },
  isLeftOutUnlessSet: true,
})

type Name = keyof Boost
type Kind = { readonly needed: readonly Name[]; readonly allowed: readonly Name[] }

const FILTER: Kind = { needed: ['filter', 'weight'], allowed: [] }
const SHAPE: Kind = {
  needed: ['field', 'shape', 'origin', 'scale'],
  allowed: ['offset', 'decay', 'weight'],
}
const OF_FUNCTION: { readonly [F in (typeof BOOST_FUNCTIONS)[number]]: Kind } = {
  log: { needed: ['field', 'function'], allowed: ['factor', 'weight'] },
  saturation: { needed: ['field', 'function', 'pivot'], allowed: ['weight'] },
  linear: { needed: ['field', 'function'], allowed: ['factor', 'weight'] },
}

/** Returns the reason why a boost is refused, as a sentence, or null. */
export function boostProblem(boost: Boost): string | null {
  const kind = kindOf(boost)
  if (kind === null) return 'expected `filter`, or `field` with one of `function` and `shape`.'
  const missing = kind.needed.find((name) => boost[name] === undefined)
  if (missing !== undefined) return `\`${missing}\` is missing.`
  const known = new Set([...kind.needed, ...kind.allowed])
  const odd = (Object.keys(boost) as Name[]).find((name) => !known.has(name))
  if (odd !== undefined) {
    return `\`${odd}\` does not belong here, expected one of ${[...known].map((name) => `\`${name}\``).join(', ')}.`
  }
  return numberProblem(boost) ?? originProblem(boost)
}

function kindOf(boost: Boost): Kind | null {
  if (boost.filter !== undefined) return FILTER
  if (boost.function !== undefined) return OF_FUNCTION[boost.function]
  return boost.shape === undefined ? null : SHAPE
}

type Bounds = { readonly allows: (value: number) => boolean; readonly words: string }

const NOT_NEGATIVE: Bounds = { allows: (value) => value >= 0, words: 'of 0 or more' }
const POSITIVE: Bounds = { allows: (value) => value > 0, words: 'above 0' }
const AT_LEAST_ONE: Bounds = { allows: (value) => value >= 1, words: 'of 1 or more' }
const FRACTION: Bounds = { allows: (value) => value > 0 && value < 1, words: 'between 0 and 1' }

function numberProblem(boost: Boost): string | null {
  const bounds: readonly (readonly [Name, Bounds])[] = [
    ['weight', NOT_NEGATIVE],
    // The logarithm of a smaller one is negative.
    ['factor', boost.function === 'log' ? AT_LEAST_ONE : NOT_NEGATIVE],
    ['pivot', POSITIVE],
    ['scale', POSITIVE],
    ['offset', NOT_NEGATIVE],
    ['decay', FRACTION],
  ]
  for (const [name, { allows, words }] of bounds) {
    const value = boost[name]
    if (typeof value !== 'number' || (Number.isFinite(value) && allows(value))) continue
    return `\`${name}\` is invalid, expected a finite number ${words}.`
  }
  return null
}

/** The syntax of dates is checked where requests are read. */
function originProblem({ field, function: named, origin }: Boost): string | null {
  if (named !== undefined) {
    return field === '_geo'
      ? '`_geo` has no numbers, expected `shape` instead of `function`.'
      : null
  }
  if (origin === undefined) return null
  if (typeof origin === 'object') {
    if (field !== '_geo') return '`origin` is a place, so `field` has to be `_geo`.'
    const { lat, lng } = origin
    const isPlace = Math.abs(lat) <= 90 && Math.abs(lng) <= 180
    return isPlace
      ? null
      : '`origin` is invalid, expected `lat` from -90 to 90 and `lng` from -180 to 180.'
  }
  return field === '_geo' ? '`origin` of `_geo` has to be `{"lat": …, "lng": …}`.' : null
}
