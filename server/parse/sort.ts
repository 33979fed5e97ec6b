// `sort` in a query string: a comma list in which a point keeps its own comma.
import type { ParameterKind } from './query.ts'
import { shaped } from './shape.ts'

const POINT = '_geoPoint('

/**
 * Entries without the blanks around them; `_geoPoint(48.8, 2.3):asc` is one. Empty entries stay.
 */
export const rawSort: ParameterKind<readonly string[]> = (raw) => {
  const entries: string[] = []
  let open: string | null = null
  for (const piece of raw.split(',')) {
    const entry: string = open === null ? piece.trim() : `${open},${piece.trimEnd()}`
    open = entry.startsWith(POINT) && !entry.includes(')') ? entry : null
    if (open === null) entries.push(entry)
  }
  if (open !== null) entries.push(open)
  return entries
}

shaped(rawSort, () => ({ type: 'array', items: { type: 'string' } }))
