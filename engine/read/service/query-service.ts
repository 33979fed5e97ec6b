// Answers reads of indexes: each read leases the views that it needs and runs on a search thread.
// Nothing here waits for a write.

import { asIndexUid, type IndexUid } from '../../../format/ids.ts'
import type {
  Boost,
  DocumentsContext,
  DocumentsMerge,
  DocumentsRequest,
  FacetSearchRequest,
  Features,
  FederatedSearch,
  Federation,
  FieldsRequest,
  ForeignRequest,
  Hydration,
  IndexSearch,
  InstancesMerge,
  JsonBytes,
  JsonPieces,
  SearchContext,
  SearchRequest,
  SimilarMerge,
  SimilarRequest,
  SuggestRequest,
} from '../../model/index.ts'
import { cachedSettings, type IndexSettings } from '../../settings/index.ts'
import { type IndexState, indexOfUid, type Manifest } from '../../store/catalog/index.ts'
import type { Lease, Views } from '../../store/views/index.ts'
import {
  type ForeignAccess,
  indexNotFound,
  type JobRequest,
  ofQuery,
  type ViewsRequest,
} from '../jobs/index.ts'
import type { CallerId, Searching, SearchPermit } from '../pool/index.ts'
import { type MergedIndex, runInstances } from '../search/index.ts'
import { AnswerRoom } from './answer-room.ts'
import { GATHERED_BYTES_MAX, MERGED_HERE_BYTES_MAX } from './limits.ts'
import { multiSearch } from './multi-search.ts'
import { type QueryVectors, withVectors } from './query-vectors.ts'

type Parts = {
  readonly manifest: Manifest
  readonly views: Views
  readonly searching: Searching
  readonly features: () => Features
  /** Computes vectors of queries; null if no embedder can be called. */
  readonly vectors: QueryVectors | null
  /** All shards of the network in byte order, or null if documents are not sharded. */
  readonly shardNames: () => readonly string[] | null
  /**
   * Returns null if all of these indexes can be read now, else a promise that resolves when they
   * can. Absent if all indexes can always be read.
   */
  readonly whenServed?: ((uids: readonly IndexUid[]) => Promise<void> | null) | null
}

/** The indexes that the foreign keys of some indexes refer to. */
type Reach = {
  readonly uids: readonly IndexUid[]
  /** Spread into the job; empty if there are no foreign indexes. */
  readonly members: { readonly foreign?: readonly ForeignAccess[] }
}
/** The message of a failure names the search only if the request has several. */
const NO_PLACE = (): string => ''
const NO_REACH: Reach = { uids: [], members: {} }

export class QueryService {
  readonly #parts: Parts
  /** A request that gathers alone is limited only by the maximum size of an answer. */
  readonly #room = new AnswerRoom(GATHERED_BYTES_MAX, { isOpenAlone: true })

  constructor(parts: Parts) {
    this.#parts = parts
  }

  search(uid: IndexUid, request: SearchRequest, context: SearchContext): Promise<JsonBytes> {
    const { features, requestUid, signal } = context
    const queryUid = context.queryUid === null ? null : context.queryUid()
    const sentAt = Date.now()
    return this.#withVectors([request], signal, NO_PLACE, ([withVector]) => {
      const kind = 'search'
      const job = { kind, request: withVector!, features, requestUid, queryUid, sentAt } as const
      return this.#run(uid, job, signal, this.#reach([uid], context), context.caller)
    })
  }

  multiSearch(searches: readonly IndexSearch[], context: SearchContext): Promise<JsonPieces> {
    const { features, requestUid, queryUid, signal, caller } = context
    const requests = searches.map(({ request }) => request)
    return this.#withVectors(requests, signal, ofQuery, async (withVectors) => {
      const named = searches.map(({ indexUid }) => indexUid)
      const wait = this.#served([...named, ...this.#reach(named, context).uids])
      if (wait !== null) await wait
      return multiSearch(
        searches.map((search, i) => ({ ...search, request: withVectors[i]! })),
        (uids) => this.#leasesOf([...uids, ...this.#reach(uids, context).uids]),
        (part, leases, permit) => {
          const queryUids = queryUid === null ? null : part.searches.map(() => queryUid())
          const named = part.searches.map(({ indexUid }) => indexUid)
          const members = { ...part, ...this.#reach(named, context).members, features, requestUid }
          const job = { kind: 'searches', ...members, queryUids, sentAt: Date.now() } as const
          return this.#runOver(leases, job, signal, permit, caller)
        },
        () => this.#parts.searching.acquire(signal, caller),
        this.#room.share(),
      )
    })
  }

  federatedSearch(
    searches: readonly FederatedSearch[],
    federation: Federation,
    context: SearchContext,
  ): Promise<JsonBytes> {
    const { features, requestUid, queryUid, signal, caller } = context
    const queryUids = queryUid === null ? null : searches.map(() => queryUid())
    const named = searches.map(({ indexUid }) => indexUid)
    const reach = this.#reach(named, context)
    const uids = { requestUid, queryUids }
    const requests = searches.map(({ request }) => request)
    return this.#withVectors(requests, signal, ofQuery, async (withVectors) => {
      const all = [
        ...named,
        ...Object.keys(federation.facetsByIndex).map(asIndexUid),
        ...reach.uids,
      ]
      const wait = this.#served(all)
      if (wait !== null) await wait
      const leases = this.#leasesOf(all)
      const job = {
        kind: 'federated',
        searches: searches.map((search, i) => ({ ...search, request: withVectors[i]! })),
        federation,
        features,
        ...reach.members,
        ...uids,
        sentAt: Date.now(),
      } as const
      return this.#runOver(leases, job, signal, null, caller, context.shardNames)
    })
  }

  /** Merges the answers of several instances into one. @throws EngineFault */
  async mergeInstances(
    merge: InstancesMerge,
    context: SearchContext,
    sentAt: number,
  ): Promise<JsonBytes> {
    const { features, requestUid, queryUid, signal, caller } = context
    const queryUids = queryUid === null ? null : merge.queries.map(() => queryUid())
    const uids = merge.queries.map(({ indexUid }) => indexUid)
    const wait = this.#served(uids)
    if (wait !== null) await wait
    if (bytesOf(merge) <= MERGED_HERE_BYTES_MAX) {
      const job = { merge, features, requestUid, queryUids, sentAt }
      return runInstances(this.#mergedIndexes(uids), job, () => signal.aborted)
    }
    const leases = this.#leasesOf(uids)
    const job = { kind: 'instances', merge, features, requestUid, queryUids, sentAt } as const
    return this.#runOver(leases, job, signal, null, caller)
  }

  /**
   * Merges pages of documents of several instances into one, or the documents that they found
   * similar to one. @throws EngineFault
   */
  mergeDocuments(
    uid: IndexUid,
    { similar, ...pages }: DocumentsMerge,
    { signal, caller }: DocumentsContext,
  ): Promise<JsonBytes> {
    const merge = similar === undefined ? pages : { ...pages, similar: this.#bounded(uid, similar) }
    const job = { kind: 'documents-merge', merge } as const
    return this.#runOver(this.#leasesOf([uid]), job, signal, null, caller)
  }

  #bounded(uid: IndexUid, similar: SimilarMerge): SimilarMerge {
    const index = indexOfUid(this.#parts.manifest.state, uid)
    if (index === undefined) return similar
    const { maxTotalHits } = this.#settingsOf(index).pagination
    return { ...similar, totalMax: Math.min(similar.totalMax, maxTotalHits) }
  }

  #runOver(
    leases: readonly Lease[],
    request: ViewsRequest,
    signal: AbortSignal | null,
    permit: SearchPermit | null,
    caller: CallerId | undefined,
    shardNames?: readonly string[],
  ): Promise<JsonBytes> {
    const shards = shardNames ?? this.#parts.shardNames()
    const sharded = shards === null ? request : { ...request, shards }
    return this.#parts.searching.runOver(leases, sharded, signal, permit, caller)
  }

  facetSearch(
    uid: IndexUid,
    request: FacetSearchRequest,
    context: SearchContext,
  ): Promise<JsonBytes> {
    const { features, signal } = context
    return this.#withVectors([request.search], signal, NO_PLACE, ([search]) => {
      const facetRequest = { ...request, search: search! }
      const job = { kind: 'facet-search', request: facetRequest, features } as const
      return this.#run(uid, job, signal, this.#reach([uid], context), context.caller)
    })
  }

  similar(uid: IndexUid, request: SimilarRequest, context: SearchContext): Promise<JsonBytes> {
    const { features, signal, caller, shardNames } = context
    const job = { kind: 'similar', request, features, sentAt: Date.now() } as const
    return this.#run(uid, job, signal, this.#reach([uid], context), caller, shardNames)
  }

  suggest(uid: IndexUid, request: SuggestRequest, context: SearchContext): Promise<JsonBytes> {
    const { features, signal, caller } = context
    const job = { kind: 'suggest', request, features } as const
    return this.#run(uid, job, signal, this.#reach([uid], context), caller)
  }

  ranksByScores(uid: IndexUid): boolean {
    const index = indexOfUid(this.#parts.manifest.state, uid)
    return index !== undefined && this.#settingsOf(index).rankingRules.includes('bm25')
  }

  boosts(uid: IndexUid): readonly Boost[] {
    const index = indexOfUid(this.#parts.manifest.state, uid)
    return index === undefined ? [] : this.#settingsOf(index).boosts
  }

  statistics(
    uid: IndexUid,
    request: SearchRequest,
    { signal, caller, shardNames }: SearchContext,
  ): Promise<JsonBytes> {
    const job = { kind: 'statistics', request } as const
    return this.#run(uid, job, signal, NO_REACH, caller, shardNames)
  }

  foreignUids(uids: readonly IndexUid[]): readonly IndexUid[] {
    return [...new Set(uids.flatMap((uid) => this.#foreignUidsOf(uid)))]
  }

  foreign(uid: IndexUid, request: ForeignRequest, context: SearchContext): Promise<JsonBytes> {
    const { features, signal, caller, shardNames } = context
    const job = { kind: 'foreign', request, features } as const
    return this.#run(uid, job, signal, NO_REACH, caller, shardNames)
  }

  hydrate(
    uids: readonly IndexUid[],
    hydration: Hydration,
    { signal, caller }: SearchContext,
  ): Promise<JsonBytes> {
    const job = { kind: 'hydration', hydration } as const
    return this.#runOver(this.#leasesOf(uids), job, signal, null, caller)
  }

  document(
    uid: IndexUid,
    id: string,
    fields: readonly string[] | null,
    retrieveVectors: boolean,
  ): Promise<JsonBytes> {
    return this.#run(uid, { kind: 'document', id, fields, retrieveVectors }, null)
  }

  documents(
    uid: IndexUid,
    request: DocumentsRequest,
    context?: DocumentsContext,
  ): Promise<JsonBytes> {
    const features = this.#parts.features()
    const reach = this.#reach([uid], { ...context, features })
    const job = { kind: 'documents', request, features } as const
    const { signal = null, caller, shardNames } = context ?? {}
    return this.#run(uid, job, signal, reach, caller, shardNames)
  }

  fields(uid: IndexUid, request: FieldsRequest): Promise<JsonBytes> {
    return this.#run(uid, { kind: 'fields', request }, null)
  }

  #withVectors<T>(
    requests: readonly SearchRequest[],
    signal: AbortSignal | null,
    place: (query: number) => string,
    run: (requests: readonly SearchRequest[]) => Promise<T>,
  ): Promise<T> {
    return withVectors(requests, run, { vectors: this.#parts.vectors, signal, place })
  }

  async #run(
    uid: IndexUid,
    request: JobRequest,
    signal: AbortSignal | null,
    reach: Reach = NO_REACH,
    caller?: CallerId,
    shardNames?: readonly string[],
  ): Promise<JsonBytes> {
    const wait = this.#served([uid, ...reach.uids])
    if (wait !== null) await wait
    const lease = this.#lease(uid)
    if (lease === null) throw indexNotFound(uid)
    const others = this.#leasesOf(reach.uids)
    const shards = shardNames ?? this.#parts.shardNames()
    const reaching = reach === NO_REACH ? request : { ...request, ...reach.members }
    const sharded = shards === null ? reaching : { ...reaching, shards }
    return this.#parts.searching.run(lease, sharded, signal, others, caller)
  }

  /**
   * Returns null if the indexes can be read now, else a promise that resolves when they can. With
   * null, the caller leases its views without waiting for a turn of the event loop. @throws
   * EngineFault
   */
  #served(uids: readonly IndexUid[]): Promise<void> | null {
    return this.#parts.whenServed?.(uids) ?? null
  }

  /**
   * Returns the indexes that the foreign keys of these indexes refer to, with the documents that
   * the caller may see.
   */
  #reach(
    uids: readonly IndexUid[],
    { features, access }: Pick<SearchContext, 'features' | 'access'>,
  ): Reach {
    if (!features.foreignKeys) return NO_REACH
    const named = this.foreignUids(uids)
    const foreign = named.map((uid): ForeignAccess => {
      const seen = access === undefined ? { filter: null } : access(uid)
      return { uid, isHidden: seen === null, filter: seen?.filter ?? null }
    })
    return { uids: named, members: { foreign } }
  }

  #foreignUidsOf(uid: IndexUid): readonly IndexUid[] {
    const index = indexOfUid(this.#parts.manifest.state, uid)
    if (index === undefined) return []
    return this.#settingsOf(index).foreignKeys.map(({ foreignIndexUid }) => foreignIndexUid)
  }

  #settingsOf(index: IndexState): IndexSettings {
    return cachedSettings(index.settings)
  }

  /** The existing indexes with these names, each once. */
  #mergedIndexes(uids: readonly IndexUid[]): readonly MergedIndex[] {
    const { state } = this.#parts.manifest
    return [...new Set(uids)].flatMap((uid) => {
      const index = indexOfUid(state, uid)
      if (index === undefined) return []
      return { ref: { uid, primaryKey: index.primaryKey }, settings: this.#settingsOf(index) }
    })
  }

  /** Leases views of the existing indexes with these names, each once. */
  #leasesOf(uids: readonly IndexUid[]): readonly Lease[] {
    return [...new Set(uids)].flatMap((uid) => this.#lease(uid) ?? [])
  }

  #lease(uid: IndexUid): Lease | null {
    const { manifest, views } = this.#parts
    const index = indexOfUid(manifest.state, uid)
    return index === undefined ? null : views.lease(index.index)
  }
}

const bytesOf = ({ answers }: InstancesMerge): number =>
  answers.reduce((sum, { bytes }) => sum + bytes.length, 0)
