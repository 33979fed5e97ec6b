// Selects the documents that a search considers: they pass the filter and contain no excluded word
// or phrase of the query.
import type { IndexUid } from '../../../format/ids.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import type { EngineFault, Features } from '../../model/index.ts'
import { embedderSpecs } from '../../settings/embedders/index.ts'
import { columnsLayer } from '../../store/layers/index.ts'
import { normalizeFacet } from '../../text/index.ts'
import {
  evaluateFilter,
  type FilterContext,
  type ForeignFilters,
  type KnownSets,
  parseFilter,
} from '../filter/index.ts'
import {
  type FilterEndpoint,
  type FilterTree,
  type FilterWording,
  filterTookTooLong,
  filterWording,
  openFilter,
} from '../filter-syntax/index.ts'
import { geoAreas, geoShapes } from '../geo/index.ts'
import { othersWait, type SearchableView, type SearchControl, type TimeUp } from '../jobs/index.ts'
import type { ParsedQuery, TermSpace } from '../query-graph/index.ts'
import { EmbedderFilters, ShardDocuments } from '../segments/index.ts'

/**
 * Parses the filter of a request. Checks that need the index come later.
 * @throws EngineFault, Canceled
 */
export const readFilter = (
  filter: unknown,
  endpoint: FilterEndpoint,
  indexUid: IndexUid,
  features: Features,
  control: SearchControl,
): FilterTree | null =>
  parseFilter(openFilter(filter), {
    wording: filterWording(endpoint, 'parsing', indexUid),
    features,
    takesForeign: endpoint !== 'export',
    checkpoint: checkpointOf(control, filterWording(endpoint, 'running', indexUid)),
  })

/**
 * Returns the live documents that pass the filter. `foreign` is null if the filter may not refer to
 * other indexes. `known`: the sets of conditions evaluated before in the same search.
 * @throws EngineFault for attributes and operators not allowed and when time is up, Canceled
 */
export function filtered(
  view: SearchableView,
  tree: FilterTree | null,
  endpoint: FilterEndpoint,
  control: SearchControl,
  foreign: ForeignFilters | null = null,
  known: KnownSets | null = null,
): IdSet {
  const universe = view.view.live()
  if (tree === null) return universe
  const found = evaluateFilter(tree, { ...contextOf(view, endpoint, control, foreign), known })
  // Columns know nothing of the time.
  return universe === view.view.stored() ? found : found.and(universe)
}

/** Returns the context in which a filter runs on the live documents of a view. */
export function contextOf(
  view: SearchableView,
  endpoint: FilterEndpoint,
  control: SearchControl,
  foreign: ForeignFilters | null,
): FilterContext {
  const wording = filterWording(endpoint, 'running', view.ref.uid)
  const checkpoint = checkpointOf(control, wording)
  return {
    universe: view.view.live(),
    fieldId: view.fieldId,
    names: view.ref.fields,
    rules: view.filterRules,
    normalise: normalizeFacet,
    columns: view.columns,
    wording,
    vectors: new EmbedderFilters(embedderSpecs(view.settings.embedders), (name) =>
      view.vectors(name),
    ),
    shards: view.shards === null ? null : new ShardDocuments(view.view, view.shards, checkpoint),
    foreign,
    geojson: geoShapes(view.view.layer(columnsLayer), checkpoint),
    areas: geoAreas,
    known: null,
    checkpoint,
  }
}

/** Returns the function that ends a filter when its time is up. */
function checkpointOf(control: SearchControl, wording: FilterWording): () => void {
  const late = ({ ms, isPreempted }: TimeUp): EngineFault =>
    isPreempted ? othersWait(ms) : filterTookTooLong(wording, ms)
  return () => control.requireTime(late)
}

/** Returns `universe` without the documents that contain a negative word or phrase. */
export function withoutNegatives(query: ParsedQuery, space: TermSpace, universe: IdSet): IdSet {
  let left = universe
  for (const text of query.negativeWords) {
    const word = space.index.word(text)
    if (word === null) continue
    left = left.andNot(space.wordDocs(word, false))
  }
  for (const phrase of query.negativePhrases) left = left.andNot(space.phraseDocs(phrase))
  return left
}
