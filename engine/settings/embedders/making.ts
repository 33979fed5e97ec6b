// The settings of an embedder that determine the vectors of documents.
import { effectiveEmbedder } from './merge.ts'
import type { Embedder, NestedEmbedder } from './types.ts'

/** Returns the side of an embedder that embeds documents, with defaults filled in. */
export const indexingSide = (embedder: Embedder): NestedEmbedder =>
  effectiveEmbedder(embedder.source === 'composite' ? (embedder.indexingEmbedder ?? {}) : embedder)

/**
 * Returns whether the model gives another vector for the same input, or its inputs change
 * altogether.
 */
export const changesVectors = (before: Embedder, after: Embedder): boolean =>
  JSON.stringify(modelOf(indexingSide(before))) !== JSON.stringify(modelOf(indexingSide(after)))

/**
 * Returns all settings that determine vectors: if they change, documents must be examined again.
 */
export function vectorInputsOf(embedder: Embedder, searchable: unknown): readonly unknown[] {
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
