// The columns layer: the values of filterable, sortable and distinct fields, places and shapes.

import { decoder, encoder } from '../../../format/bytes/index.ts'
import {
  COLUMNS_KIND,
  ColumnsBuilder,
  ColumnsReader,
  checkColumns,
  columnsAnalysis,
  elementsFit,
  mergeColumns,
} from '../../../format/columns/index.ts'
import type { ByteSink } from '../../../format/frame/index.ts'
import type { DocId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { exactValue } from '../../../format/json/index.ts'
import { handlingChanged, type IndexSettings, selectedFields } from '../../settings/index.ts'
import { FACET_BYTES_MAX, normalizeFacet } from '../../text/index.ts'
import { columnsTables, describeColumns } from './describe-columns.ts'
import type { FieldNode, FieldUse } from './field-plan.ts'
import { readGeo } from './geo.ts'
import { readGeojson } from './geojson.ts'
import {
  type BuildEnvironment,
  type LayerBuilder,
  type LayerProfile,
  layerOf,
  type SegmentLayer,
  type Written,
} from './layer.ts'
import { ValueWalk } from './value-walk.ts'

/**
 * The version of the analysis of values, raised with every change of what a value becomes. Up to
 * version 4 it was that of words. 5: whole numbers of 64 bits are exact. 6: texts that share their
 * first bytes are different values. 7: elements have rows.
 */
const VALUES_VERSION = 7
/** Elements have no rows; all else is as in version 7. */
const ROWLESS_VERSION = 6
/** Long texts are cut; all else is as in version 6. */
const CUT_VERSION = 5
/** Bytes of a text that may have been cut: less than a character is missing. */
const CUT_BYTES_MIN = FACET_BYTES_MAX - 3
/** Whole numbers beyond 2^53 are rounded to doubles; all else is as in version 5. */
const ROUNDED_VERSION = 4

export const columnsProfile: LayerProfile = {
  segmentCost: 1,
  name: 'columns',
  kind: COLUMNS_KIND,
  extension: 'cols',
  isDerived: true,
  sections: {
    DATA: 'values',
    FLDS: 'fields',
    GEOP: 'places',
    SHAP: 'shapes',
    ELEM: 'elements',
    ANLY: 'fields',
  },
  use: facetedFields,
  affectedBy(before, after, fields) {
    const was = facetedFields(before)
    const is = facetedFields(after)
    const isHandledAnew = handlingChanged('columns', before, after)
    const differs = (field: string): boolean =>
      was.holds(field) !== is.holds(field) || (is.holds(field) && isHandledAnew(field))
    return fields.some(differs) ? 'rebuild' : 'no'
  },
  analysis: {
    version: VALUES_VERSION,
    of: (frame, names) => versionOf(columnsAnalysis(frame), names, () => ColumnsReader.open(frame)),
  },
}

export const columnsLayer: SegmentLayer<ColumnsReader> = /* @__PURE__ */ layerOf(columnsProfile, {
  open: (frame) => ColumnsReader.open(frame),
  close: () => undefined,
  ids: (reader) => reader.docs(),
  builder: (env, sink) => new ValuesBuilder(env, sink),
  fits: (readers) => elementsFit(readers),
  merge(inputs, sink, { names }) {
    const ids = inputs.reduce(
      (all, { reader, dead }) => all.or(reader.docs().andNot(dead)),
      IdSet.empty,
    )
    const merged = mergeColumns(inputs, sink, (reader) =>
      versionOf(reader.analysis, names, () => reader),
    )
    return merged === null ? null : { documents: ids.size, idMin: ids.min, idMax: ids.max }
  },
  check(frame) {
    checkColumns(frame)
    const reader = ColumnsReader.open(frame)
    const tables = [reader, ...reader.spaces()]
    const paths = reader.spaces().map(({ path }) => path)
    return {
      fieldMax: Math.max(-1, ...tables.map(({ fieldIds }) => fieldIds.at(-1) ?? -1), ...paths),
    }
  },
  describe: describeColumns,
  tables: columnsTables,
})

/** Returns the fields used by filters, sorts, facets and distinct. */
function facetedFields(settings: IndexSettings): FieldUse {
  return { checkedAs: 'faceted', ...selectedFields('columns', settings) }
}

/**
 * Returns the version that a segment counts as: of the versions that lack one thing, the newest that
 * lacks nothing which the segment has. `recorded`: the version that it was built by. `names`: by
 * field id.
 */
function versionOf(recorded: number, names: readonly string[], open: () => ColumnsReader): number {
  if (recorded < ROUNDED_VERSION || recorded > ROWLESS_VERSION) return recorded
  const reader = open()
  if (recorded === ROUNDED_VERSION && reader.hasLargeNumbers()) return ROUNDED_VERSION
  if (recorded <= CUT_VERSION && reader.hasStringOf(CUT_BYTES_MIN)) return recorded
  const lacksRows = reader.fieldIds.some((id) => mayBeInElement(names[id] ?? '.'))
  return lacksRows ? ROWLESS_VERSION : VALUES_VERSION
}

/** Names that begin so are places and shapes, whose parts have no rows. */
const PLACES = /^_geo(json)?\./

const mayBeInElement = (name: string): boolean => name.includes('.') && !PLACES.test(name)

/** Returns the normalised form of a facet value, for `ColumnsBuilder`. */
const normaliseBytes = (bytes: Uint8Array, from: number, to: number): Uint8Array =>
  encoder.encode(normalizeFacet(decoder.decode(bytes.subarray(from, to))))

class ValuesBuilder implements LayerBuilder {
  readonly #values = new ColumnsBuilder(normaliseBytes, VALUES_VERSION)
  readonly #walk: ColumnWalk
  readonly #sink: ByteSink
  #first = -1
  #last = -1

  constructor(env: BuildEnvironment, sink: ByteSink) {
    this.#walk = new ColumnWalk(env, this.#values)
    this.#sink = sink
  }

  add(id: DocId, externalId: Uint8Array, record: Uint8Array): void {
    if (this.#first < 0) this.#first = id
    this.#last = id
    this.#values.begin(id)
    this.#walk.document(externalId, record)
  }

  finish(): Written | null {
    if (this.#first < 0) return null
    const { docCount } = this.#values.finish(this.#sink)
    return { documents: docCount, idMin: this.#first, idMax: this.#last }
  }
}

/** Coordinates sent as text are stored as numbers. */
const isCoordinate = ({ name }: FieldNode): boolean => name === '_geo.lat' || name === '_geo.lng'

function coordinateOf(source: Uint8Array, from: number, to: number): number | null {
  const text = Buffer.from(source.subarray(from, to)).toString()
  const value = text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : null
}

/**
 * Passes the values of faceted fields to a builder
 * (docs/search-semantics.md#values-words-and-positions).
 */
class ColumnWalk extends ValueWalk {
  readonly #values: ColumnsBuilder
  /** True if documents may have a place, a shape. */
  readonly #hasPlaces: boolean
  readonly #hasShapes: boolean
  #externalId: Uint8Array = new Uint8Array(0)
  /** True while the walk is in a shape, whose features and geometries are no elements. */
  #isShape = false

  constructor({ settings, names }: BuildEnvironment, values: ColumnsBuilder) {
    const use = facetedFields(settings)
    super(use, names)
    this.#values = values
    this.#hasPlaces = use.holds('_geo')
    this.#hasShapes = use.holds('_geojson')
  }

  document(externalId: Uint8Array, record: Uint8Array): void {
    this.#externalId = externalId
    this.walk(record)
  }

  protected override topLevel(node: FieldNode, bytes: Uint8Array, from: number, to: number): void {
    this.#isShape = node.name === '_geojson'
    if (this.#hasPlaces && node.name === '_geo') {
      const point = readGeo(bytes.subarray(from, to), this.#externalId)
      if (point !== null) this.#values.geo(point[0], point[1])
    }
    if (this.#hasShapes && this.#isShape) {
      const parts = readGeojson(bytes.subarray(from, to))
      if (parts.length > 0) this.#values.shape(parts)
    }
  }

  protected override string(
    node: FieldNode,
    bytes: Uint8Array,
    from: number,
    to: number,
    inArray: boolean,
  ): void {
    const { fieldId } = node
    this.#values.exists(fieldId)
    if (from === to && !inArray) this.#values.isEmpty(fieldId)
    const coordinate = isCoordinate(node) ? coordinateOf(bytes, from, to) : null
    if (coordinate !== null) this.#values.number(fieldId, coordinate)
    else this.#values.string(fieldId, bytes, from, to)
  }

  protected override number(node: FieldNode, bytes: Uint8Array, from: number, to: number): void {
    this.#values.exists(node.fieldId)
    this.#values.number(node.fieldId, exactValue(bytes, from, to))
  }

  protected override boolean(node: FieldNode, bytes: Uint8Array, from: number, to: number): void {
    this.#values.exists(node.fieldId)
    this.#values.string(node.fieldId, bytes, from, to)
  }

  protected override nothing(node: FieldNode, inArray: boolean): void {
    this.#values.exists(node.fieldId)
    if (!inArray) this.#values.isNull(node.fieldId)
  }

  protected override container(node: FieldNode, isEmpty: boolean, inArray: boolean): void {
    this.#values.exists(node.fieldId)
    if (isEmpty && !inArray) this.#values.isEmpty(node.fieldId)
  }

  protected override enter(node: FieldNode): void {
    if (!this.#isShape) this.#values.enter(node.fieldId)
  }

  protected override leave(_node: FieldNode): void {
    if (!this.#isShape) this.#values.leave()
  }
}
