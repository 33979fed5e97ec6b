// Boosts as clients send and read them: factors for the scores of hits. Which members belong
// together is checked by `boostProblem` in `engine/settings`.

export const BOOST_FUNCTIONS = ['log', 'saturation', 'linear'] as const
export const BOOST_SHAPES = ['exp', 'gauss', 'linear'] as const

/**
 * One of three kinds: `filter`, `field` with `function`, or `field` with `shape`. Formulas:
 * docs/search-semantics.md#boosts
 */
export type Boost = {
  /** In any form of a search's filter. */
  readonly filter?: unknown
  readonly field?: string
  readonly function?: (typeof BOOST_FUNCTIONS)[number]
  /** Of `linear`: multiplies the value. Of `log`: is added to the value. */
  readonly factor?: number
  /** Of `saturation`: the value with half of the weight. */
  readonly pivot?: number
  readonly shape?: (typeof BOOST_SHAPES)[number]
  /** A number, an RFC 3339 text, `now`, or a place. */
  readonly origin?: number | string | BoostPlace
  /** Distance from the origin at which the factor is `decay`: seconds of dates, metres of places. */
  readonly scale?: number
  /** Distance without decay. */
  readonly offset?: number
  readonly decay?: number
  readonly weight?: number
}

export type BoostPlace = { readonly lat: number; readonly lng: number }

/**
 * Returns the moment that `now` means in searches: they share their factors for a second. Both are
 * in milliseconds since 1970.
 */
export const wholeSecond = (now: number): number => now - (now % 1000)
