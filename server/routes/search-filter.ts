// The filter that a caller's token adds to a search. Both hold: they are turned into lists, whose
// elements all have to match, and joined.
import type { Caller } from '../http/index.ts'

/** The same search; narrowed where the caller is. */
export function withCallersFilter<S extends { readonly filter: unknown }>(
  asked: S,
  { filterOf }: Caller,
  indexUid: string,
): S {
  const filter = filterOf === null ? null : filterOf(indexUid)
  return filter === null ? asked : { ...asked, filter: joined(asked.filter, filter) }
}

const joined = (asked: unknown, added: unknown): unknown => {
  if (asked === null) return typeof added === 'string' ? [added] : added
  return [...elements(asked), ...elements(added)]
}

const elements = (filter: unknown): readonly unknown[] =>
  Array.isArray(filter) ? filter : [filter]
