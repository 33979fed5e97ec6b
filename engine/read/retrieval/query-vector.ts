// Determines the vector of a query: sent by the client, or computed by an embedder before the
// search reached its thread.
import { EngineFault, type SearchRequest } from '../../model/index.ts'
import { type EmbedderSpec, embedderSpecs } from '../../settings/embedders/index.ts'
import { SEARCH_CUTOFF_MS_DEFAULT } from '../../settings/values/index.ts'
import { type SearchableView, type SearchKind, VectorNeeded } from '../jobs/index.ts'

/** Returns the embedder that a search names. @throws EngineFault if no embedder has that name */
export function embedderOf(
  view: SearchableView,
  name: string,
  code: 'invalid_search_embedder' | 'invalid_similar_embedder',
): EmbedderSpec {
  const spec = embedderSpecs(view.settings.embedders).find((one) => one.name === name)
  if (spec !== undefined) return spec
  throw new EngineFault(code, `Cannot find embedder with name \`${name}\`.`)
}

/**
 * Returns the vector, or null if none could be computed for a hybrid query, whose words then decide
 * alone. If the vector is still missing, a hybrid query gets `VectorNeeded` as the result, because
 * its words may suffice; for a semantic query it is thrown.
 * @throws EngineFault for an embedder or a vector that does not fit the index, VectorNeeded
 */
export function queryVector(
  view: SearchableView,
  request: SearchRequest,
  kind: SearchKind,
): Float32Array | VectorNeeded | null {
  const { hybrid, queryVector: computed, q } = request
  const spec = embedderOf(view, hybrid!.embedder, 'invalid_search_embedder')
  const vector = request.vector === null ? (computed ?? null) : new Float32Array(request.vector)
  if (vector !== null) {
    requireDimensions(view, spec, vector.length)
    return vector
  }
  const isOptional = kind === 'hybrid'
  if (computed === undefined && !spec.isUserProvided) {
    const cutoffMs = view.settings.searchCutoffMs ?? SEARCH_CUTOFF_MS_DEFAULT
    const { queryNumber: query = 0 } = request
    const needed = new VectorNeeded({ query, embedder: spec.embedder, cutoffMs, isOptional })
    if (!isOptional) throw needed
    return needed
  }
  if (isOptional) return null
  if (request.media !== null && request.media !== undefined && spec.source !== 'rest') {
    throw notEmbedded("`media` requested but the configuration doesn't have source `rest`")
  }
  throw notEmbedded(
    'attempt to embed the following text in a configuration where embeddings must be ' +
      `user provided:\n  - \`${q ?? ''}\``,
  )
}

const notEmbedded = (words: string): EngineFault =>
  new EngineFault(
    'vector_embedding_error',
    `Error while generating embeddings: user error: ${words}`,
  )

/** @throws EngineFault if a vector has other dimensions than the embedder */
export function requireDimensions(view: SearchableView, spec: EmbedderSpec, found: number): void {
  const expected = spec.dimensions ?? view.vectors(spec.name).dimensions ?? found
  if (expected === found) return
  throw new EngineFault(
    'invalid_vector_dimensions',
    `Invalid vector dimensions: expected: \`${expected}\`, found: \`${found}\`.`,
  )
}
