// `sort` in a query string: a comma list in which a point keeps its comma.
import * as json from '../../../format/schema/index.ts'
import type { ParameterReader } from './query.ts'
import { withSchema } from './reader-schemas.ts'

const POINT = '_geoPoint('

/** Returns trimmed entries; `_geoPoint(48.8, 2.3):asc` is one. Empty entries stay. */
export const rawSort: ParameterReader<readonly string[]> = (raw) => {
  const entries: string[] = []
  // The pieces of a point that is not closed yet.
  let open: string[] = []
  for (const piece of raw.split(',')) {
    const isFirst = open.length === 0
    open.push(isFirst ? piece.trim() : piece.trimEnd())
    if ((isFirst && !open[0]!.startsWith(POINT)) || piece.includes(')')) {
      entries.push(open.join(','))
      open = []
    }
  }
  if (open.length > 0) entries.push(open.join(','))
  return entries
}

withSchema(rawSort, () => json.texts)
