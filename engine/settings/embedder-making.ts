// Which settings of an embedder decide what its vectors of documents are.
import { effectiveEmbedder } from './embedder-merge.ts'
import type { Embedder, NestedEmbedder } from './embedder-types.ts'

/** The side of an embedder that makes vectors of documents, defaults filled in. */
export const indexingSide = (embedder: Embedder): NestedEmbedder =>
  effectiveEmbedder(embedder.source === 'composite' ? (embedder.indexingEmbedder ?? {}) : embedder)

/** Whether the same input gives another vector, or documents give other inputs altogether. */
export const makesOtherVectors = (before: Embedder, after: Embedder): boolean =>
  JSON.stringify(modelOf(indexingSide(before))) !== JSON.stringify(modelOf(indexingSide(after)))

/** Everything that decides on vectors: another value, and documents have to be looked at again. */
export function makingOf(embedder: Embedder, searchable: unknown): readonly unknown[] {
  const side = indexingSide(embedder)
  const { source, documentTemplate, indexingFragments } = side
  if (source === 'userProvided') return []
  const usesFields = documentTemplate?.includes('is_searchable') === true
  return [modelOf(side), documentTemplate, indexingFragments, usesFields ? searchable : null]
}

function modelOf(side: NestedEmbedder): readonly unknown[] {
  const { source, model, revision, pooling, url, request, response, dimensions } = side
  const isOpenAi = source === 'openAi'
  const hasFragments = side.indexingFragments !== undefined
  const where = isOpenAi ? null : url
  const length = isOpenAi ? dimensions : null
  return [source, model, revision, pooling, where, request, response, length, hasFragments]
}
