// Which documents a search is about: those that pass the filter and hold nothing the query
// excludes.
import type { IdSet } from '../../format/idset/index.ts'
import { geoShapes } from '../facets/index.ts'
import {
  evaluateFilter,
  type FilterEndpoint,
  type FilterTree,
  type ForeignFilters,
  filterWording,
  parseFilter,
} from '../filter/index.ts'
import { columnsLayer } from '../layers/index.ts'
import type { Features } from '../model/index.ts'
import { type ParsedQuery, phraseOf, type TermSpace } from '../query/index.ts'
import { normalizeFacet } from '../text/index.ts'
import { SearchCanceled } from './control.ts'
import type { SearchableView } from './searchable-view.ts'

/** The tree of a request's filter; what needs the index is not checked. @throws EngineFault */
export const readFilter = (
  filter: unknown,
  endpoint: FilterEndpoint,
  indexUid: string,
  features: Features,
): FilterTree | null =>
  parseFilter(filter, {
    wording: filterWording(endpoint, 'parsing', indexUid),
    features,
    takesForeign: true,
  })

/**
 * The live documents that pass. `foreign`: null where no other index may be asked.
 * @throws EngineFault for attributes and operators not allowed, SearchCanceled
 */
export function filtered(
  view: SearchableView,
  tree: FilterTree | null,
  endpoint: FilterEndpoint,
  isCanceled: () => boolean = () => false,
  foreign: ForeignFilters | null = null,
): IdSet {
  const universe = view.view.live()
  if (tree === null) return universe
  return evaluateFilter(tree, {
    universe,
    fieldId: view.fieldId,
    rules: view.filterRules,
    normalise: normalizeFacet,
    columns: view.columns,
    wording: filterWording(endpoint, 'running', view.ref.uid),
    vectors: null,
    shards: null,
    foreign,
    geojson: geoShapes(view.view.layer(columnsLayer)),
    checkpoint: () => {
      if (isCanceled()) throw new SearchCanceled()
    },
  })
}

/** `universe` without what holds a negative word or phrase. */
export function withoutNegatives(query: ParsedQuery, space: TermSpace, universe: IdSet): IdSet {
  let left = universe
  for (const text of query.negativeWords) {
    const word = space.index.word(text)
    if (word === null) continue
    left = left.andNot(space.wordDocs(word, false))
  }
  for (const words of query.negativePhrases) left = left.andNot(space.phraseDocs(phraseOf(words)))
  return left
}
