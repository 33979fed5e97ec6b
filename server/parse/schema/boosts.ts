// Boosts of a search and of the settings: factors for the scores of hits.
import {
  BOOST_FUNCTIONS,
  BOOST_SHAPES,
  BOOSTS_MAX,
  type Boost,
  type BoostPlace,
  boostProblem,
} from '../../../engine/index.ts'
import * as json from '../../../format/schema/index.ts'
import { checkedFilter } from './checked-filter.ts'
import { momentOf, momentProblem } from './date-time.ts'
import { isJsonObject } from './json-value.ts'
import { type Member, member, object, required } from './object-schemas.ts'
import {
  checked,
  float,
  invalid,
  listUpTo,
  nullable,
  oneOf,
  readable,
  readerOf,
  type Schema,
  text,
} from './schemas.ts'

const place: Schema<BoostPlace> = object<BoostPlace>({
  lat: required(float, null),
  lng: required(float, null),
})
const moment: Schema<string> = checked(text, (found) => {
  if (found === 'now' || momentOf(found, 'before') !== null) return found
  throw invalid(`${momentProblem(found)} \`now\` stands for the moment of the search.`)
})
const readPlace = readerOf(place)
const readMoment = readerOf(moment)
const readNumber = readerOf(float)
type Origin = NonNullable<Boost['origin']>
const origin: Schema<Origin> = readable(
  json.either(
    json.number,
    json.text,
    json.object<BoostPlace>({ lat: json.number, lng: json.number }),
  ),
  (value): Origin => {
    if (isJsonObject(value)) return readPlace(value)
    return typeof value === 'string' ? readMoment(value) : readNumber(value)
  },
)

const orAbsent = <T>(schema: Schema<T>): Member<T | null> => member(nullable(schema), null, null)

type FlatBoost = { readonly [K in keyof Boost]-?: Exclude<Boost[K], undefined> | null }

/** The members depend on each other. */
const boost: Schema<Boost> = checked(
  object<FlatBoost>({
    filter: orAbsent(checkedFilter),
    field: orAbsent(text),
    function: orAbsent(oneOf(BOOST_FUNCTIONS)),
    factor: orAbsent(float),
    pivot: orAbsent(float),
    shape: orAbsent(oneOf(BOOST_SHAPES)),
    origin: orAbsent(origin),
    scale: orAbsent(float),
    offset: orAbsent(float),
    decay: orAbsent(float),
    weight: orAbsent(float),
  }),
  (flat) => {
    const sent = Object.entries(flat).filter(([, value]) => value !== null)
    const found: Boost = Object.fromEntries(sent)
    const problem = boostProblem(found)
    if (problem !== null) throw invalid(problem)
    return found
  },
)

export const boosts: Schema<readonly Boost[]> = listUpTo(BOOSTS_MAX, 'boosts', boost)
