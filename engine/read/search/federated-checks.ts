// The first step of a federated search: everything that can be wrong with the request is checked
// before anything is ranked. Indexes are checked in order of name, the searches of an index in
// their order, then its facets; facets of indexes without a search come last.

import { compareText } from '../../../format/bytes/index.ts'
import { asIndexUid, type IndexUid } from '../../../format/ids.ts'
import type { FacetRequest, FederatedSearch, SearchRequest } from '../../model/index.ts'
import { countedFacets, FacetOrders } from '../answers/index.ts'
import type { CountedFacet } from '../facets/index.ts'
import {
  type FederatedJob,
  indexNotFound,
  ofQuery,
  othersWait,
  placing,
  type SearchableView,
  type SearchControl,
  UNPLACED_IN_FEDERATION,
} from '../jobs/index.ts'
import { type ForeignIndexes, type Prepared, prepare } from '../retrieval/index.ts'
import { type RuleSlots, requireComparable, ruleSlots } from './federated-rules.ts'
import { refuseGroups } from './groups.ts'
import { refusedWalk } from './walk.ts'

/** One search of the request. */
type Member = {
  readonly view: SearchableView
  readonly request: SearchRequest
  readonly weight: number
  /** The position that its hits show. */
  readonly position: number
  readonly prepared: Prepared
}

/** The searches of one index. */
export type IndexMembers = {
  readonly view: SearchableView
  readonly members: readonly Member[]
  /** The facets that are counted; null if none were requested. */
  readonly facets: readonly CountedFacet[] | null
}

export type Checked = {
  /** In order of name. */
  readonly indexes: readonly IndexMembers[]
  readonly orders: FacetOrders
}

/** Creates the time control of a search of an index. */
export type ControlFor = (view: SearchableView) => SearchControl
/** `turn` is the control of the whole request. */
type Controls = { readonly controlFor: ControlFor; readonly turn: SearchControl }

/** @throws EngineFault, Canceled */
export function checkFederated(
  views: readonly SearchableView[],
  job: FederatedJob,
  { controlFor, turn }: Controls,
  foreign: ForeignIndexes | null,
): Checked {
  const { searches, federation } = job
  const byUid = new Map(views.map((view) => [view.ref.uid, view]))
  const orders = new FacetOrders()
  const indexes: IndexMembers[] = []
  const searched = positionsByUid(searches)
  let slots: RuleSlots | null = null
  for (const uid of [...searched.keys()].sort(compareText)) {
    const members: Member[] = []
    for (const at of searched.get(uid)!) {
      turn.requireTurn(othersWait)
      const check = (): void => {
        const member = memberOf(viewOf(byUid, uid), searches[at]!, at, job, controlFor, foreign)
        const { view, request, prepared } = member
        const own = ruleSlots(at, uid, view.settings, request, prepared.sort)
        slots = slots === null ? own : requireComparable(slots, own)
        members.push(member)
      }
      placing(placeOf(searches, at), '', check, UNPLACED_IN_FEDERATION)
    }
    const { view } = members[0]!
    const patterns = federation.facetsByIndex[uid] ?? null
    const place = placeOf(searches, searched.get(uid)![0]!)
    const before = place === '' ? '' : `${place}${ofFacets(uid)}`
    const facets = placing(before, '', () => {
      const found = patterns === null ? null : countedFacets(view, patterns)
      if (found !== null && federation.mergeFacets !== null) orders.add(view, found)
      return found
    })
    indexes.push({ view, members, facets })
  }
  for (const [uid, patterns] of Object.entries(federation.facetsByIndex)) {
    const named = asIndexUid(uid)
    if (!searched.has(named)) checkUnused(byUid, named, patterns)
  }
  return { indexes, orders }
}

const placeOf = (searches: readonly FederatedSearch[], at: number): string => {
  const { place = at } = searches[at]!
  return place === null ? '' : ofQuery(place)
}

const ofFacets = (uid: IndexUid): string => `Inside \`.federation.facetsByIndex.${uid}\`: `

/** Index → positions of its searches. */
function positionsByUid(
  searches: readonly FederatedSearch[],
): ReadonlyMap<IndexUid, readonly number[]> {
  const positions = new Map<IndexUid, number[]>()
  searches.forEach(({ indexUid }, at) => {
    const earlier = positions.get(indexUid)
    if (earlier === undefined) positions.set(indexUid, [at])
    else earlier.push(at)
  })
  return positions
}

/** @throws EngineFault index_not_found */
function viewOf(byUid: ReadonlyMap<IndexUid, SearchableView>, uid: IndexUid): SearchableView {
  const view = byUid.get(uid)
  if (view === undefined) throw indexNotFound(uid)
  return view
}

function memberOf(
  view: SearchableView,
  { request: sent, weight, queryPosition }: FederatedSearch,
  at: number,
  { federation, features }: FederatedJob,
  controlFor: ControlFor,
  foreign: ForeignIndexes | null,
): Member {
  if (sent.searchAfter !== null) throw refusedWalk()
  refuseGroups(sent.hitsPerGroup)
  const request = federation.distinct === null ? sent : { ...sent, distinct: federation.distinct }
  const prepared = prepare(view, request, features, controlFor(view), foreign)
  foreign?.hydratorOf(view)
  return { view, request, weight, position: queryPosition ?? at, prepared }
}

/** Checks the facets of an index without searches. They are not shown, but have to be valid. */
function checkUnused(
  byUid: ReadonlyMap<IndexUid, SearchableView>,
  uid: IndexUid,
  patterns: readonly FacetRequest[] | null,
): void {
  const note = `\n - Note: index \`${uid}\` is not used in queries`
  placing(ofFacets(uid), note, () => {
    const view = viewOf(byUid, uid)
    if (patterns !== null) countedFacets(view, patterns)
  })
}
