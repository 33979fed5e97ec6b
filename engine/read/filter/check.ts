// Checks that an index allows a filter. Fields that are not filterable are refused before anything
// runs; other faults belong to a condition and occur when it runs, so that a condition after an
// empty one in a conjunction does not fail.
import { quotedNames } from '../../../format/errors.ts'
import type { EngineFault } from '../../model/index.ts'
import { matchesPattern } from '../../settings/schema/index.ts'
import type { FilterFeatures } from '../../settings/values/index.ts'
import {
  type CompareOperator,
  type FilterRules,
  type FilterTree,
  type FilterWording,
  faultInTree,
  type GeoBoxNode,
  type GeoPoint,
  type GeoRadiusNode,
  isFilterable,
  type LeafNode,
  latitudeProblem,
  leaves,
  longitudeProblem,
  plainFault,
  quoted,
  RESOLUTION_MAX,
  RESOLUTION_MIN,
  suggestion,
  type Token,
  type VectorsNode,
} from '../filter-syntax/index.ts'
import type { FilterContext } from './context.ts'
import { PLACE_MEMBER } from './elements.ts'
import { SHARD_FIELD } from './gates.ts'

/** Special names that are not fields and need no rule. */
const SPECIAL_FIELDS: ReadonlySet<string> = new Set([SHARD_FIELD, '_vectors'])

/** Refuses the first field, from left to right, that is not filterable. @throws EngineFault */
export function checkFilter(tree: FilterTree, rules: FilterRules, wording: FilterWording): void {
  for (const leaf of leaves(tree)) {
    if (!('field' in leaf)) continue
    const { field } = leaf
    if (SPECIAL_FIELDS.has(field.text) || isFilterable(rules, field.text)) continue
    throw notFilterable(field.text, field, tree, rules, wording)
  }
}

/** Returns true if the token is a name inside `path[…]`, written without the path. */
const isBelowPath = ({ text, source, from, to }: Token): boolean =>
  text.length > to - from && text.endsWith(`.${source.slice(from, to)}`)

function notFilterable(
  attribute: string,
  token: Token,
  root: FilterTree,
  rules: FilterRules,
  wording: FilterWording,
): EngineFault {
  const patterns = quotedNames(rules.filterable)
  const available =
    patterns === ''
      ? 'This index does not have configured filterable attributes.'
      : `Available filterable attribute patterns are: ${patterns}.`
  const remedy = isBelowPath(token)
    ? ` Names between \`[\` and \`]\` begin below the path in front: add \`${attribute}\`, or a ` +
      'name above it, to the `filterableAttributes` index settings.'
    : plainPatternHint(attribute, rules)
  const sentence = `Attribute \`${attribute}\` is not filterable. ${available}${remedy}`
  return faultInTree(wording, sentence, token, root)
}

/** Returns a hint if a plain name of the settings would match the attribute as a pattern, or ''. */
function plainPatternHint(attribute: string, { attributes }: FilterRules): string {
  const name = attributes.find(
    (one) => typeof one === 'string' && one.includes('*') && matchesPattern(one, attribute),
  )
  if (name === undefined) return ''
  return (
    ` \`${name}\` is a plain name there: write \`{"attributePatterns": ["${name}"]}\` in the ` +
    '`filterableAttributes` index settings.'
  )
}

/** Returns the fault of running `leaf`, a part of `root`, or null if it has a result. */
export function leafFault(
  leaf: LeafNode,
  context: FilterContext,
  root: FilterTree,
): EngineFault | null {
  switch (leaf.kind) {
    case 'compare':
      if (leaf.field.text === SHARD_FIELD && EQUALITIES.has(leaf.operator)) {
        return shardFault([leaf.value.text], context)
      }
      return operatorFault(leaf.field, leaf.operator, context)
    case 'between':
      return operatorFault(leaf.field, 'TO', context)
    case 'in':
      if (leaf.field.text === SHARD_FIELD) return shardFault(leaf.values, context)
      return leaf.values.length === 0 ? null : operatorFault(leaf.field, '=', context)
    case 'exists':
      return shardOperatorFault(leaf.field, 'EXISTS', context)
    case 'null':
    case 'empty':
      return shardOperatorFault(leaf.field, `IS ${leaf.kind.toUpperCase()}`, context)
    case 'contains':
      return shardOperatorFault(leaf.field, 'CONTAINS', context)
    case 'startsWith':
      return shardOperatorFault(leaf.field, 'STARTS WITH', context)
    case 'vectors':
      return vectorsFault(leaf, context, root)
    case 'foreign':
      return null
    default:
      return geoFault(leaf, context, root)
  }
}

type RuledOperator = CompareOperator | 'TO'
const EQUALITIES: ReadonlySet<RuledOperator> = new Set(['=', '!='])

/** Returns a fault if the field's rule does not enable the operator. */
function operatorFault(
  field: Token,
  operator: RuledOperator,
  context: FilterContext,
): EngineFault | null {
  if (field.text === SHARD_FIELD) return shardOperatorFault(field, operator, context)
  const rule = context.rules.ruleOf(field.text)
  if (rule === null) return null
  const needed = EQUALITIES.has(operator) ? 'equality' : 'comparison'
  if (rule.features.filter[needed]) return null
  const name = `\`${field.text}\``
  return plainFault(
    context.wording,
    `Filter operator \`${operator}\` is not allowed for the attribute ${name}.\n` +
      `  - Note: allowed operators: ${allowedOperators(rule.features).join(', ')}.\n` +
      `  - Note: field ${name} matched rule #${rule.index} in \`filterableAttributes\`\n` +
      `  - Hint: enable ${needed} in rule #${rule.index} ` +
      'by modifying the features.filter object\n' +
      `  - Hint: prepend another rule matching ${name} with appropriate filter features ` +
      `before rule #${rule.index}`,
  )
}

/** Returns the operators that a rule enables, in the order of messages. */
function allowedOperators(features: FilterFeatures): readonly string[] {
  const { equality, comparison } = features.filter
  return [
    'OR',
    'AND',
    'NOT',
    ...(equality ? ['=', '!=', 'IN'] : []),
    ...(comparison ? ['<', '>', '<=', '>=', 'TO'] : []),
    ...(equality || comparison ? ['IS EMPTY', 'IS NULL', 'EXISTS'] : []),
  ]
}

function shardFault(shards: Iterable<string>, context: FilterContext): EngineFault | null {
  for (const text of shards) {
    if (context.shards?.has(text) === true) continue
    return plainFault(shardWording(context.wording), `Shard \`${text}\` does not exist`)
  }
  return null
}

/** On document routes, an unknown shard has the code of searches: clients rely on it. */
const shardWording = (wording: FilterWording): FilterWording =>
  wording.code === 'invalid_document_filter' && wording.indexUid === null
    ? { ...wording, code: 'invalid_search_filter' }
    : wording

/**
 * An operator that `_shard` does not support. Clients rely on the unpaired back-tick and the blank.
 */
function shardOperatorFault(
  field: Token,
  operator: string,
  context: FilterContext,
): EngineFault | null {
  if (field.text !== SHARD_FIELD) return null
  return plainFault(
    context.wording,
    `Filter operator \`${operator} is not allowed for the special attribute \`_shard\`.\n` +
      '  - Note: allowed operators: =, !=, IN. \n' +
      '  - Note: other operators are not allowed for the special attribute `_shard`.',
  )
}

function vectorsFault(
  leaf: VectorsNode,
  context: FilterContext,
  root: FilterTree,
): EngineFault | null {
  const { embedder, fragment } = leaf
  if (embedder === null) return null
  const embedders = context.vectors?.embedders() ?? []
  if (!embedders.includes(embedder.text)) {
    const available =
      embedders.length === 0
        ? 'This index does not have any configured embedders.'
        : `Available embedders are: ${embedders.map(quoted).join(', ')}.`
    const sentence =
      `The embedder ${quoted(embedder.text)} does not exist. ` +
      available +
      suggestion(embedder.text, embedders)
    return faultInTree(context.wording, sentence, embedder, root)
  }
  if (fragment === null) return null
  const fragments = context.vectors?.fragments(embedder.text) ?? []
  if (fragments.includes(fragment.text)) return null
  const available =
    fragments.length === 0
      ? 'This embedder does not have any configured fragments.'
      : `Available fragments on this embedder are: ${fragments.map(quoted).join(', ')}.`
  const sentence =
    `The fragment ${quoted(fragment.text)} does not exist on embedder ${quoted(embedder.text)}. ` +
    available +
    suggestion(fragment.text, fragments)
  return faultInTree(context.wording, sentence, fragment, root)
}

type GeoNode = Extract<LeafNode, { kind: 'geoRadius' | 'geoBox' | 'geoPolygon' }>

function geoFault(leaf: GeoNode, context: FilterContext, root: FilterTree): EngineFault | null {
  const { rules, wording } = context
  const points = pointsOf(leaf)
  const closed = leaf.path === '' ? closedPlace(leaf, rules) : closedBelow(leaf.path, rules)
  if (closed !== null) return notFilterable(closed, points[0]![0], root, rules, wording)
  for (const [latitude, longitude] of points) {
    const problem = latitudeProblem(Number(latitude.text))
    if (problem !== null) return faultInTree(wording, problem, latitude, root)
    const other = longitudeProblem(Number(longitude.text))
    if (other !== null) return faultInTree(wording, other, longitude, root)
  }
  if (leaf.kind === 'geoRadius') return radiusFault(leaf, wording, root)
  return leaf.kind === 'geoBox' ? boxFault(leaf, wording, root) : null
}

/** Returns the attribute that would have to be filterable, or null if it is. */
function closedPlace({ kind }: GeoNode, rules: FilterRules): string | null {
  if (rules.hasGeojson || (rules.hasGeo && kind !== 'geoPolygon')) return null
  return kind === 'geoPolygon' ? '_geojson' : '_geo/_geojson'
}

function closedBelow(path: string, rules: FilterRules): string | null {
  const place = `${path}.${PLACE_MEMBER}`
  return isFilterable(rules, `${place}.lat`) && isFilterable(rules, `${place}.lng`) ? null : place
}

function pointsOf(leaf: GeoNode): readonly GeoPoint[] {
  if (leaf.kind === 'geoPolygon') return leaf.points
  return leaf.kind === 'geoBox'
    ? [leaf.topRight, leaf.bottomLeft]
    : [[leaf.latitude, leaf.longitude]]
}

function radiusFault(
  leaf: GeoRadiusNode,
  wording: FilterWording,
  root: FilterTree,
): EngineFault | null {
  if (!Number.isFinite(Number(leaf.metres.text))) {
    return faultInTree(wording, 'Non finite floats are not supported', leaf.metres, root)
  }
  if (leaf.resolution === null) return null
  const resolution = Number(leaf.resolution.text)
  const isInside = resolution >= RESOLUTION_MIN && resolution <= RESOLUTION_MAX
  if (isInside && Number.isInteger(resolution)) return null
  const sentence =
    `Invalid resolution \`${leaf.resolution.text}\`. ` +
    `Resolution must be between ${RESOLUTION_MIN} and ${RESOLUTION_MAX}.`
  return faultInTree(wording, sentence, leaf.resolution, root)
}

/** The message points at the last number of the box, whichever is wrong. */
function boxFault(leaf: GeoBoxNode, wording: FilterWording, root: FilterTree): EngineFault | null {
  const top = leaf.topRight[0].text
  const [bottom, left] = leaf.bottomLeft
  if (Number(top) >= Number(bottom.text)) return null
  const sentence = `The top latitude \`${top}\` is below the bottom latitude \`${bottom.text}\`.`
  return faultInTree(wording, sentence, left, root)
}
