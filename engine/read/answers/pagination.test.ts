// Pages: which hits of the ranking are shown, and the members that describe the page.
import { expect, it } from 'vitest'
import { type Paging, pageMembers, windowOf } from './pagination.ts'

const PLAIN: Paging = { offset: 0, limit: 20, page: null, hitsPerPage: null }

it.each<[Partial<Paging>, number, number, number, boolean]>([
  [{}, 1000, 0, 20, false],
  [{ offset: 5, limit: 7 }, 1000, 5, 7, false],
  [{ offset: 5, limit: 7, countTotal: true }, 1000, 5, 7, true],
  [{ offset: 995 }, 1000, 995, 5, false],
  [{ offset: 1000 }, 1000, 1000, 0, false],
  [{ offset: 2000 }, 1000, 1000, 0, false],
  [{ limit: 50 }, 30, 0, 30, false],
  [{ page: 1 }, 1000, 0, 20, true],
  [{ page: 3, offset: 7, limit: 9 }, 1000, 40, 20, true],
  [{ page: 2, hitsPerPage: 5 }, 1000, 5, 5, true],
  [{ hitsPerPage: 5 }, 1000, 0, 5, true],
  [{ hitsPerPage: 0 }, 1000, 0, 0, true],
  [{ page: 0, hitsPerPage: 5 }, 1000, 0, 0, true],
  [{ page: 4, hitsPerPage: 9 }, 30, 27, 3, true],
  [{ page: 9, hitsPerPage: 9 }, 30, 30, 0, true],
])('%j of at most %i hits shows those from %i, %i', (asked, most, offset, limit, finite) => {
  expect(windowOf({ ...PLAIN, ...asked }, most)).toEqual({ offset, limit, finite })
})

it.each<[Partial<Paging>, number, object]>([
  [{ offset: 5, limit: 7 }, 42, { limit: 7, offset: 5, estimatedTotalHits: 42 }],
  [{ page: 2 }, 41, { hitsPerPage: 20, page: 2, totalPages: 3, totalHits: 41 }],
  [{ hitsPerPage: 7 }, 42, { hitsPerPage: 7, page: 1, totalPages: 6, totalHits: 42 }],
  [{ page: 0, hitsPerPage: 9 }, 0, { hitsPerPage: 9, page: 0, totalPages: 0, totalHits: 0 }],
  [{ hitsPerPage: 0 }, 5, { hitsPerPage: 0, page: 1, totalPages: 0, totalHits: 5 }],
])('%j of %i hits is described by %j', (asked, total, members) => {
  // Clients see the order of the members.
  expect(JSON.stringify(pageMembers({ ...PLAIN, ...asked }, total))).toBe(JSON.stringify(members))
})
