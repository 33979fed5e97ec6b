// Searches over the network: this instance and others are asked side by side, each once, and their
// answers merged.
import {
  type Engine,
  EngineFault,
  type FederatedSearch,
  type Federation,
  type IndexSearch,
  type JsonBytes,
  type Network,
  type Remote,
  type SearchContext,
  type SearchRequest,
  type Send,
} from '../../engine/index.ts'
import { MiB } from '../../format/bytes/index.ts'
import { ApiError } from '../errors/index.ts'
import type { Availability } from './availability.ts'
import { type Gathered, gather } from './gather.ts'
import { PROXY_SEARCH } from './headers.ts'
import { callRemote } from './remote-call.ts'
import { type AskedShards, type SearchPlan, searchPlan } from './search-plan.ts'
import { federationBody, wireFederation, wireQuery } from './wire-search.ts'

/** What is kept of the answer of another instance. */
const ANSWER_BYTES_MAX = 64 * MiB

export type SearchesParts = {
  readonly engine: Engine
  readonly send: Send
  readonly availability: Availability
  readonly connectMs: number
  readonly searchMs: number
  readonly now: () => number
}

/** A query of a federation: of this instance (null), of the network, or of one instance. */
export type PlacedQuery = FederatedSearch & {
  readonly target: 'network' | { readonly remote: string } | null
}

export class NetworkSearches {
  readonly #parts: SearchesParts

  constructor(parts: SearchesParts) {
    this.#parts = parts
  }

  /** Which instances the searches of one request ask. */
  plan(): SearchPlan {
    return searchPlan(this.#network(), this.#parts.availability)
  }

  #network(): Network {
    return this.#parts.engine.topology.serving
  }

  /** A search of the whole network. `place`: of a query in a list; absent: it is alone. */
  search(
    { indexUid, request }: IndexSearch,
    context: SearchContext,
    plan: SearchPlan,
    place?: number,
  ): Promise<JsonBytes> {
    const { offset, limit, page, hitsPerPage, facets, distinct, showPerformanceDetails } = request
    const federation: Federation = {
      offset,
      limit,
      page,
      hitsPerPage,
      facetsByIndex: facets === null || facets.length === 0 ? {} : { [indexUid]: facets },
      mergeFacets: null,
      distinct,
      showPerformanceDetails,
    }
    const query = { ...request, distinct: null, facets: null, showPerformanceDetails: false }
    const search: PlacedQuery = {
      indexUid,
      request: query,
      weight: 1,
      queryPosition: 0,
      place: place ?? -1,
      target: 'network',
    }
    const leading = place === undefined ? {} : { leadingIndexUid: indexUid }
    return this.#merged([search], federation, context, plan, { isPlain: true, ...leading })
  }

  /** Several searches as one list of hits. */
  federated(
    queries: readonly PlacedQuery[],
    federation: Federation,
    context: SearchContext,
    plan: SearchPlan,
  ): Promise<JsonBytes> {
    return this.#merged(queries, federation, context, plan, { isPlain: false })
  }

  async #merged(
    queries: readonly PlacedQuery[],
    federation: Federation,
    context: SearchContext,
    plan: SearchPlan,
    shape: { readonly isPlain: boolean; readonly leadingIndexUid?: string },
  ): Promise<JsonBytes> {
    const { engine } = this.#parts
    const sentAt = Date.now()
    const { self } = plan.network
    const own = this.#ownPart(queries, federation, context, plan)
    const others = this.#gather(queries, federation, plan, context.signal)
    // A fault of this instance is the answer, whatever others say.
    others.catch(thrownBelow)
    const local = await own
    const { answers, errors } = await others
    const parts = answers.map(({ remote, bytes }) => ({ remote: remote as string | null, bytes }))
    if (local !== null) parts.unshift({ remote: self, bytes: local })
    const merge = {
      federation,
      queries: queries.map(({ indexUid, request }) => ({ indexUid, q: request.q })),
      ...shape,
      self,
    }
    const remoteErrors: { [remote: string]: unknown } = { ...errors }
    let readable = parts
    for (;;) {
      try {
        return await engine.mergeInstances(
          { ...merge, answers: readable, remoteErrors },
          context,
          sentAt,
        )
      } catch (error) {
        // An instance that answers nonsense is left out, and named.
        if (!(error instanceof EngineFault) || error.code !== 'remote_bad_response') throw error
        const [remote = ''] = error.message.split('\u0000')
        if (!readable.some((part) => part.remote === remote) || remote === self) throw error
        readable = readable.filter((part) => part.remote !== remote)
        remoteErrors[remote] = badResponse(error.message).toBody()
      }
    }
  }

  /** null: this instance has no part in it. */
  #ownPart(
    queries: readonly PlacedQuery[],
    federation: Federation,
    context: SearchContext,
    { own, network, isSharded }: SearchPlan,
  ): Promise<JsonBytes | null> {
    const searches = queries.flatMap((query, at): FederatedSearch[] => {
      const { target, ...search } = query
      const place = query.place ?? at
      const queryPosition = query.queryPosition ?? at
      const isElsewhere =
        typeof target === 'object' && target !== null && target.remote !== network.self
      if (isElsewhere) return []
      if (target !== 'network') return [{ ...search, place, queryPosition }]
      // Also where nothing is asked of this instance: what is wrong with the search is told.
      const shards = own === undefined ? [] : isSharded ? own : undefined
      const request =
        shards === undefined || shards === null ? search.request : { ...search.request, shards }
      return [{ ...search, request, place, queryPosition }]
    })
    if (searches.length === 0) return Promise.resolve(null)
    const asked = { ...wireFederation(federation), isProxied: true }
    return this.#parts.engine.federatedSearch(searches, asked, { ...context, queryUid: null })
  }

  #gather(
    queries: readonly PlacedQuery[],
    federation: Federation,
    plan: SearchPlan,
    signal: AbortSignal,
  ): Promise<Gathered> {
    const { availability, searchMs, now } = this.#parts
    const named = queries.flatMap(({ target }) =>
      typeof target === 'object' && target !== null && target.remote !== plan.network.self
        ? [target.remote]
        : [],
    )
    const usesAll = queries.some(({ target }) => target === 'network')
    const remotes = new Map<string, AskedShards>(usesAll ? plan.remotes : [])
    for (const remote of named)
      if (!remotes.has(remote)) remotes.set(remote, plan.isSharded ? [] : null)
    const whole = { ...plan, remotes, unowned: usesAll ? plan.unowned : new Map<string, string>() }
    const ask = (
      remote: Remote,
      shards: AskedShards,
      ms: number,
      name: string,
    ): Promise<Uint8Array> => {
      const sent = queries.flatMap((query, at) => {
        const { target } = query
        const search = {
          ...query,
          queryPosition: query.target === 'network' ? at : (query.queryPosition ?? at),
        }
        if (target === 'network' && (shards === null || shards.length > 0)) {
          return [wireQuery(search, shards, plan.isSharded)]
        }
        const isFor = typeof target === 'object' && target?.remote === name
        return isFor ? [wireQuery(search, null, plan.isSharded)] : []
      })
      const body = { queries: sent, federation: federationBody(federation) }
      return this.call(remote, 'POST', '/multi-search', body, ms, signal)
    }
    return gather(whole, ask, { availability, searchMs, now, marks: true })
  }

  /** One call of another instance. @throws ApiError */
  call(
    remote: Remote,
    method: 'GET' | 'POST',
    path: string,
    body: object | null,
    ms: number,
    signal: AbortSignal | null,
  ): Promise<Uint8Array> {
    const { send, connectMs } = this.#parts
    return callRemote(send, remote, {
      method,
      path,
      body: body === null ? null : Buffer.from(JSON.stringify(body)),
      headers: { ...(body === null ? {} : JSON_TYPE), [PROXY_SEARCH]: 'true' },
      apiKey: remote.searchApiKey,
      times: { connectMs, requestMs: Math.ceil(ms) },
      action: 'search',
      answerBytesMax: ANSWER_BYTES_MAX,
      signal,
    })
  }

  /** For calls beside searches. */
  get parts(): SearchesParts {
    return this.#parts
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

const MISSING = '._federation.weightedScoreValues'

const thrownBelow = (): void => undefined

const badResponse = (cause: string): ApiError =>
  new ApiError(
    'remote_bad_response',
    (cause.includes(MISSING)
      ? `remote hit does not contain \`${MISSING}\`\n`
      : 'could not parse response from the remote host as a federated search response\n') +
      '  - hint: check that the remote instance is a Svc instance running the same version',
  )

/** A search that asks the network of which nothing is known finds nothing. */
export const ofNobody = (request: SearchRequest): SearchRequest => ({ ...request, shards: [] })
