// Runs a filter: which documents match. Sets are combined as sets; how columns find theirs is their
// matter.
//
// A comparison looks at numbers and at texts: `n > 5` also finds the text "six". `!=` counts every
// document of the index, those without the field included, as long as any document ever had the
// field.
//
// A conjunction stops when it is empty, so that a faulty condition behind an empty one goes
// unnoticed. Where no condition is faulty, which is the rule, conditions run cheapest first instead
// of from left to right.
import { compareText } from '../../format/bytes/index.ts'
import { IdSet, IdUnion } from '../../format/idset/index.ts'
import { checkFilter, leafFault } from './check.ts'
import type { FilterContext } from './context.ts'
import { SHARD_FIELD } from './gates.ts'
import { FOREIGN_DOCUMENTS_MAX, RESOLUTION_DEFAULT } from './limits.ts'
import { parseNumber } from './numbers.ts'
import { isFilterable } from './rules.ts'
import {
  type BetweenNode,
  type CompareNode,
  type FilterTree,
  type ForeignNode,
  type GeoBoxNode,
  type GeoPoint,
  type GeoRadiusNode,
  type LeafNode,
  leaves,
  type StateNode,
  type TextNode,
  type Token,
  type VectorsNode,
} from './tree.ts'
import { plainFault } from './wording.ts'

/** The live documents that match. @throws EngineFault */
export function evaluateFilter(tree: FilterTree, context: FilterContext): IdSet {
  checkFilter(tree, context.rules, context.wording)
  const run: Run = { context, root: tree, isFaulty: mayFail(tree, context) }
  return evaluate(tree, run)
}

type Run = {
  readonly context: FilterContext
  readonly root: FilterTree
  /** Some condition has a fault: order matters. */
  readonly isFaulty: boolean
}

function mayFail(tree: FilterTree, context: FilterContext): boolean {
  for (const leaf of leaves(tree)) {
    if (leaf.kind === 'foreign' || leafFault(leaf, context, tree) !== null) return true
  }
  return false
}

function evaluate(tree: FilterTree, run: Run): IdSet {
  switch (tree.kind) {
    case 'and':
      return run.isFaulty ? andInOrder(tree.operands, run) : andCheapestFirst(tree.operands, run)
    case 'or':
      return union(
        tree.operands.map((operand) => evaluate(operand, run)),
        run.context.universe,
      )
    case 'not':
      return run.context.universe.andNot(evaluate(tree.operand, run))
    default:
      return evaluateLeaf(tree, run)
  }
}

function andInOrder(operands: readonly FilterTree[], run: Run): IdSet {
  let found: IdSet | null = null
  for (const operand of operands) {
    const matching = evaluate(operand, run)
    found = found === null ? matching : found.and(matching)
    if (found.isEmpty) return found
  }
  return found ?? run.context.universe
}

function andCheapestFirst(operands: readonly FilterTree[], run: Run): IdSet {
  const positive = operands.filter((operand) => operand.kind !== 'not')
  positive.sort((a, b) => costOf(a) - costOf(b))
  let found = andInOrder(positive, run)
  for (const operand of operands) {
    if (operand.kind !== 'not') continue
    if (found.isEmpty) return found
    found = found.andNot(evaluate(operand.operand, run))
  }
  return found
}

/**
 * A rough order: look-ups, then ranges, then what combines others, then scans of texts and places.
 */
function costOf(tree: FilterTree): number {
  switch (tree.kind) {
    case 'compare':
      return tree.operator === '=' || tree.operator === '!=' ? 1 : 2
    case 'between':
    case 'startsWith':
    case 'geoBox':
      return 2
    case 'and':
    case 'or':
    case 'not':
      return 3
    case 'contains':
    case 'geoRadius':
    case 'geoPolygon':
      return 4
    default:
      return 1
  }
}

/** Many sets are collected in one bitmap: pairwise it would be a copy for each. */
function union(sets: readonly IdSet[], universe: IdSet): IdSet {
  const [first, second] = sets
  if (first === undefined) return IdSet.empty
  if (second === undefined) return first
  if (sets.length === 2) return first.or(second)
  const collector = new IdUnion(universe.max + 1)
  for (const set of sets) collector.addSet(set)
  return collector.take()
}

function evaluateLeaf(leaf: LeafNode, run: Run): IdSet {
  run.context.checkpoint?.()
  if (run.isFaulty) {
    const fault = leafFault(leaf, run.context, run.root)
    if (fault !== null) throw fault
  }
  const { context } = run
  switch (leaf.kind) {
    case 'compare':
      return compare(leaf, context)
    case 'between':
      return between(leaf, context)
    case 'in':
      return oneOf(leaf.field.text, leaf.values.map(textOf), context)
    case 'exists':
    case 'null':
    case 'empty':
      return state(leaf, context)
    case 'contains':
    case 'startsWith':
      return matchText(leaf, context)
    case 'geoRadius':
      return radius(leaf, context)
    case 'geoBox':
      return box(leaf, context)
    case 'geoPolygon':
      return context.geojson?.polygon(leaf.points.map(toNumbers)) ?? IdSet.empty
    case 'vectors':
      return vectors(leaf, context)
    case 'foreign':
      return foreign(leaf, context)
  }
}

/** null for what is no field of the index: nothing matches it, not even `!=`. */
const fieldOf = (name: string, context: FilterContext): number | null =>
  isFilterable(context.rules, name) ? context.fieldId(name) : null

const textOf = (token: Token): string => token.text

function compare(leaf: CompareNode, context: FilterContext): IdSet {
  const { columns, universe } = context
  const { operator } = leaf
  if (leaf.field.text === SHARD_FIELD) {
    const shard = context.shards?.documents(leaf.value.text) ?? IdSet.empty
    return operator === '!=' ? universe.andNot(shard) : shard
  }
  const field = fieldOf(leaf.field.text, context)
  if (field === null) return IdSet.empty
  if (operator === '=') return equal(field, leaf.value.text, context)
  if (operator === '!=') return universe.andNot(equal(field, leaf.value.text, context))

  const number = parseNumber(leaf.value.text)
  const text = context.normalise(leaf.value.text)
  const isInclusive = operator === '>=' || operator === '<='
  if (operator === '>' || operator === '>=') {
    const texts = columns.stringRange(field, text, isInclusive, null, true)
    if (number === null) return texts
    return columns.numberRange(field, number, isInclusive, Infinity, true).or(texts)
  }
  const texts = text === '' ? IdSet.empty : columns.stringRange(field, '', true, text, isInclusive)
  if (number === null) return texts
  return columns.numberRange(field, -Infinity, true, number, isInclusive).or(texts)
}

function equal(field: number, literal: string, context: FilterContext): IdSet {
  const text = context.normalise(literal)
  const texts = text === '' ? IdSet.empty : context.columns.stringEquals(field, text)
  const number = parseNumber(literal)
  return number === null ? texts : texts.or(context.columns.numberEquals(field, number))
}

function oneOf(name: string, literals: readonly string[], context: FilterContext): IdSet {
  const find =
    name === SHARD_FIELD
      ? (shard: string) => context.shards?.documents(shard) ?? IdSet.empty
      : finderOf(name, context)
  return union(literals.map(find), context.universe)
}

function finderOf(name: string, context: FilterContext): (literal: string) => IdSet {
  const field = fieldOf(name, context)
  return field === null ? () => IdSet.empty : (literal) => equal(field, literal, context)
}

function between(leaf: BetweenNode, context: FilterContext): IdSet {
  const { columns } = context
  const field = fieldOf(leaf.field.text, context)
  if (field === null) return IdSet.empty
  const lowText = context.normalise(leaf.low.text)
  const highText = context.normalise(leaf.high.text)
  const texts =
    compareText(lowText, highText) > 0 || highText === ''
      ? IdSet.empty
      : columns.stringRange(field, lowText, true, highText, true)
  const low = parseNumber(leaf.low.text)
  const high = parseNumber(leaf.high.text)
  if (low === null || high === null || isAbove(low, high)) return texts
  return columns.numberRange(field, low, true, high, true).or(texts)
}

/** In total order: 0 is above −0. */
const isAbove = (a: number, b: number): boolean => a > b || (Object.is(a, 0) && Object.is(b, -0))

function state(leaf: StateNode, context: FilterContext): IdSet {
  const field = fieldOf(leaf.field.text, context)
  if (field === null) return IdSet.empty
  if (leaf.kind === 'exists') return context.columns.exists(field)
  return leaf.kind === 'null' ? context.columns.nulls(field) : context.columns.empties(field)
}

function matchText(leaf: TextNode, context: FilterContext): IdSet {
  const field = fieldOf(leaf.field.text, context)
  if (field === null) return IdSet.empty
  const text = context.normalise(leaf.value.text)
  if (leaf.kind === 'contains') return context.columns.stringContains(field, text)
  return text === '' ? context.columns.exists(field) : context.columns.stringPrefix(field, text)
}

function radius(leaf: GeoRadiusNode, context: FilterContext): IdSet {
  const { rules, columns, geojson } = context
  const latitude = Number(leaf.latitude.text)
  const longitude = Number(leaf.longitude.text)
  const metres = Number(leaf.metres.text)
  const points = rules.hasGeo ? columns.geoRadius(latitude, longitude, metres) : IdSet.empty
  if (!rules.hasGeojson || geojson === null) return points
  const resolution = leaf.resolution === null ? RESOLUTION_DEFAULT : Number(leaf.resolution.text)
  return points.or(geojson.radius(latitude, longitude, metres, resolution))
}

function box(leaf: GeoBoxNode, context: FilterContext): IdSet {
  const [top, right] = toNumbers(leaf.topRight)
  const [bottom, left] = toNumbers(leaf.bottomLeft)
  const points = context.rules.hasGeo ? pointsInBox(top, right, bottom, left, context) : IdSet.empty
  if (!context.rules.hasGeojson || context.geojson === null) return points
  return points.or(context.geojson.box(top, right, bottom, left))
}

/** A box whose right side lies west of its left one goes round the back of the world. */
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

const numbersBetween = (field: number, low: number, high: number, context: FilterContext): IdSet =>
  context.columns.numberRange(field, below(low), true, above(high), true)

/** The bounds of a place are plain numbers: both zeros are one. */
const below = (bound: number): number => (bound === 0 ? -0 : bound)
const above = (bound: number): number => (bound === 0 ? 0 : bound)

const toNumbers = ([latitude, longitude]: GeoPoint): readonly [number, number] => [
  Number(latitude.text),
  Number(longitude.text),
]

function vectors(leaf: VectorsNode, context: FilterContext): IdSet {
  const filters = context.vectors
  if (filters === null) return IdSet.empty
  if (leaf.embedder === null) return filters.any()
  if (leaf.fragment !== null) return filters.ofFragment(leaf.embedder.text, leaf.fragment.text)
  return leaf.part === 'fragment' ? IdSet.empty : filters.of(leaf.embedder.text, leaf.part)
}

function foreign(leaf: ForeignNode, context: FilterContext): IdSet {
  const ids = context.foreign?.match(leaf.field.text, leaf.condition) ?? []
  if (ids.length > FOREIGN_DOCUMENTS_MAX) {
    const sentence =
      `The foreign filter on \`${leaf.field.text}\` matches more than ` +
      `${FOREIGN_DOCUMENTS_MAX} documents of the foreign index`
    throw plainFault(context.wording, sentence)
  }
  return oneOf(leaf.field.text, ids, context)
}
