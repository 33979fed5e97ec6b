// A view prepared for searching, once for each thread: settings decoded, filter rules compiled,
// field names encoded.
import { jsonKey } from '../../../format/json/index.ts'
import { cachedSettings, type IndexSettings } from '../../settings/index.ts'
import { columnsLayer, documentsLayer, vectorsLayer } from '../../store/layers/index.ts'
import type { ViewRef } from '../../store/views/index.ts'
import { compileRules, type FilterRules } from '../filter-syntax/index.ts'
import { geoCircles } from '../geo/index.ts'
import { SearchSettings } from '../query-graph/index.ts'
import {
  ColumnFilters,
  ExternalOrder,
  OpenView,
  type SegmentCache,
  VectorIndex,
} from '../segments/index.ts'

/** The parts of a view that stay the same until settings or fields change. */
type CompiledSettings = {
  readonly key: string
  readonly settings: IndexSettings
  readonly search: SearchSettings
  readonly filterRules: FilterRules
  readonly keys: readonly Uint8Array[]
}

export class SearchableView {
  readonly ref: ViewRef
  readonly view: OpenView
  /** Milliseconds since 1970, the same during a search. */
  readonly now: () => number
  readonly #compiled: CompiledSettings
  /** Names of the network's shards for the running search; null without a network. */
  shards: readonly string[] | null = null
  #columns: ColumnFilters | null = null
  #externalOrder: ExternalOrder | null = null
  readonly #vectors = new Map<string, VectorIndex>()

  /**
   * `earlier`: a view of the same index, whose unchanged parts are reused. `now`: milliseconds since
   * 1970, the same during a search.
   */
  constructor(
    ref: ViewRef,
    cache: SegmentCache,
    earlier: SearchableView | null,
    now: () => number = Date.now,
  ) {
    this.ref = ref
    this.now = now
    const compiled = earlier === null ? undefined : earlier.#compiled
    const same =
      compiled !== undefined && compiled.key === ref.settings && sameFields(compiled.search, ref)
    this.#compiled = same ? compiled : compile(ref)
    const { expiresAtAttribute } = this.settings
    const field = expiresAtAttribute === null ? null : this.search.fieldId(expiresAtAttribute)
    this.view = new OpenView(ref, cache, field === null ? null : { field, now })
  }

  get settings(): IndexSettings {
    return this.#compiled.settings
  }

  get search(): SearchSettings {
    return this.#compiled.search
  }

  get filterRules(): FilterRules {
    return this.#compiled.filterRules
  }

  /** Field names by id, encoded as they precede the colon of a JSON member. */
  get keys(): readonly Uint8Array[] {
    return this.#compiled.keys
  }

  get columns(): ColumnFilters {
    this.#columns ??= new ColumnFilters(this.view.layer(columnsLayer), (circles, checkpoint) =>
      geoCircles(this.view.layer(columnsLayer), circles, checkpoint),
    )
    return this.#columns
  }

  /** Breaks ties between hits if other instances answer as well. */
  get externalOrder(): ExternalOrder {
    this.#externalOrder ??= new ExternalOrder(this.view)
    return this.#externalOrder
  }

  /**
   * Opens the layers that nearly every search reads. @throws CorruptionError, StorageError,
   * VersionError
   */
  prepare(): void {
    this.view.layer(documentsLayer)
    this.view.layer(columnsLayer)
    this.view.textIndex.prepare()
  }

  /** The vectors of an embedder. */
  vectors(embedder: string): VectorIndex {
    const cached = this.#vectors.get(embedder)
    const index = cached ?? new VectorIndex(this.view.layer(vectorsLayer), embedder)
    this.#vectors.set(embedder, index)
    return index
  }

  /** Returns the id of a field, or null for a name that no document ever contained. */
  readonly fieldId = (name: string): number | null => this.search.fieldId(name)
}

/** Fields are only ever added, so comparing their number suffices. */
const sameFields = (search: SearchSettings, ref: ViewRef): boolean =>
  search.fields.length === ref.fields.length

function compile(ref: ViewRef): CompiledSettings {
  const settings = cachedSettings(ref.settings)
  return {
    key: ref.settings,
    settings,
    search: new SearchSettings(settings, ref.fields),
    filterRules: compileRules(settings.filterableAttributes),
    keys: ref.fields.map(jsonKey),
  }
}
