// How exactly searches evaluate the distance between words.
import { oneOf } from '../../../format/schema/index.ts'
import { replace, setting } from '../schema/index.ts'

export const PROXIMITY_PRECISIONS = ['byWord', 'byAttribute'] as const
export type ProximityPrecision = (typeof PROXIMITY_PRECISIONS)[number]

export const proximityPrecision = setting<ProximityPrecision>()({
  code: 'invalid_settings_proximity_precision',
  advice: 'send `byWord` or `byAttribute`.',
  change: 'whole',
  default: 'byWord',
  stored: oneOf(PROXIMITY_PRECISIONS),
  merge: replace,
})
