// Puts the hits of a finished answer into the order that a provider returns for a user. The answer
// stays bytes: hits are views of it.
import { joinHits, splitHits, withoutMembers } from '../hits/index.ts'
import { DOCUMENTS_BYTES_MAX, DOCUMENTS_MAX, TOTAL_MS } from './limits.ts'
import { type ProviderOptions, rank } from './provider.ts'

/** Members that a search adds to a document: the provider ranks by the document only. */
const ADDED_MEMBERS: ReadonlySet<string> = new Set([
  '_federation',
  '_formatted',
  '_matchesPosition',
  '_rankingScore',
  '_rankingScoreDetails',
  '_vectors',
])

export type PersonalizeRequest = {
  readonly userContext: string
  /** The query of the search. */
  readonly query: string
  /** The time limit of a search of the index, or null for the default. */
  readonly totalMs: number | null
  readonly signal: AbortSignal
}

export interface Personalizer {
  /**
   * Returns the answer with its hits in their new order, in parts. Hits that the provider leaves
   * out are dropped; if it fails for too long, the order stays that of the search.
   * @throws ApiError if it refuses the request
   */
  personalize(answer: Uint8Array, request: PersonalizeRequest): Promise<readonly Uint8Array[]>
}

export function personalizer(
  options: ProviderOptions,
  report: (message: string) => void,
): Personalizer {
  return {
    personalize: async (answer, { userContext, query, totalMs, signal }) => {
      const split = await splitHits(answer)
      const documents = documentsOf(split.hits)
      if (documents.length === 0) return [answer]
      const order = await rank(options, {
        query: `User Context: ${userContext}\nQuery: ${query}`,
        documents,
        totalMs: totalMs ?? TOTAL_MS,
        signal,
      })
      if (order === null) {
        report('the personalization provider did not answer in time')
        return [answer]
      }
      const ranked = order.slice(0, DOCUMENTS_MAX).filter((at) => at < documents.length)
      const rest = split.hits.slice(documents.length)
      return joinHits(split, [...ranked.map((at) => split.hits[at]!), ...rest])
    },
  }
}

/**
 * Returns the first hits, as many as one request may hold. The others keep their places after them.
 */
function documentsOf(hits: readonly Uint8Array[]): readonly string[] {
  const documents: string[] = []
  let bytes = 0
  for (const hit of hits.slice(0, DOCUMENTS_MAX)) {
    const document = withoutMembers(hit, ADDED_MEMBERS)
    bytes += document.length
    if (bytes > DOCUMENTS_BYTES_MAX) break
    documents.push(Buffer.from(document).toString())
  }
  return documents
}
