// The texts about the members of a boost, in a search and in the settings.
import type { Texts } from './text.ts'

export const BOOST_TEXTS: Texts = {
  filter: 'Documents that pass this filter get the factor `weight`; all others the factor 1.',
  field: 'The filterable or sortable field whose value makes the factor; `_geo` for places.',
  function:
    'How the number `v` of the field becomes a factor: `log` is ln(factor + v), `saturation` v / (v + pivot), `linear` factor · v.',
  factor:
    'Of `log` the number that is added to the value, of `linear` its multiplier. 1 if absent.',
  pivot: 'Of `saturation`: the value whose factor is half of `weight`.',
  shape: 'How the factor falls with the distance of the value from `origin`.',
  origin: {
    about:
      'The value with the full factor: a number, a date of RFC 3339, `now`, or a place of `_geo`.',
    members: { lat: 'Latitude in degrees.', lng: 'Longitude in degrees.' },
  },
  scale:
    'The distance from `origin`, beyond `offset`, at which the factor is `decay`: seconds for dates, metres for places.',
  offset: 'The distance up to which the factor stays full. 0 if absent.',
  decay: 'The factor at the distance `scale`: between 0 and 1. 0.5 if absent.',
  weight:
    'Multiplies the factor: 0 or more, 1 if absent. A filter with the weight 0 hides its documents.',
}
