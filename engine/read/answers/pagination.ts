// Computes which hits of a ranking are on the page, and the members of the answer that describe
// pages (docs/search-semantics.md#pages-and-totals).
import type { SearchRequest } from '../../model/index.ts'
import type { Window } from '../rank/index.ts'

/** The parameters of a request that select the page. */
export type Paging = Pick<SearchRequest, 'offset' | 'limit' | 'page' | 'hitsPerPage'> &
  Partial<Pick<SearchRequest, 'countTotal'>>

const HITS_PER_PAGE_DEFAULT = 20

/**
 * Returns the window of the ranking to return; hits after the first `totalMax` cannot be reached.
 */
export function windowOf(request: Paging, totalMax: number): Window {
  let { offset, limit } = request
  if (isPaged(request)) {
    const page = request.page ?? 1
    limit = page === 0 ? 0 : hitsPerPage(request)
    offset = Math.max(0, page - 1) * limit
  }
  offset = Math.min(offset, totalMax)
  return { offset, limit: Math.min(limit, totalMax - offset), finite: isCounted(request) }
}

/** Returns whether the total has to be exact. */
const isCounted = (request: Paging): boolean => request.countTotal === true || isPaged(request)

const isPaged = ({ page, hitsPerPage }: Paging): boolean => page !== null || hitsPerPage !== null

const hitsPerPage = (request: Paging): number => request.hitsPerPage ?? HITS_PER_PAGE_DEFAULT

/** Returns the members that describe pages, in order. */
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
