// Evaluates one condition.
//
// A comparison with a number applies to numbers and to texts that are numbers, one with another text
// to texts (./ranges.ts). `!=` matches all other documents of the index, including those without the field, if any document ever had the
// field.
import { type ExactNumber, KiB } from '../../../format/bytes/index.ts'
import { InvariantError } from '../../../format/errors.ts'
import type { FieldId } from '../../../format/ids.ts'
import { IdSet, IdUnion } from '../../../format/idset/index.ts'
import { parseExact } from '../../text/index.ts'
import {
  type Area,
  type BetweenNode,
  type CompareNode,
  type GeoBoxNode,
  type GeoCircle,
  type GeoPoint,
  type GeoPolygonNode,
  type GeoRadiusNode,
  isFilterable,
  type LeafNode,
  RESOLUTION_DEFAULT,
  type StateNode,
  type TextNode,
  type VectorsNode,
} from '../filter-syntax/index.ts'
import type { ContainsAhead } from './contains-ahead.ts'
import type { FilterContext } from './context.ts'
import { PLACE_MEMBER, pathOf } from './elements.ts'
import { SHARD_FIELD } from './gates.ts'
import { valueRanges } from './ranges.ts'

/** Up to this many values of a list are looked up one by one. */
const LOOKED_UP_MAX = 8
/**
 * Texts of a list that are looked up in one walk over the field's values, which are all in memory
 * meanwhile.
 */
const TEXTS_AT_ONCE = 256 * KiB
/** Literals between two checks of the clock. */
const LITERALS_STRIDE = 256

/** `leaf` has no fault. `ahead` evaluates CONTAINS conditions of the same filter together. */
export function evaluateLeaf(leaf: LeafNode, context: FilterContext, ahead: ContainsAhead): IdSet {
  switch (leaf.kind) {
    case 'compare':
      return compare(leaf, context)
    case 'between':
      return between(leaf, context)
    case 'in':
      return oneOf(leaf.field.text, leaf.values, context)
    case 'exists':
    case 'null':
    case 'empty':
      return state(leaf, context)
    case 'contains':
    case 'startsWith':
      return matchText(leaf, context, ahead)
    case 'geoRadius':
      return leaf.path === '' ? radius(leaf, context) : placeOfElement(leaf, context)
    case 'geoBox':
      return leaf.path === '' ? box(leaf, context) : placeOfElement(leaf, context)
    case 'geoPolygon':
      if (leaf.path !== '') return placeOfElement(leaf, context)
      return context.geojson?.polygon(leaf.points.map(toNumbers)) ?? IdSet.empty
    case 'vectors':
      return vectors(leaf, context)
    case 'foreign':
      throw new InvariantError('conditions on other indexes become lists of ids first')
  }
}

/** Values of a list, as written in the filter. */
type Literals = Iterable<string> & { readonly length: number }

/**
 * Returns null for a name that is not a filterable field of the index: nothing matches, not even
 * `!=`.
 */
export const fieldOf = (name: string, context: FilterContext): number | null =>
  isFilterable(context.rules, name) ? context.fieldId(name) : null

function compare(leaf: CompareNode, context: FilterContext): IdSet {
  const { universe } = context
  const { operator } = leaf
  if (leaf.field.text === SHARD_FIELD) {
    const shard = context.shards?.union([leaf.value.text]) ?? IdSet.empty
    return operator === '!=' ? universe.andNot(shard) : shard
  }
  const field = fieldOf(leaf.field.text, context)
  if (field === null) return IdSet.empty
  if (operator === '=') return equal(field, leaf.value.text, context)
  if (operator === '!=') return universe.andNot(equal(field, leaf.value.text, context))
  return inRanges(field, leaf, context)
}

function inRanges(field: FieldId, leaf: CompareNode | BetweenNode, context: FilterContext): IdSet {
  const { columns } = context
  const { numbers: n, texts: t } = valueRanges(leaf, context.normalise)
  const texts =
    t === null
      ? IdSet.empty
      : columns.stringRange(field, t.low, t.lowInclusive, t.high, t.highInclusive)
  if (n === null) return texts
  return columns.numberRange(field, n.low, n.lowInclusive, n.high, n.highInclusive).or(texts)
}

function equal(field: FieldId, literal: string, context: FilterContext): IdSet {
  const text = context.normalise(literal)
  const texts = text === '' ? IdSet.empty : context.columns.stringEquals(field, text)
  const number = parseExact(literal)
  return number === null ? texts : texts.or(context.columns.numberEquals(field, number))
}

function oneOf(name: string, literals: Literals, context: FilterContext): IdSet {
  if (name === SHARD_FIELD) {
    return context.shards?.union([...new Set(literals)]) ?? IdSet.empty
  }
  const field = fieldOf(name, context)
  if (field === null) return IdSet.empty
  if (literals.length > LOOKED_UP_MAX) return anyEqual(field, [literals], context)
  return unionOf([...literals], (literal) => equal(field, literal, context), context)
}

/** Returns the documents with a value that equals any literal of the lists. */
export function anyEqual(
  field: FieldId,
  lists: readonly Literals[],
  context: FilterContext,
): IdSet {
  const { columns, checkpoint, universe } = context
  const union = new IdUnion(universe.max + 1)
  const numbers: ExactNumber[] = []
  let texts = new Set<string>()
  let read = 0
  for (const list of lists) {
    for (const literal of list) {
      if (read++ % LITERALS_STRIDE === 0) checkpoint()
      const text = context.normalise(literal)
      if (text !== '') texts.add(text)
      const number = parseExact(literal)
      if (number !== null) numbers.push(number)
      if (texts.size < TEXTS_AT_ONCE) continue
      union.addSet(columns.stringsIn(field, texts, checkpoint))
      texts = new Set()
    }
  }
  if (texts.size > 0) union.addSet(columns.stringsIn(field, texts, checkpoint))
  if (numbers.length > 0) union.addSet(columns.numbersIn(field, numbers, checkpoint))
  return union.take()
}

/** Collects many sets in one bitmap: pairwise unions would copy for each set. */
export function unionOf<T>(
  items: readonly T[],
  find: (item: T) => IdSet,
  { universe, checkpoint }: FilterContext,
): IdSet {
  const [first, second] = items
  if (first === undefined) return IdSet.empty
  if (second === undefined) return find(first)
  if (items.length === 2) return find(first).or(find(second))
  const collector = new IdUnion(universe.max + 1)
  for (const item of items) {
    checkpoint()
    collector.addSet(find(item))
  }
  return collector.take()
}

function between(leaf: BetweenNode, context: FilterContext): IdSet {
  const field = fieldOf(leaf.field.text, context)
  return field === null ? IdSet.empty : inRanges(field, leaf, context)
}

function state(leaf: StateNode, context: FilterContext): IdSet {
  const field = fieldOf(leaf.field.text, context)
  if (field === null) return IdSet.empty
  if (leaf.kind === 'exists') return context.columns.exists(field)
  return leaf.kind === 'null' ? context.columns.nulls(field) : context.columns.empties(field)
}

function matchText(leaf: TextNode, context: FilterContext, ahead: ContainsAhead): IdSet {
  const field = fieldOf(leaf.field.text, context)
  if (field === null) return IdSet.empty
  const text = context.normalise(leaf.value.text)
  if (leaf.kind === 'contains') return ahead.find(leaf.field.text, field, text)
  return text === '' ? context.columns.exists(field) : context.columns.stringPrefix(field, text)
}

/** The circle of a `_geoRadius` condition, for points. */
export const circleOf = ({ latitude, longitude, metres }: GeoRadiusNode): GeoCircle => ({
  latitude: Number(latitude.text),
  longitude: Number(longitude.text),
  metres: Number(metres.text),
})

function radius(leaf: GeoRadiusNode, context: FilterContext): IdSet {
  const { latitude, longitude, metres } = circleOf(leaf)
  const { rules, columns } = context
  const points = rules.hasGeo ? columns.geoRadius(latitude, longitude, metres) : IdSet.empty
  return points.or(shapesInRadius(leaf, context))
}

export function shapesInRadius(leaf: GeoRadiusNode, { rules, geojson }: FilterContext): IdSet {
  if (!rules.hasGeojson || geojson === null) return IdSet.empty
  const { latitude, longitude, metres } = circleOf(leaf)
  const resolution = leaf.resolution === null ? RESOLUTION_DEFAULT : Number(leaf.resolution.text)
  return geojson.radius(latitude, longitude, metres, resolution)
}

function box(leaf: GeoBoxNode, context: FilterContext): IdSet {
  const [top, right] = toNumbers(leaf.topRight)
  const [bottom, left] = toNumbers(leaf.bottomLeft)
  const points = context.rules.hasGeo ? pointsInBox(top, right, bottom, left, context) : IdSet.empty
  if (!context.rules.hasGeojson || context.geojson === null) return points
  return points.or(context.geojson.box(top, right, bottom, left))
}

/** A box whose right side is west of its left side crosses the antimeridian. */
function pointsInBox(
  top: number,
  right: number,
  bottom: number,
  left: number,
  context: FilterContext,
): IdSet {
  const { columns } = context
  const latitude = context.fieldId('_geo.lat')
  const longitude = context.fieldId('_geo.lng')
  if (latitude === null || longitude === null) return IdSet.empty
  const rows = numbersBetween(latitude, bottom, top, context)
  if (rows.isEmpty) return rows
  if (right >= left) return rows.and(numbersBetween(longitude, left, right, context))
  const east = columns.numberRange(longitude, below(left), true, 180, true)
  const west = columns.numberRange(longitude, -180, true, above(right), true)
  return rows.and(east.or(west))
}

const numbersBetween = (field: FieldId, low: number, high: number, context: FilterContext): IdSet =>
  context.columns.numberRange(field, below(low), true, above(high), true)

/** Bounds of coordinates include both zeros. */
const below = (bound: number): number => (bound === 0 ? -0 : bound)
const above = (bound: number): number => (bound === 0 ? 0 : bound)

const toNumbers = ([latitude, longitude]: GeoPoint): readonly [number, number] => [
  Number(latitude.text),
  Number(longitude.text),
]

/**
 * The place of an element is its member `_geo`, an object with the numbers `lat` and `lng`: an
 * element itself, so that of several places each has its own coordinates.
 */
function placeOfElement(
  leaf: GeoRadiusNode | GeoBoxNode | GeoPolygonNode,
  context: FilterContext,
): IdSet {
  const place = `${leaf.path}.${PLACE_MEMBER}`
  const latitude = context.fieldId(`${place}.lat`)
  const longitude = context.fieldId(`${place}.lng`)
  if (latitude === null || longitude === null) return IdSet.empty
  const area = areaOf(leaf, context)
  return context.columns.elements(pathOf(place, context), null, ({ universe, columns }) =>
    columns.placesIn(latitude, longitude, area, context.checkpoint).and(universe),
  )
}

function areaOf(leaf: GeoRadiusNode | GeoBoxNode | GeoPolygonNode, { areas }: FilterContext): Area {
  switch (leaf.kind) {
    case 'geoRadius':
      return areas.circle(circleOf(leaf))
    case 'geoBox':
      return areas.box(...toNumbers(leaf.topRight), ...toNumbers(leaf.bottomLeft))
    case 'geoPolygon':
      return areas.polygon(leaf.points.map(toNumbers))
  }
}

function vectors(leaf: VectorsNode, context: FilterContext): IdSet {
  const filters = context.vectors
  if (filters === null) return IdSet.empty
  if (leaf.embedder === null) return filters.any()
  if (leaf.fragment !== null) return filters.ofFragment(leaf.embedder.text, leaf.fragment.text)
  return leaf.part === 'fragment' ? IdSet.empty : filters.of(leaf.embedder.text, leaf.part)
}
