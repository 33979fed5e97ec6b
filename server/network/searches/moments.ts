// The moment that `now` in boosts means: the same on all instances that answer a search.
import { type Engine, type IndexSearch, wholeSecond } from '../../../engine/index.ts'

/** Returns the searches with their moment. It is sent only to searches whose boosts need it. */
export const atOneMoment = <S extends IndexSearch>(
  { queries }: Pick<Engine, 'queries'>,
  searches: readonly S[],
): readonly S[] =>
  searches.map((search) => {
    const { indexUid, request } = search
    if (request.boostsNow !== null) return search
    const boosts = request.boosts ?? queries.boosts(indexUid)
    if (!boosts.some(({ origin }) => origin === 'now')) return search
    return { ...search, request: { ...request, boostsNow: wholeSecond(Date.now()) } }
  })
