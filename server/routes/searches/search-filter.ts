// Combines a search's filter with that of the caller's token. Both apply: they become lists, whose
// elements all have to match, and are joined.

import type { SearchRequest } from '../../../engine/index.ts'
import { BRACKET, encoder } from '../../../format/bytes/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import type { Caller } from '../../http/messages/index.ts'

/** Returns the same search, with the caller's filter if it has one. */
export function withCallersFilter<S extends { readonly filter: unknown }>(
  search: S,
  { filterOf }: Caller,
  indexUid: IndexUid,
): S {
  const filter = filterOf === null ? null : filterOf(indexUid)
  return filter === null ? search : { ...search, filter: joined(search.filter, filter) }
}

/**
 * As `withCallersFilter`. Disjunctive facets never leave out the caller's filter, which ends the
 * list. `callerFilters`: filters there that another instance has joined.
 */
export function narrowedSearch(
  search: SearchRequest,
  { filterOf }: Caller,
  indexUid: IndexUid,
  callerFilters = 0,
): SearchRequest {
  const filter = filterOf === null ? null : filterOf(indexUid)
  if (filter === null) return callerFilters === 0 ? search : { ...search, callerFilters }
  const added = elements(filter).length
  return { ...search, filter: joined(search.filter, filter), callerFilters: callerFilters + added }
}

const joined = (filter: unknown, added: unknown): unknown => {
  if (filter instanceof Uint8Array) return joinedText(filter, added)
  if (filter === null) return typeof added === 'string' ? [added] : added
  return [...elements(filter), ...elements(added)]
}

const elements = (filter: unknown): readonly unknown[] =>
  Array.isArray(filter) ? filter : [filter]

/** The same for a large filter, which is the bytes of its JSON text without white space. */
const joinedText = (filter: Uint8Array, added: unknown): Uint8Array => {
  const sent = filter[0] === BRACKET ? filter.subarray(1, -1) : filter
  const own = JSON.stringify(elements(added)).slice(1, -1)
  const more = own === '' || sent.length === 0 ? own : `,${own}`
  return Buffer.concat([encoder.encode('['), sent, encoder.encode(`${more}]`)])
}
