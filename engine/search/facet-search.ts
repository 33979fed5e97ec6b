// Searching the values of one facet · search semantics §14.4.
import { EngineFault } from '../errors.ts'
import type { FacetSearchJob } from './protocol.ts'
import type { SearchableView } from './searchable-view.ts'

/** `{facetHits, facetQuery, processingTimeMs}`. @throws EngineFault, StorageError, SearchCanceled */
export function runFacetSearch(
  _view: SearchableView,
  _job: FacetSearchJob,
  _isCanceled: () => boolean,
): Uint8Array {
  throw new EngineFault('facet_search_disabled', 'The facet search is disabled for this index')
}
