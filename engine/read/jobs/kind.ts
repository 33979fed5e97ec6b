// Determines the kind of search of a request (docs/search-semantics.md#kind-of-search).

import { EngineFault, type Features, type SearchRequest } from '../../model/index.ts'
import { featureRefusal } from '../../settings/schema/index.ts'

export type SearchKind = 'keyword' | 'semantic' | 'hybrid'

/** Returns true for a text of white space only; the zero-width space is not white space. */
export const isBlank = (text: string | null): boolean => text === null || text.trim() === ''

/** @throws EngineFault for parameters that contradict each other */
export function kindOf(request: SearchRequest, features: Features): SearchKind {
  const { hybrid, vector } = request
  const media = request.media !== null && request.media !== undefined
  const blank = isBlank(request.q)
  if (media && vector !== null) {
    throw new EngineFault(
      'invalid_search_media_and_vector',
      'Invalid request: both `media` and `vector` parameters are present.',
    )
  }
  if (hybrid === null && (media || vector !== null)) {
    throw new EngineFault(
      'missing_search_hybrid',
      'Invalid request: missing `hybrid` parameter when `vector` or `media` are present.',
    )
  }
  if (media && !features.multimodal) {
    const words = featureRefusal('multimodal', 'passing `media` in a search query')
    throw new EngineFault('feature_not_enabled', words)
  }
  if (hybrid === null || hybrid.semanticRatio === 0) return 'keyword'
  if (blank && vector === null && !media) return 'keyword'
  return hybrid.semanticRatio === 1 || blank ? 'semantic' : 'hybrid'
}
