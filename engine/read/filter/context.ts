// The context in which a filter runs: one index at one moment.
import type { IdSet } from '../../../format/idset/index.ts'
import type {
  Areas,
  Checkpoint,
  FilterColumns,
  FilterRules,
  FilterTree,
  FilterWording,
  GeojsonFilters,
  ShardFilters,
  VectorFilters,
} from '../filter-syntax/index.ts'

/** Evaluates `_foreign` conditions. */
export interface ForeignFilters {
  isForeignKey(field: string): boolean
  /**
   * Returns the external ids, as text, of the matching documents of the foreign index; may stop
   * after more than FOREIGN_DOCUMENTS_MAX. The condition is checked against that index's settings.
   * @throws EngineFault of the `foreign` wording
   */
  match(field: string, condition: FilterTree): readonly string[]
}

/** Sets by the condition itself, not by its text. */
export type KnownSets = Map<FilterTree, IdSet>

export type FilterContext = {
  /** All live documents of the index. */
  readonly universe: IdSet
  /** Returns null for a name that no document ever contained. */
  readonly fieldId: (name: string) => number | null
  /** The same names by id. */
  readonly names: readonly string[]
  readonly rules: FilterRules
  /** Facet normalization, which stored texts have passed. */
  readonly normalise: (text: string) => string
  readonly columns: FilterColumns
  readonly wording: FilterWording
  /** Null if the index has no embedders, shards, foreign keys or shapes, respectively. */
  readonly vectors: VectorFilters | null
  readonly shards: ShardFilters | null
  readonly foreign: ForeignFilters | null
  readonly geojson: GeojsonFilters | null
  readonly areas: Areas
  /**
   * The sets of conditions that were evaluated, so that parts of the filter are not evaluated
   * again; null if they are not kept.
   */
  readonly known: KnownSets | null
  /** Called before each condition and during long work; throws when the filter has to end early. */
  readonly checkpoint: Checkpoint
}
