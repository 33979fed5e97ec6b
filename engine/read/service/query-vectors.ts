// Supplies vectors of queries. A search that lacks a vector stops with `VectorNeeded`; the embedder
// computes the vector, and the search runs again with it. If the search can also answer by words, a
// failure of the embedder does not fail the search.
import { EngineFault, type SearchRequest } from '../../model/index.ts'
import type { Embedder } from '../../settings/embedders/index.ts'
import { type NeededVector, VectorNeeded } from '../jobs/index.ts'

/** Computes the vector of a query. */
export interface QueryVectors {
  /** @throws EmbeddingFailure, Canceled */
  embed(
    embedder: Embedder,
    query: Pick<SearchRequest, 'q' | 'media'>,
    msMax: number,
    signal: AbortSignal | null,
  ): Promise<Float32Array>
  /** Milliseconds on a monotonic clock. */
  now(): number
  /** Returns the reason of an embedder's failure as text. Rethrows other errors. */
  reasonOf(error: unknown): string
}

type VectorContext = {
  /** Null if no embedder can be called. */
  readonly vectors: QueryVectors | null
  readonly signal: AbortSignal | null
  /** Returns the beginning of the message when one of several searches fails. */
  readonly place: (query: number) => string
}

/**
 * Returns the answer of `run`, which is called again for every vector that it lacks.
 * @throws EngineFault vector_embedding_error, and errors of `run`
 */
export function withVectors<T>(
  requests: readonly SearchRequest[],
  run: (requests: readonly SearchRequest[]) => Promise<T>,
  context: VectorContext,
): Promise<T> {
  const needNoVector = requests.every(({ hybrid }) => hybrid === null)
  return needNoVector ? run(requests) : retriedWithVectors(requests, run, context)
}

async function retriedWithVectors<T>(
  requests: readonly SearchRequest[],
  run: (requests: readonly SearchRequest[]) => Promise<T>,
  context: VectorContext,
): Promise<T> {
  let numbered = requests.map(
    (request, queryNumber): SearchRequest => ({ ...request, queryNumber }),
  )
  const { vectors } = context
  const begun = vectors?.now() ?? 0
  for (;;) {
    try {
      return await run(numbered)
    } catch (error) {
      if (!(error instanceof VectorNeeded)) throw error
      const { needed } = error
      const left = Math.max(1, needed.cutoffMs - ((vectors?.now() ?? 0) - begun))
      const queryVector = await vectorOf(needed, numbered[needed.query]!, left, context)
      numbered = numbered.map((request, i) =>
        i === needed.query ? { ...request, queryVector } : request,
      )
    }
  }
}

async function vectorOf(
  { embedder, isOptional, query }: NeededVector,
  request: SearchRequest,
  msMax: number,
  { vectors, signal, place }: VectorContext,
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
