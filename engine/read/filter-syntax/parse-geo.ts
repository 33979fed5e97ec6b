// Parses geo forms: _geoRadius(lat, lng, metres[, resolution]), _geoBoundingBox([lat, lng], [lat,
// lng]) and _geoPolygon([lat, lng], …). Numbers are checked when the filter runs.
import { fault, number, type Reader, skip, take } from './reader.ts'
import type { FilterTree, GeoPoint, Token } from './tree.ts'

/** First word of a form → its parser, which starts at that word. */
export const GEO_FORMS: ReadonlyMap<string, (reader: Reader) => FilterTree> = new Map([
  ['_geoRadius', radius],
  ['_geoBoundingBox', box],
  ['_geoPolygon', polygon],
])

const POINTS_MIN = 3

function radius(reader: Reader): FilterTree {
  reader.at += '_geoRadius'.length
  const found = listOf(reader, '(', number, ')')
  if (found === null) {
    const form = '`_geoRadius(latitude, longitude, radius, optionalResolution)`'
    throw fault(reader, `The \`_geoRadius\` filter must be in the form: ${form}.`, reader.at)
  }
  const [latitude, longitude, metres, resolution] = found
  if (latitude && longitude && metres && found.length <= 4) {
    return {
      kind: 'geoRadius',
      path: reader.path,
      latitude,
      longitude,
      metres,
      resolution: resolution ?? null,
    }
  }
  const count = found.length
  const sentence = `Was expecting 3 or 4 arguments for \`_geoRadius\`, but instead found ${count}.`
  throw fault(reader, sentence, reader.at)
}

function box(reader: Reader): FilterTree {
  reader.at += '_geoBoundingBox'.length
  const found = listOf(reader, '(', coordinates, ')')
  if (found?.length !== 2) {
    const form = '`_geoBoundingBox([latitude, longitude], [latitude, longitude])`'
    const sentence = `The \`_geoBoundingBox\` filter expects two pairs of arguments: ${form}.`
    throw fault(reader, sentence, reader.at)
  }
  const [topRight, bottomLeft] = found.map((point) => pair(reader, point))
  return { kind: 'geoBox', path: reader.path, topRight: topRight!, bottomLeft: bottomLeft! }
}

function polygon(reader: Reader): FilterTree {
  reader.at += '_geoPolygon'.length
  const found = listOf(reader, '(', coordinates, ')', ',')
  if (found === null) {
    const form = '`_geoPolygon([latitude, longitude], [latitude, longitude])`'
    const sentence = `The \`_geoPolygon\` filter doesn't match the expected format: ${form}.`
    throw fault(reader, sentence, reader.at)
  }
  const points = found.map((point) => pair(reader, point))
  if (points.length >= POINTS_MIN) return { kind: 'geoPolygon', path: reader.path, points }
  const sentence =
    `The \`_geoPolygon\` filter expects at least ${POINTS_MIN} points ` +
    `but only ${points.length} were specified`
  const last = points[points.length - 1]![1]
  throw fault(reader, sentence, last.from, last.to)
}

function pair(reader: Reader, numbers: readonly Token[]): GeoPoint {
  const [latitude, longitude] = numbers
  if (latitude && longitude && numbers.length === 2) return [latitude, longitude]
  const first = numbers[0]!
  const sentence = `Was expecting 2 coordinates but instead found ${numbers.length}.`
  throw fault(reader, sentence, first.from, first.to)
}

function coordinates(reader: Reader): readonly Token[] | null {
  skip(reader)
  const numbers = listOf(reader, '[', number, ']')
  if (numbers !== null) skip(reader)
  return numbers
}

/**
 * Reads one or more items between `open` and `close`, separated by commas; `last` may precede
 * `close`. Returns null if the form is violated: the reader is then at the first unexpected
 * character; for an unexpected item that is the comma before it.
 */
function listOf<T>(
  reader: Reader,
  open: string,
  item: (reader: Reader) => T | null,
  close: string,
  last?: string,
): readonly T[] | null {
  if (!take(reader, open)) return null
  const items: T[] = []
  for (;;) {
    const start = reader.at
    if (items.length > 0 && !take(reader, ',')) break
    const found = item(reader)
    if (found === null) {
      if (items.length === 0) return null
      reader.at = start
      break
    }
    items.push(found)
  }
  if (last !== undefined) take(reader, last)
  skip(reader)
  return take(reader, close) ? items : null
}
