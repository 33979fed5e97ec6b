// The moment that `now` in boosts means: the same on all instances that answer a search.
import { type Boost, type Engine, EngineFault, type IndexSearch } from '../../../engine/index.ts'

/** Returns the searches with their moment. It is sent only to searches whose boosts need it. */
export const atOneMoment = <S extends IndexSearch>(
  { documents }: Pick<Engine, 'documents'>,
  searches: readonly S[],
): readonly S[] =>
  searches.map((search) => {
    const { indexUid, request } = search
    if (request.boostsNow !== null) return search
    const boosts = request.boosts ?? storedBoosts(documents, indexUid)
    if (!boosts.some(({ origin }) => origin === 'now')) return search
    return { ...search, request: { ...request, boostsNow: Date.now() } }
  })

function storedBoosts(
  documents: Engine['documents'],
  indexUid: IndexSearch['indexUid'],
): readonly Boost[] {
  try {
    return documents.settings(indexUid)['boosts'] as readonly Boost[]
  } catch (error) {
    if (!(error instanceof EngineFault) || error.code !== 'index_not_found') throw error
    return []
  }
}
