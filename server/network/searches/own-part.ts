// The part of this instance in a search over the network.
import type {
  Engine,
  EngineFault,
  FederatedSearch,
  IndexSearch,
  JsonBytes,
  SearchContext,
  SearchRequest,
} from '../../../engine/index.ts'
import { absentIndex } from './absent-index.ts'
import { type NetworkSearch, OWN_MERGE, placeOf } from './network-search.ts'
import type { SearchPlan } from './search-plan.ts'
import { unreachedErrors } from './unreached.ts'
import { wireFederation } from './wire-search.ts'

/** Null if this instance takes no part, or the fault of an index that only others have. */
export type OwnPart = JsonBytes | EngineFault | null

/** Returns true if this instance has a copy of every shard. */
export const hasAll = ({ isSharded, own, remotes, unowned }: SearchPlan): boolean =>
  isSharded && own !== undefined && remotes.size === 0 && unowned.size === 0

/** Returns the answer of a network search that needs no other instance. */
export const ofOwn = ({ request }: IndexSearch, plan: SearchPlan): SearchRequest => ({
  ...request,
  ...(plan.own === undefined || plan.own === null ? {} : { shards: plan.own }),
  network: { self: plan.network.self, remoteErrors: unreachedErrors(plan) },
})

/**
 * Returns null if this instance takes no part, or the fault of an index that only others have.
 */
export async function ownPart(
  engine: Engine,
  search: NetworkSearch,
  context: SearchContext,
  plan: SearchPlan,
): Promise<OwnPart> {
  const { own, network, isSharded } = plan
  const { queries, federation } = search
  const searches = queries.flatMap((query, at): FederatedSearch[] => {
    const { target, ...rest } = query
    const place = placeOf(search, at)
    const queryPosition = query.queryPosition ?? at
    const isElsewhere =
      typeof target === 'object' && target !== null && target.remote !== network.self
    if (isElsewhere) return []
    if (target !== 'network') return [{ ...rest, place, queryPosition }]
    // Runs also without shards of this instance, because it checks the search.
    const shards = own === undefined ? [] : isSharded ? own : undefined
    const request =
      shards === undefined || shards === null ? rest.request : { ...rest.request, shards }
    return [{ ...rest, request, place, queryPosition }]
  })
  if (searches.length === 0) return null
  const part = { ...wireFederation(federation), merger: OWN_MERGE }
  try {
    return await engine.queries.federatedSearch(searches, part, { ...context, queryUid: null })
  } catch (error) {
    // Searches for this instance alone are not sent to others.
    if (queries.some(({ target }) => target !== 'network')) throw error
    return absentIndex(error, plan)
  }
}
