// The values that a filter demands of every document, for the conditions of search rules.
import { normalizeFacet } from '../../text/index.ts'
import type { FilterTree } from '../filter-syntax/index.ts'

/** An attribute with a value, or with a list of values of which one suffices. */
type RequiredValue = readonly [attribute: string, value: unknown]

const NOTHING: ReadonlySet<number> = new Set()
/** Alternatives of a filter that are examined: those that require the most values. */
const ALTERNATIVES_MAX = 64

/**
 * Returns the first attribute whose value the filter does not demand, or null if one alternative of
 * the filter demands all values. Negated conditions are not considered. Of several alternatives,
 * the one that demands the most values is meant.
 */
export function missingValue(
  tree: FilterTree | null,
  required: { readonly [attribute: string]: unknown },
): string | null {
  const values = Object.entries(required)
  if (values.length === 0) return null
  const found = tree === null ? [] : mostRequired(alternatives(tree, values))
  const best = found[0] ?? NOTHING
  return values.find((_, at) => !best.has(at))?.[0] ?? null
}

/**
 * Returns the sets of required values (by position), one for each alternative of a filter that
 * requires any.
 */
function alternatives(
  tree: FilterTree,
  values: readonly RequiredValue[],
): readonly ReadonlySet<number>[] {
  if (tree.kind === 'or') {
    const some = tree.operands.flatMap((operand) => alternatives(operand, values))
    return mostRequired(some.filter(({ size }) => size > 0))
  }
  if (tree.kind === 'and') {
    let all: readonly ReadonlySet<number>[] = [NOTHING]
    for (const operand of tree.operands) {
      const more = alternatives(operand, values)
      if (more.length === 0) continue
      all = mostRequired(all.flatMap((some) => more.map((others) => new Set([...some, ...others]))))
    }
    return all.filter(({ size }) => size > 0)
  }
  if (tree.kind === 'elements') return alternatives(tree.condition, values)
  const required = values.flatMap(([attribute, value], at) =>
    requiresValue(tree, attribute, value) ? [at] : [],
  )
  return required.length === 0 ? [] : [new Set(required)]
}

function mostRequired(all: readonly ReadonlySet<number>[]): readonly ReadonlySet<number>[] {
  const different = new Map(
    all.map((required) => [[...required].sort((a, b) => a - b).join(), required]),
  )
  return [...different.values()].sort((a, b) => b.size - a.size).slice(0, ALTERNATIVES_MAX)
}

/** Returns true if a single condition requires the value, or one of the listed values. */
function requiresValue(tree: FilterTree, attribute: string, value: unknown): boolean {
  switch (tree.kind) {
    case 'compare':
      return (
        tree.operator === '=' && tree.field.text === attribute && isOneOf(tree.value.text, value)
      )
    case 'in':
      if (tree.field.text !== attribute) return false
      for (const text of tree.values) if (isOneOf(text, value)) return true
      return false
    default:
      return false
  }
}

const isOneOf = (text: string, value: unknown): boolean =>
  Array.isArray(value)
    ? value.some((one) => isOneOf(text, one))
    : normalizeFacet(text) === normalizeFacet(String(value))
