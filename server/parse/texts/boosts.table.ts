// The texts about the members of a boost, in a search and in the settings.
import type { Texts } from './text.ts'

export const BOOST_TEXTS: Texts = {
  filter: 'Documents that pass this filter have the factor `weight`. All others have the factor 1.',
  field: 'The filterable or sortable field whose value determines the factor; `_geo` for places.',
  function:
    'How the number `v` of the field becomes a factor: `log` is ln(factor + v), `saturation` v / (v + pivot), `linear` factor · v.',
  factor:
    'With `log`, the number that is added to the value. With `linear`, the multiplier of the value. 1 if absent.',
  pivot: 'With `saturation`, the value at which the factor is half of `weight`.',
  shape: 'How the factor falls with the distance of the value from `origin`.',
  origin: {
    about:
      'The value with the full factor: a number, a date of RFC 3339, `now`, or a place for `_geo`.',
    members: { lat: 'Latitude in degrees.', lng: 'Longitude in degrees.' },
  },
  scale:
    'The distance at which the factor is `decay`, measured from the end of `offset`: seconds for dates, metres for places.',
  offset: 'The distance from `origin` up to which the factor is full. 0 if absent.',
  decay: 'The factor at the distance `scale`, between 0 and 1. 0.5 if absent.',
  weight:
    'A multiplier of the factor, 0 or more. 1 if absent. A filter with the weight 0 hides its documents.',
}
