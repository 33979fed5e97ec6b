// The documents whose scores search rules multiply (docs/search-semantics.md#search-rules), and the
// factors of boosts. Actions are read in the order of the rules; the weights of all actions that name
// a document are multiplied.
import type { DocId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { EngineFault, type Features, type ScaleAction } from '../../model/index.ts'
import { type Boosting, Factors } from '../boosts/index.ts'
import type { SearchableView, SearchControl } from '../jobs/index.ts'
import { type AppliedRule, SCALE_GROUPS_MAX, SCALES_MAX } from '../search-rules/index.ts'
import { filtered, readFilter } from './candidates.ts'

export type Scales = {
  /** Documents with the weight 0. */
  readonly hidden: IdSet
  /** Disjoint sets of documents by weight, without those of the weights 0 and 1. */
  readonly groups: readonly ScaleGroup[]
  /** The uids of the rules that scale a document, in their order. */
  readonly rulesOf: (id: DocId) => readonly string[]
  /** Factors of boosts, by which scores are multiplied as well; null without boosts. */
  readonly factors: Factors | null
}

export type ScaleGroup = { readonly weight: number; readonly ids: IdSet }

type Scaled = ScaleGroup & { readonly uid: string }

/** The documents for which ids are looked up before the time is read. */
const STRIDE = 1024

/**
 * Returns the scaled documents among `universe`, or null without any. `rules`: those that apply,
 * in order. @throws EngineFault when the search has to make room for others, Canceled
 */
export function scalesOf(
  view: SearchableView,
  rules: readonly AppliedRule[],
  boosts: readonly Boosting[],
  universe: IdSet,
  features: Features,
  control: SearchControl,
): Scales | null {
  const scaled: Scaled[] = []
  let groups: ReadonlyMap<number, IdSet> = new Map()
  let left = SCALES_MAX
  for (const { uid, actions } of rules) {
    for (const action of actions.scale ?? []) {
      if (action.indexUid !== undefined && action.indexUid !== view.ref.uid) continue
      if (left-- === 0) break
      const ids = documentsOf(view, action, universe, features, control)
      const weight = Math.max(0, action.weight)
      const more = ids.isEmpty ? groups : multiplied(groups, { weight, ids })
      if (ids.isEmpty || more.size > SCALE_GROUPS_MAX) continue
      groups = more
      scaled.push({ uid, weight, ids })
    }
  }
  if (scaled.length + boosts.length === 0) return null
  return {
    hidden: hiddenBy(boosts, universe).or(groups.get(0) ?? IdSet.empty),
    factors: boosts.length === 0 ? null : new Factors(view.view, boosts),
    groups: [...groups].flatMap(([weight, ids]) =>
      weight === 0 || weight === 1 ? [] : [{ weight, ids }],
    ),
    rulesOf: (id) => [...new Set(scaled.flatMap(({ uid, ids }) => (ids.has(id) ? [uid] : [])))],
  }
}

/** Returns the documents of filters with the weight 0. */
const hiddenBy = (boosts: readonly Boosting[], universe: IdSet): IdSet =>
  boosts.reduce(
    (hidden, boost) =>
      'ids' in boost && boost.weight === 0 ? hidden.or(boost.ids.and(universe)) : hidden,
    IdSet.empty,
  )

/** Multiplies the weights of some documents, of which those in no group have the weight 1. */
function multiplied(
  groups: ReadonlyMap<number, IdSet>,
  { weight, ids }: ScaleGroup,
): ReadonlyMap<number, IdSet> {
  const out = new Map<number, IdSet>()
  const add = (to: number, some: IdSet): void => {
    if (!some.isEmpty) out.set(to, out.get(to)?.or(some) ?? some)
  }
  let rest = ids
  for (const [before, group] of groups) {
    add(Math.min(before * weight, Number.MAX_VALUE), group.and(ids))
    add(before, group.andNot(ids))
    rest = rest.andNot(group)
  }
  add(weight, rest)
  return out
}

function documentsOf(
  view: SearchableView,
  { ids, filter }: ScaleAction,
  universe: IdSet,
  features: Features,
  control: SearchControl,
): IdSet {
  const named = ids === undefined ? universe : universe.and(documentsNamed(view, ids, control))
  if (filter === undefined || named.isEmpty) return named
  return named.and(documentsPassing(view, filter, features, control))
}

function documentsNamed(
  { view }: SearchableView,
  ids: readonly string[],
  control: SearchControl,
): IdSet {
  const found: number[] = []
  for (const [i, id] of ids.entries()) {
    if (i % STRIDE === STRIDE - 1 && control.isLate()) break
    const document = view.idOf(Buffer.from(id))
    if (document >= 0) found.push(document)
  }
  return IdSet.of(found)
}

/** A filter that this index does not allow selects nothing: the rule may be meant for others. */
function documentsPassing(
  view: SearchableView,
  filter: unknown,
  features: Features,
  control: SearchControl,
): IdSet {
  try {
    const tree = readFilter(filter, 'search', view.ref.uid, features, control)
    return filtered(view, tree, 'search', control)
  } catch (error) {
    if (!(error instanceof EngineFault) || !NOT_ALLOWED.has(error.code)) throw error
    return IdSet.empty
  }
}

const NOT_ALLOWED: ReadonlySet<string> = new Set(['invalid_search_filter', 'feature_not_enabled'])
