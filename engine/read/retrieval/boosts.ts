// The boosts of a search: those of the request, or of the setting.
import {
  type Boost,
  EngineFault,
  type Features,
  type SearchRequest,
  wholeSecond,
} from '../../model/index.ts'
import { isSortable } from '../../settings/values/index.ts'
import { type Boosting, boostedDocuments, boostingOf, boostKey } from '../boosts/index.ts'
import { isFilterable } from '../filter-syntax/index.ts'
import type { SearchableView, SearchControl } from '../jobs/index.ts'
import { filtered, readFilter } from './candidates.ts'

const NO_BOOSTS: readonly Boosting[] = []

/**
 * Returns the boosts of a search. One that the index does not allow is refused if it was sent, and
 * has no effect in the setting, because settings change one by one.
 * @throws EngineFault invalid_search_boosts, and when time is up; Canceled
 */
export function boostsOf(
  view: SearchableView,
  request: SearchRequest,
  features: Features,
  control: SearchControl,
): readonly Boosting[] {
  const { boosts: stored } = view.settings
  const boosts = request.boosts ?? stored
  if (boosts.length === 0) return NO_BOOSTS
  const now = request.boostsNow ?? wholeSecond(view.now())
  return boosts.flatMap((boost, position) => {
    try {
      return boostOf(view, boost, { position, now }, features, control) ?? []
    } catch (error) {
      if (!(error instanceof EngineFault) || !NOT_ALLOWED.has(error.code)) throw error
      if (request.boosts === null) return []
      throw new EngineFault('invalid_search_boosts', `\`boosts[${position}]\`: ${error.message}`)
    }
  })
}

const NOT_ALLOWED: ReadonlySet<string> = new Set([
  'feature_not_enabled',
  'invalid_search_boosts',
  'invalid_search_filter',
])

type Place = { readonly position: number; readonly now: number }

function boostOf(
  view: SearchableView,
  boost: Boost,
  { position, now }: Place,
  features: Features,
  control: SearchControl,
): Boosting | null {
  const { filter, field, weight = 1 } = boost
  if (field === undefined) {
    const key = boostKey(boost, now)
    const ids = boostedDocuments(view, `${key} ${JSON.stringify(features)}`, () => {
      const tree = readFilter(filter, 'search', view.ref.uid, features, control)
      return filtered(view, tree, 'search', control)
    })
    return { position, weight, key, ids }
  }
  if (!isFilterable(view.filterRules, field) && !isSortable(view.settings, field)) {
    throw new EngineFault(
      'invalid_search_boosts',
      `Index \`${view.ref.uid}\`: attribute \`${field}\` is neither filterable nor sortable, ` +
        'so its values cannot be read. Add it to `filterableAttributes` or `sortableAttributes`.',
    )
  }
  return boostingOf(view, boost, position, now)
}
