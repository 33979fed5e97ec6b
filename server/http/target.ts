// Splits the request target into path and query. Repeated slashes are collapsed and trailing ones
// dropped; segments are decoded one by one, so an escaped slash stays inside its segment.
import { SLASH } from '../../format/bytes/index.ts'
import { decodePercent } from '../parse/schema/index.ts'
import { PATH_PARTS_MAX } from './messages/index.ts'

export type Target = {
  /** Decoded segments, or null if there are more than any route has. */
  readonly parts: readonly string[] | null
  /** Without its `?`. */
  readonly query: string
}

const ABSOLUTE = /^[a-z][a-z0-9+.-]*:\/\/[^/?#]*/i

export function readTarget(target: string): Target {
  const local = target.charCodeAt(0) === SLASH ? target : target.replace(ABSOLUTE, '')
  const hash = local.indexOf('#')
  const text = hash < 0 ? local : local.slice(0, hash)
  const mark = text.indexOf('?')
  if (mark < 0) return { parts: pathParts(text, text.length), query: '' }
  return { parts: pathParts(text, mark), query: text.slice(mark + 1) }
}

/** Returns the segments of `text` up to `end`. */
function pathParts(text: string, end: number): string[] | null {
  const parts: string[] = []
  let start = 0
  while (start < end) {
    let stop = text.indexOf('/', start)
    if (stop < 0 || stop > end) stop = end
    if (stop > start) {
      if (parts.length === PATH_PARTS_MAX) return null
      parts.push(decodePercent(text.slice(start, stop)))
    }
    start = stop + 1
  }
  return parts
}
