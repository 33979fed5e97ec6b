// The forms of a filter in a request: an expression, or an array of expressions that all must
// match, in which an array of expressions means that any of them must match.
import {
  Ceilings,
  type Checkpoint,
  combine,
  cut,
  type FilterTree,
  type FilterWording,
  isBlank,
  parseExpression,
  plainFault,
  SHOWN_JSON_LEVELS_MAX,
} from '../filter-syntax/index.ts'
import { type FilterGates, refuseGated } from './gates.ts'

export type FilterInput = {
  readonly wording: FilterWording
  readonly features: FilterGates
  /** True if this endpoint accepts `_foreign` conditions. */
  readonly takesForeign: boolean
  /** Called while a long filter is parsed; throws to end it early. */
  readonly checkpoint?: Checkpoint
}

/**
 * Returns the tree of a filter, or null for an empty filter: null, blank texts, empty arrays. Takes
 * time linear in its length.
 * @throws EngineFault of the wording's code, or feature_not_enabled
 */
export const parseFilter = (json: unknown, input: FilterInput): FilterTree | null =>
  json === null ? null : parseGiven(json, input)

/** Returns the tree of a filter that must not be empty. @throws EngineFault, also for null */
export function parseRequiredFilter(json: unknown, input: FilterInput): FilterTree {
  const tree = parseGiven(json, input)
  if (tree !== null) return tree
  const unnamed = { ...input.wording, indexUid: null }
  throw plainFault(unnamed, 'Sending an empty filter is forbidden.')
}

const goOn: Checkpoint = () => undefined

function parseGiven(json: unknown, input: FilterInput): FilterTree | null {
  const { wording, features, takesForeign, checkpoint = goOn } = input
  const ceilings = new Ceilings(wording, checkpoint)
  const tree = Array.isArray(json)
    ? conjunction(json, wording, ceilings)
    : expression(json, 'String, Array', wording, ceilings)
  if (tree !== null) refuseGated(tree, features, takesForeign, wording)
  return tree
}

function conjunction(
  items: readonly unknown[],
  wording: FilterWording,
  ceilings: Ceilings,
): FilterTree | null {
  const operands = items.map((item) =>
    Array.isArray(item)
      ? disjunction(item, wording, ceilings)
      : expression(item, 'String, [String]', wording, ceilings),
  )
  return combine('and', operands.filter(isFilter))
}

const disjunction = (
  items: readonly unknown[],
  wording: FilterWording,
  ceilings: Ceilings,
): FilterTree | null => {
  const operands = items.map((item) => expression(item, 'String', wording, ceilings))
  return combine('or', operands.filter(isFilter))
}

const isFilter = (tree: FilterTree | null): tree is FilterTree => tree !== null

function expression(
  json: unknown,
  expected: string,
  wording: FilterWording,
  ceilings: Ceilings,
): FilterTree | null {
  if (typeof json === 'string')
    return isBlank(json) ? null : parseExpression(json, wording, ceilings)
  const sentence =
    'Invalid syntax for the filter parameter: ' +
    `\`expected ${expected}, found: ${showJson(json)}\`.`
  throw plainFault(wording, sentence)
}

/** Returns the JSON text, or an ellipsis if it is nested too deeply to be shown. */
function showJson(json: unknown): string {
  let below: readonly unknown[] = [json]
  for (let level = 0; level < SHOWN_JSON_LEVELS_MAX; level++) {
    below = below.flatMap(childrenOf)
    if (below.length === 0) return cut(JSON.stringify(json))
  }
  return '…'
}

const childrenOf = (json: unknown): unknown[] =>
  json !== null && typeof json === 'object' ? Object.values(json) : []
