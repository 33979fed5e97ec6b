// A walk over the hits of a search, page by page, each behind the cursor of the one before
// (docs/search-semantics.md#walks).
import { IdSet } from '../../../format/idset/index.ts'
import { EngineFault, type Features, type SearchRequest, wholeSecond } from '../../model/index.ts'
import { columnsLayer } from '../../store/layers/index.ts'
import { type Answer, isShown, windowOf } from '../answers/index.ts'
import { divideAt } from '../facets/index.ts'
import { isBlank, type SearchableView } from '../jobs/index.ts'
import type { Window } from '../rank/index.ts'
import { appliedRules, type Prepared, valueOrder } from '../retrieval/index.ts'
import type { SearchRule } from '../search-rules/index.ts'
import {
  type Cursor,
  cursorText,
  type Place,
  type PlaceValue,
  readCursor,
  refusedCursor,
  searchKey,
} from './cursor.ts'

type Walked = {
  readonly request: SearchRequest
  /** As `momentOf` returns it. */
  readonly now: number | null
  readonly features: Features
  readonly rules: readonly SearchRule[]
}

type Order = NonNullable<ReturnType<typeof valueOrder>>

/**
 * Returns the moment that `now` in boosts means on all pages of a walk, which is that of its first
 * one; null without a walk or boosts.
 * @throws EngineFault invalid_search_search_after
 */
export function momentOf(view: SearchableView, request: SearchRequest): number | null {
  const { searchAfter, boosts, boostsNow } = request
  if (searchAfter === null || (boosts ?? view.settings.boosts).length === 0) return null
  if (boostsNow !== null) return boostsNow
  if (searchAfter === '') return wholeSecond(view.now())
  const cursor = readCursor(searchAfter, searchKey(view, request))
  return ('count' in cursor ? cursor.count.now : undefined) ?? wholeSecond(view.now())
}

export class Walk {
  readonly #view: SearchableView
  readonly #request: SearchRequest
  readonly #now: number | null
  readonly #universe: IdSet
  readonly #key: string
  /** The fields that order the hits; null if more than values decide. */
  readonly #order: Order | null
  /** Null for the first page. */
  readonly #cursor: Cursor | null

  /** @throws EngineFault invalid_search_search_after, search_cursor_expired */
  constructor(view: SearchableView, walked: Walked, prepared: Prepared) {
    const { request } = walked
    const { offset, page, hitsPerPage, network, searchAfter } = request
    if (network !== undefined) throw refusedWalk()
    if (offset !== 0 || page !== null || hitsPerPage !== null) {
      throw refusedCursor('cannot be combined with `offset`, `page` and `hitsPerPage`')
    }
    this.#view = view
    this.#request = request
    this.#now = walked.now
    this.#universe = prepared.universe
    this.#key = searchKey(view, request)
    this.#order = orderOf(view, walked, prepared)
    this.#cursor =
      searchAfter === null || searchAfter === '' ? null : readCursor(searchAfter, this.#key)
    this.#check()
  }

  /** @throws EngineFault for hits beyond `totalMax` of a walk that counts */
  windowOf(totalMax: number): Window {
    const seen = this.#cursor !== null && 'count' in this.#cursor ? this.#cursor.count.seen : 0
    if (seen >= totalMax && this.#cursor !== null) {
      throw refusedCursor(
        `is behind the first ${totalMax} hits (\`pagination.maxTotalHits\`), which only a search ` +
          'that is ordered by values alone can pass',
      )
    }
    return windowOf({ ...this.#request, offset: seen }, totalMax)
  }

  /** The documents behind the cursor, if it is a place. */
  get restriction(): { readonly after?: IdSet } {
    const cursor = this.#cursor
    if (cursor === null || !('place' in cursor)) return {}
    return { after: documentsAfter(this.#view, this.#order!, cursor.place, this.#universe) }
  }

  /** Returns the cursor behind the last hit of the answer, or null if no hit follows. */
  cursorAfter({ hits, from, to }: Answer, { offset, limit }: Window): string | null {
    if (to - from < limit || to === from) return null
    if (this.#order === null) {
      const { sequence } = this.#view.ref
      const count = { seen: offset + to - from, sequence, found: this.#universe.size }
      const now = this.#now
      return cursorText(this.#key, { count: now === null ? count : { ...count, now } })
    }
    const values = hits.keyAt(to - 1).parts.map((part): PlaceValue => {
      return part.kind === 'sort' ? part.value : null
    })
    if (values.length !== this.#order.length) throw refusedCursor(CUT_SHORT)
    return cursorText(this.#key, { place: { values, id: hits.documentAt(to - 1) } })
  }

  #check(): void {
    const cursor = this.#cursor
    if (cursor === null) return
    const isPlace = 'place' in cursor
    if (isPlace !== (this.#order !== null)) throw expired()
    if (isPlace) {
      if (cursor.place.values.length !== this.#order?.length) throw expired()
      return
    }
    const { sequence, found } = cursor.count
    if (sequence !== this.#view.ref.sequence || found !== this.#universe.size) throw expired()
  }
}

const CUT_SHORT = 'needs a ranking that is not cut short: raise the setting `searchCutoffMs`'

export const refusedWalk = (): EngineFault =>
  refusedCursor('walks over the hits of one index of one instance')

const expired = (): EngineFault =>
  new EngineFault(
    'search_cursor_expired',
    'The documents or settings of the index have changed since the answer with this cursor.\n' +
      '  - Hint: begin again. A search that is ordered by values alone goes on after changes.',
  )

/** Returns the fields that alone order the hits of a search, or null. */
function orderOf(
  view: SearchableView,
  { request, features, rules }: Walked,
  { kind, sort, distinctField, tree, boosts }: Prepared,
): Order | null {
  const isPlain = kind === 'keyword' && isBlank(request.q) && distinctField === null
  if (boosts.length > 0 || request.sortScope === 'match') return null
  if (!isPlain || request.rankingScoreThreshold !== null) return null
  if (appliedRules(rules, { request, tree }, features).length > 0) return null
  const order = valueOrder(view, sort)
  // Clients can read the values in a cursor.
  return order?.every(({ field }) => isShown(view, field)) === true ? order : null
}

/** Returns the documents behind a place: those with later values, and later ids with the same. */
function documentsAfter(
  { view, fieldId }: SearchableView,
  order: Order,
  { values, id }: Place,
  universe: IdSet,
): IdSet {
  const segments = view.layer(columnsLayer)
  let after = IdSet.empty
  let left = universe
  for (const [at, { field, direction }] of order.entries()) {
    const known = fieldId(field)
    if (known === null) continue
    const divided = divideAt(segments, known, direction, values[at]!, left)
    after = after.or(divided.after)
    left = divided.equal
  }
  const last = Math.min(id, left.isEmpty ? -1 : left.max)
  return after.or(left.andNot(IdSet.range(0, last + 1)))
}
