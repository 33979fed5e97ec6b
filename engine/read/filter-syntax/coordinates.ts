// Latitudes and longitudes: their bounds, and the messages for values beyond them, shared by
// filters and sorts.
import { showFloat } from '../../text/index.ts'

/** Returns why a latitude is refused, or null. */
export const latitudeProblem = (latitude: number): string | null =>
  latitude >= -90 && latitude <= 90
    ? null
    : `Bad latitude \`${showFloat(latitude)}\`. ` +
      'Latitude must be contained between -90 and 90 degrees.'

/**
 * Returns why a longitude is refused, or null. The message suggests the same meridian within
 * bounds.
 */
export const longitudeProblem = (longitude: number): string | null =>
  longitude >= -180 && longitude <= 180
    ? null
    : `Bad longitude \`${showFloat(longitude)}\`. ` +
      'Longitude must be contained between -180 and 180 degrees. ' +
      `Hint: try using \`${showFloat(wrapped(longitude))}\` instead.`

const wrapped = (longitude: number): number => ((((longitude + 180) % 360) + 360) % 360) - 180
