// Pins documents to positions in the list of hits, as search rules demand
// (docs/search-semantics.md#pins).
//
// Applicable rules are read in their order; the first rule that pins a document wins. Pinned
// documents have to pass only the filter, and are left out of the ranking. They are inserted into
// the ranked hits: a pin is placed at its position, or directly after earlier pins, or at the end
// if there are too few hits.
import { IdSet } from '../../../format/idset/index.ts'
import type { Features, SearchRequest } from '../../model/index.ts'
import { normalizeFacet } from '../../text/index.ts'
import type { FilterTree } from '../filter-syntax/index.ts'
import type { SearchableView } from '../jobs/index.ts'
import { PINS_MAX, QUERY_WORDS_MAX, type RuleConditions, type SearchRule } from '../pins/index.ts'
import type { RankedHit, Window } from '../rank/index.ts'

/** A ranked or pinned hit; a pinned hit has no scores. */
export type PlacedHit = RankedHit & { readonly pin?: number }

export type Pins = {
  /** By position; hits with the same position in the order of the rules. */
  readonly hits: readonly Required<PlacedHit>[]
  readonly ids: IdSet
}

const NO_PINS: Pins = { hits: [], ids: IdSet.empty }

export type PinRequest = {
  /** Active rules in their order. */
  readonly rules: readonly SearchRule[]
  readonly request: SearchRequest
  readonly features: Features
  readonly tree: FilterTree | null
  /** The documents that pass the filter. */
  readonly universe: IdSet
}

export function pinsOf(
  { view, ref }: SearchableView,
  { rules, request, features, tree, universe }: PinRequest,
): Pins {
  if (rules.length === 0 || !features.dynamicSearchRules) return NO_PINS
  const hits: Required<PlacedHit>[] = []
  const ids = new Set<number>()
  let words: ReadonlySet<string> | null = null
  for (const { conditions, actions } of rules) {
    words ??= new Set(wordsOf(request.q ?? '').slice(0, QUERY_WORDS_MAX))
    if (!applies(conditions, request.q ?? '', words, tree)) continue
    for (const { selector, action } of actions) {
      if (selector.indexUid !== undefined && selector.indexUid !== ref.uid) continue
      const id = view.idOf(Buffer.from(selector.id))
      if (id < 0 || ids.has(id) || !universe.has(id) || hits.length >= PINS_MAX) continue
      ids.add(id)
      hits.push({ id, scores: [], pin: action.position })
    }
  }
  if (hits.length === 0) return NO_PINS
  return { hits: hits.sort((a, b) => a.pin - b.pin), ids: IdSet.of([...ids]) }
}

function applies(
  { time, query, filter }: RuleConditions,
  q: string,
  words: ReadonlySet<string>,
  tree: FilterTree | null,
): boolean {
  if (time?.start !== undefined && Date.now() < Date.parse(time.start)) return false
  if (time?.end !== undefined && Date.now() > Date.parse(time.end)) return false
  if (query?.isEmpty !== undefined && query.isEmpty !== (q.trim() === '')) return false
  if (query?.words !== undefined) {
    const wanted = wordsOf(query.words)
    if (wanted.length === 0 || !wanted.every((word) => words.has(word))) return false
  }
  const values = Object.entries(filter?.values ?? {})
  return values.length === 0 || (tree !== null && requiresAll(tree, values))
}

const wordsOf = (text: string): readonly string[] =>
  normalizeFacet(text).match(/[\p{L}\p{N}\p{M}]+/gu) ?? []

/** An attribute with a value, or with a list of values of which one suffices. */
type RequiredValue = readonly [attribute: string, value: unknown]

const NOTHING: ReadonlySet<number> = new Set()
/** Alternatives of a filter that are examined: those that require the most values. */
const ALTERNATIVES_MAX = 64

/**
 * Returns true if one alternative of a filter requires all values. Negated conditions are not
 * considered.
 */
function requiresAll(tree: FilterTree, values: readonly RequiredValue[]): boolean {
  return alternatives(tree, values).some((required) => required.size === values.length)
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

/** The window to rank so that a page of hits and pins together can be cut from it. */
export const windowBefore = (window: Window, { hits }: Pins): Window =>
  hits.length === 0 ? window : { ...window, offset: 0, limit: window.offset + window.limit }

/** Merges both lists; `pinned` is in ascending order of position. */
export function placed<T>(
  ranked: readonly T[],
  pinned: readonly T[],
  positionOf: (one: T) => number,
): T[] {
  const out: T[] = []
  let next = 0
  for (const one of ranked) {
    while (next < pinned.length && positionOf(pinned[next]!) <= out.length) {
      out.push(pinned[next++]!)
    }
    out.push(one)
  }
  return [...out, ...pinned.slice(next)]
}
