// Vectors of queries: a search that needs one stops, the embedder is asked, and the search is asked
// again with it. Where words answer as well, an embedder that fails is no failure of the search.
import { EngineFault, type SearchRequest, VectorNeeded } from '../../model/index.ts'
import type { Embedder } from '../../settings/index.ts'

/** Makes the vector of a query. */
export interface QueryVectors {
  /** @throws EmbeddingFailure, Canceled */
  embed(
    embedder: Embedder,
    query: Pick<SearchRequest, 'q' | 'media'>,
    msMax: number,
    signal: AbortSignal | null,
  ): Promise<Float32Array>
  /** Milliseconds of any clock. */
  now(): number
  /** Why an embedder failed, in words; what else was thrown is thrown on. */
  reasonOf(error: unknown): string
}

type Asking = {
  /** null: no embedder can be asked. */
  readonly vectors: QueryVectors | null
  readonly signal: AbortSignal | null
  /** Begins the message of a failure of one of several searches. */
  readonly place: (query: number) => string
}

/**
 * What `run` answers, which is called again for every vector that it lacks.
 * @throws EngineFault vector_embedding_error, and what `run` throws
 */
export function withVectors<T>(
  requests: readonly SearchRequest[],
  run: (requests: readonly SearchRequest[]) => Promise<T>,
  asking: Asking,
): Promise<T> {
  const needsNone = requests.every(({ hybrid }) => hybrid === null)
  return needsNone ? run(requests) : askedAgain(requests, run, asking)
}

async function askedAgain<T>(
  requests: readonly SearchRequest[],
  run: (requests: readonly SearchRequest[]) => Promise<T>,
  asking: Asking,
): Promise<T> {
  let numbered = requests.map(
    (request, queryNumber): SearchRequest => ({ ...request, queryNumber }),
  )
  const { vectors } = asking
  const begun = vectors?.now() ?? 0
  for (;;) {
    try {
      return await run(numbered)
    } catch (error) {
      if (!(error instanceof VectorNeeded)) throw error
      const left = Math.max(1, error.cutoffMs - ((vectors?.now() ?? 0) - begun))
      const queryVector = await vectorOf(error, numbered[error.query]!, left, asking)
      numbered = numbered.map((request, i) =>
        i === error.query ? { ...request, queryVector } : request,
      )
    }
  }
}

async function vectorOf(
  { embedder, isOptional, query }: VectorNeeded,
  request: SearchRequest,
  msMax: number,
  { vectors, signal, place }: Asking,
): Promise<Float32Array | null> {
  if (vectors === null) return null
  try {
    return await vectors.embed(embedder as Embedder, request, msMax, signal)
  } catch (error) {
    const reason = vectors.reasonOf(error)
    if (isOptional) return null
    throw new EngineFault(
      'vector_embedding_error',
      `${place(query)}Error while generating embeddings: ${reason}`,
    )
  }
}
