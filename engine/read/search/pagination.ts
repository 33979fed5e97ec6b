// Which hits of a ranking make the page, and what the answer says of pages · search semantics
// §10.3.
import type { SearchRequest } from '../../model/index.ts'
import type { Window } from '../rank/index.ts'

/** The part of a request that says which hits. */
export type Paging = Pick<SearchRequest, 'offset' | 'limit' | 'page' | 'hitsPerPage'>

const HITS_PER_PAGE_DEFAULT = 20

/** The part of the ranking to give out; nothing beyond the first `totalMax` hits can be reached. */
export function windowOf(request: Paging, totalMax: number): Window {
  const finite = isPaged(request)
  let { offset, limit } = request
  if (finite) {
    const page = request.page ?? 1
    limit = page === 0 ? 0 : hitsPerPage(request)
    offset = Math.max(0, page - 1) * limit
  }
  offset = Math.min(offset, totalMax)
  return { offset, limit: Math.min(limit, totalMax - offset), finite }
}

const isPaged = ({ page, hitsPerPage }: Paging): boolean => page !== null || hitsPerPage !== null

const hitsPerPage = (request: Paging): number => request.hitsPerPage ?? HITS_PER_PAGE_DEFAULT

/** The members that tell of pages, in their order. */
export function pageMembers(request: Paging, total: number): { readonly [member: string]: number } {
  if (!isPaged(request)) {
    return { limit: request.limit, offset: request.offset, estimatedTotalHits: total }
  }
  const perPage = hitsPerPage(request)
  return {
    hitsPerPage: perPage,
    page: request.page ?? 1,
    totalPages: perPage === 0 ? 0 : Math.ceil(total / perPage),
    totalHits: total,
  }
}
