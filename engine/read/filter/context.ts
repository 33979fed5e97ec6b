// What a filter runs against: one index, at one moment.
import type { IdSet } from '../../../format/idset/index.ts'
import type {
  Checkpoint,
  FilterColumns,
  GeojsonFilters,
  ShardFilters,
  VectorFilters,
} from './columns.ts'
import type { FilterRules } from './rules.ts'
import type { FilterTree } from './tree.ts'
import type { FilterWording } from './wording.ts'

/** Answers `_foreign` conditions. */
export interface ForeignFilters {
  isForeignKey(field: string): boolean
  /**
   * The external ids, as text, of the documents of the foreign index that match; it may stop once
   * it has more than FOREIGN_DOCUMENTS_MAX. The condition is checked against that index's own
   * settings.
   * @throws EngineFault of the `foreign` wording
   */
  match(field: string, condition: FilterTree): readonly string[]
}

export type FilterContext = {
  /** Every live document of the index. */
  readonly universe: IdSet
  /** null for a name that no document ever had. */
  readonly fieldId: (name: string) => number | null
  readonly rules: FilterRules
  /** Facet normalisation: what stored texts went through. */
  readonly normalise: (text: string) => string
  readonly columns: FilterColumns
  readonly wording: FilterWording
  /** null: the index has no embedders, no shards, no foreign keys, no shapes. */
  readonly vectors: VectorFilters | null
  readonly shards: ShardFilters | null
  readonly foreign: ForeignFilters | null
  readonly geojson: GeojsonFilters | null
  /** Called before each condition and in long work; throws when the filter is to end early. */
  readonly checkpoint: Checkpoint
}
