// Searches over the network: calls this instance and others at the same time, each once for all
// searches of a request, and merges their answers. This is one file: new plans, refused answers and
// merging are steps of one request.
import {
  AnswerRoom,
  type AnswerShare,
  EngineFault,
  type FederatedSearch,
  type Federation,
  type IndexSearch,
  type InstancesMerge,
  type JsonBytes,
  type Network,
  type Remote,
  type SearchContext,
  type SearchRequest,
} from '../../../engine/index.ts'
import { assert } from '../../../format/errors.ts'
import { ApiError } from '../../errors/index.ts'
import {
  ANSWER_BYTES_MAX,
  ANSWERS_BYTES_MAX,
  callRemote,
  DISAGREED_MS,
  Latencies,
  type ListedAnswer,
  MEMBER_KEY,
  PROXY_SEARCH,
  REPLAN_MS,
  REPLANS_MAX,
  readAnswers,
  refused,
} from '../calls/index.ts'
import { absentIndex, lacksIndex } from './absent-index.ts'
import { hydrated, reachesForeign, resolvedSearches } from './foreign.ts'
import { type Answer, type Ask, Gathering } from './gather.ts'
import type { NetworkCalls, RemoteSearch, SearchesParts } from './network-calls.ts'
import {
  ofNetwork,
  type PlacedQuery,
  placesFor,
  remoteOf,
  type SearchGroup,
  sentSearches,
} from './placed-queries.ts'
import { type AskedShards, type SearchPlan, searchPlan } from './search-plan.ts'
import { SERVING, servingHeaders } from './serving.ts'
import { unreachedErrors } from './unreached.ts'
import { wireFederation } from './wire-search.ts'

type OwnPart = JsonBytes | EngineFault | null

/** The answer of an instance to one of its searches. */
type Part = { readonly answer: Answer; readonly bytes: Uint8Array }

export class NetworkSearches implements NetworkCalls {
  readonly #parts: SearchesParts
  readonly #room = new AnswerRoom(ANSWERS_BYTES_MAX, { isOpenAlone: false })
  readonly latencies = new Latencies()
  /** The network for which new plans did not help, and when they are tried again. */
  #disagreed: { readonly version: string; readonly until: number } | null = null

  constructor(parts: SearchesParts) {
    this.#parts = parts
  }

  /** Returns the plan for the searches of one request. */
  plan(): SearchPlan {
    return searchPlan(this.#parts.engine.topology, this.#parts.availability)
  }

  #network(): Network {
    return this.#parts.engine.topology.serving
  }

  /** Searches the whole network. */
  async search(search: IndexSearch, context: SearchContext): Promise<JsonBytes> {
    const { engine } = this.#parts
    const plan = this.plan()
    if (hasAll(plan)) {
      const own = engine.search(search.indexUid, ofOwn(search, plan), context)
      const found = await own.catch((error: unknown) => absentIndex(error, plan))
      if (!(found instanceof EngineFault)) return found
    }
    return this.#withForeign([search], context, async ([one], inner) => {
      return [await this.#alone(ofNetwork(one!, -1), inner)]
    }).then(([answer]) => answer!)
  }

  /**
   * Runs searches whose foreign keys are resolved by this instance. `run` returns an answer for
   * each search, or one answer for all. @throws EngineFault, ApiError
   */
  async #withForeign<S extends IndexSearch>(
    searches: readonly S[],
    context: SearchContext,
    run: (searches: readonly S[], context: SearchContext) => Promise<readonly JsonBytes[]>,
  ): Promise<readonly JsonBytes[]> {
    const uids = [...new Set(searches.map(({ indexUid }) => indexUid))]
    if (!reachesForeign(this.#parts.engine, uids, context)) return run(searches, context)
    const { searches: resolved, errors } = await resolvedSearches(this, searches, context)
    const features = { ...context.features, foreignKeys: false }
    const answers = await run(resolved, { ...context, features })
    return Promise.all(
      answers.map((answer, at) => {
        const named = answers.length === searches.length ? [searches[at]!.indexUid] : uids
        return hydrated(this, answer, named, errors, context)
      }),
    )
  }

  /** Runs several such searches; `places` are their positions in the client's list. */
  async several(
    searches: readonly IndexSearch[],
    places: readonly number[],
    context: SearchContext,
  ): Promise<readonly JsonBytes[]> {
    return this.#withForeign(searches, context, async (resolved, inner) => {
      const asked = resolved.map((search, i) => {
        const { queries, federation } = ofNetwork(search, places[i]!)
        return { queries, federation, shape: { isPlain: true, leadingIndexUid: search.indexUid } }
      })
      const answers: JsonBytes[] = []
      for (const [i, answer] of (await this.#merged(asked, inner)).entries()) {
        answers.push(answer ?? (await this.#alone(asked[i]!, inner)))
      }
      return answers
    })
  }

  /** Runs several searches and merges their hits into one list. */
  async federated(
    queries: readonly PlacedQuery[],
    federation: Federation,
    context: SearchContext,
  ): Promise<JsonBytes> {
    const [answer] = await this.#withForeign(queries, context, async (resolved, inner) => [
      await this.#alone({ queries: resolved, federation, shape: { isPlain: false } }, inner),
    ])
    return answer!
  }

  async #alone(asked: SearchGroup, context: SearchContext): Promise<JsonBytes> {
    const [answer] = await this.#merged([asked], context)
    assert(answer !== undefined && answer !== null, 'a search by itself has an answer')
    return answer
  }

  /**
   * Repeats a search with a new plan while instances disagree about owners, as they do during a
   * change. Returns null if an instance lacks the index of a search; then each search runs alone.
   */
  async #merged(
    asked: readonly SearchGroup[],
    context: SearchContext,
  ): Promise<readonly (JsonBytes | null)[]> {
    const sentAt = Date.now()
    const end = this.#parts.now() + this.#parts.searchMs
    for (let replans = 0; ; replans++) {
      const ms = Math.max(1, end - this.#parts.now())
      const pause = REPLAN_MS * 2 ** replans
      const mayReplan = replans < REPLANS_MAX && pause < ms && !this.#isAtOdds()
      const room = this.#room.share()
      try {
        const answers = await this.#once(asked, context, sentAt, ms, room, mayReplan)
        if (answers !== null) return answers
      } finally {
        room.release()
      }
      await new Promise((resolve) => setTimeout(resolve, pause))
    }
  }

  /**
   * Returns true after lasting disagreement, for example in a split network; searches do not wait.
   */
  #isAtOdds(): boolean {
    if (this.#disagreed === null) return false
    const { version, until } = this.#disagreed
    return this.#parts.now() < until && this.#network().version === version
  }

  /** Returns null if an instance has another network and `mayReplan` is set. */
  async #once(
    asked: readonly SearchGroup[],
    context: SearchContext,
    sentAt: number,
    searchMs: number,
    room: AnswerShare,
    mayReplan: boolean,
  ): Promise<readonly (JsonBytes | null)[] | null> {
    const plan = this.plan()
    const own = Promise.all(asked.map((one) => this.#ownPart(one, context, plan)))
    own.catch(thrownBelow)
    const gathering = this.#gathering(asked, plan, context.signal, searchMs, room)
    const others = gathering.begin()
    // A fault of this instance is the result even if others have answered.
    others.catch(thrownBelow)
    const local = await own
    await others
    const [first] = local
    if (asked.length === 1 && first instanceof EngineFault) {
      await this.#withoutIndex(gathering, asked, first)
    }
    const isOutdated = plan.isSharded && this.#network().version !== plan.network.version
    if (mayReplan && (isOutdated || gathering.hasMismatch)) return null
    if (gathering.hasMismatch && !this.#isAtOdds()) {
      const until = this.#parts.now() + DISAGREED_MS
      this.#disagreed = { version: plan.network.version, until }
    }
    for (;;) {
      const merged = await this.#mergeAll(asked, local, gathering, plan, context, sentAt)
      if (!(merged instanceof Unusable)) return merged
      await gathering.refuse(merged.answer, merged.error)
    }
  }

  /**
   * Searches an index that this instance lacks: its own part is empty if another instance has the
   * index. @throws EngineFault if none has it
   */
  async #withoutIndex(
    gathering: Gathering,
    asked: readonly SearchGroup[],
    fault: EngineFault,
  ): Promise<void> {
    await gathering.addOwn()
    const hasAnswer = gathering.answers.some((answer) => {
      const [listed] = readAnswers(answer.bytes, placesFor(asked, answer).length) ?? []
      return listed !== undefined && faultOf(listed) === null
    })
    if (!hasAnswer) throw fault
  }

  /** Returns the merged answers, or the first invalid answer of another instance. */
  async #mergeAll(
    asked: readonly SearchGroup[],
    local: readonly OwnPart[],
    gathering: Gathering,
    plan: SearchPlan,
    context: SearchContext,
    sentAt: number,
  ): Promise<readonly (JsonBytes | null)[] | Unusable> {
    const isAlone = asked.length === 1
    // Without this, other owners would be called again for complete searches.
    const lacking = new Set(
      local.flatMap((part, place) => (!isAlone && part instanceof EngineFault ? [place] : [])),
    )
    const byPlace = asked.map((): Part[] => [])
    const faults = asked.map(() => new Map<string, ApiError>())
    for (const answer of gathering.answers) {
      const places = placesFor(asked, answer)
      const listed = readAnswers(answer.bytes, places.length)
      if (listed === null) return new Unusable(answer, badResponse(''))
      for (const [i, place] of places.entries()) {
        const fault = faultOf(listed[i]!)
        if (fault?.code === 'remote_remote_error') return new Unusable(answer, fault)
        if (plan.isSharded && fault !== null && lacksIndex(fault)) {
          if (isAlone) return new Unusable(answer, fault)
          lacking.add(place)
        }
        if (fault === null) byPlace[place]!.push({ answer, bytes: listed[i]!.bytes })
        else faults[place]!.set(answer.remote, fault)
      }
    }
    const merges = asked.map((one, place) => {
      if (lacking.has(place)) return null
      const part = local[place]!
      const own = part instanceof EngineFault ? null : part
      return this.#merge(one, own, byPlace[place]!, plan, context, sentAt, {
        ...gathering.errors,
        ...bodiesOf(faults[place]!),
      })
    })
    const merged: (JsonBytes | null)[] = []
    for (const one of await Promise.all(merges)) {
      if (one instanceof Unusable) return one
      merged.push(one)
    }
    return merged
  }

  async #merge(
    { queries, federation, shape }: SearchGroup,
    local: JsonBytes | null,
    parts: readonly Part[],
    { network: { self } }: SearchPlan,
    context: SearchContext,
    sentAt: number,
    remoteErrors: { readonly [remote: string]: unknown },
  ): Promise<JsonBytes | Unusable> {
    const own = local === null ? [] : [{ remote: self, bytes: local, isOwn: true }]
    const others = parts.map(({ answer, bytes }) => ({
      remote: answer.remote,
      bytes,
      isOwn: false,
    }))
    const merge: InstancesMerge = {
      federation,
      queries: queries.map(({ indexUid, request }) => ({ indexUid, q: request.q })),
      ...shape,
      self,
      answers: [...own, ...others],
      remoteErrors,
    }
    try {
      return await this.#parts.engine.mergeInstances(merge, context, sentAt)
    } catch (error) {
      if (!(error instanceof EngineFault) || error.code !== 'remote_bad_response') throw error
      const part = error.answer === null ? undefined : parts[error.answer - own.length]
      if (part === undefined) throw error
      return new Unusable(part.answer, badResponse(error.message))
    }
  }

  /**
   * Returns null if this instance takes no part, or the fault of an index that only others have.
   */
  async #ownPart(
    { queries, federation }: SearchGroup,
    context: SearchContext,
    plan: SearchPlan,
  ): Promise<OwnPart> {
    const { own, network, isSharded } = plan
    const searches = queries.flatMap((query, at): FederatedSearch[] => {
      const { target, ...search } = query
      const place = query.place ?? at
      const queryPosition = query.queryPosition ?? at
      const isElsewhere =
        typeof target === 'object' && target !== null && target.remote !== network.self
      if (isElsewhere) return []
      if (target !== 'network') return [{ ...search, place, queryPosition }]
      // Runs also without shards of this instance, because it checks the search.
      const shards = own === undefined ? [] : isSharded ? own : undefined
      const request =
        shards === undefined || shards === null ? search.request : { ...search.request, shards }
      return [{ ...search, request, place, queryPosition }]
    })
    if (searches.length === 0) return null
    const asked = { ...wireFederation(federation), isProxied: true, isPartial: true, isPart: true }
    const { engine } = this.#parts
    try {
      return await engine.federatedSearch(searches, asked, { ...context, queryUid: null })
    } catch (error) {
      // Searches for this instance alone are not sent to others.
      if (queries.some(({ target }) => target !== 'network')) throw error
      return absentIndex(error, plan)
    }
  }

  #gathering(
    asked: readonly SearchGroup[],
    plan: SearchPlan,
    signal: AbortSignal,
    searchMs: number,
    { take }: AnswerShare,
  ): Gathering {
    const { availability, now, hedges } = this.#parts
    const all = asked.flatMap(({ queries }) => queries)
    const usesAll = all.some(({ target }) => target === 'network')
    const remotes = new Map<string, AskedShards>(usesAll ? plan.remotes : [])
    for (const { target } of all) {
      const name = remoteOf(target)
      const isNew = name !== null && name !== plan.network.self && !remotes.has(name)
      if (isNew) remotes.set(name, plan.isSharded ? [] : null)
    }
    const whole = { ...plan, remotes, unowned: usesAll ? plan.unowned : new Map<string, string>() }
    const ask: Ask = (remote, call, ms, callSignal) => {
      const headers = servingHeaders(plan.network, call.shards)
      const body = { searches: sentSearches(asked, call, plan, SERVING in headers) }
      const path = '/network/search'
      return this.call(remote, { path, body, headers, ms, signal: callSignal, take })
    }
    const { latencies } = this
    const parts = { availability, searchMs, now, marks: true, latencies, hedges, signal }
    return new Gathering(whole, ask, parts)
  }

  /**
   * Calls another instance, with POST if there is a body. Repeats the call once if no answer came:
   * an idle connection may have been closed while the request was sent. @throws ApiError
   */
  async call(remote: Remote, call: RemoteSearch): Promise<Uint8Array> {
    const begun = this.#parts.now()
    try {
      return await this.#call(remote, call, call.ms)
    } catch (error) {
      const isUnsent = error instanceof ApiError && error.code === 'remote_could_not_send_request'
      const left = call.ms - (this.#parts.now() - begun)
      if (!isUnsent || call.signal?.aborted === true || left <= 0) throw error
      return this.#call(remote, call, left)
    }
  }

  #call(
    remote: Remote,
    { path, body, headers, signal, take }: RemoteSearch,
    ms: number,
  ): Promise<Uint8Array> {
    const { send, connectMs } = this.#parts
    return callRemote(send, remote, {
      method: body === null ? 'GET' : 'POST',
      path,
      body: body === null ? null : Buffer.from(JSON.stringify(body)),
      headers: {
        ...headers,
        ...(body === null ? {} : JSON_TYPE),
        [PROXY_SEARCH]: 'true',
        ...(remote.writeApiKey === null ? {} : { [MEMBER_KEY]: remote.writeApiKey }),
      },
      apiKey: remote.searchApiKey,
      times: { connectMs, requestMs: Math.ceil(ms) },
      action: 'search',
      answerBytesMax: ANSWER_BYTES_MAX,
      take,
      signal,
    })
  }

  /** Returns the share of one request in the memory for answers. */
  room(): AnswerShare {
    return this.#room.share()
  }

  /** Parts for calls other than searches. */
  get parts(): SearchesParts {
    return this.#parts
  }
}

/** An answer of another instance that cannot be used, and the error. */
class Unusable {
  readonly answer: Answer
  readonly error: ApiError

  constructor(answer: Answer, error: ApiError) {
    this.answer = answer
    this.error = error
  }
}

/** Returns true if this instance has a copy of every shard. */
const hasAll = ({ isSharded, own, remotes, unowned }: SearchPlan): boolean =>
  isSharded && own !== undefined && remotes.size === 0 && unowned.size === 0

/** Returns the answer of a network search that needs no other instance. */
const ofOwn = ({ request }: IndexSearch, plan: SearchPlan): SearchRequest => ({
  ...request,
  ...(plan.own === undefined || plan.own === null ? {} : { shards: plan.own }),
  network: { self: plan.network.self, remoteErrors: unreachedErrors(plan) },
})

/** Returns the error of an answer, or null if it is successful. */
const faultOf = ({ status, bytes }: ListedAnswer): ApiError | null =>
  status >= 200 && status < 300 ? null : refused(status, bytes, 'search')

const bodiesOf = (faults: ReadonlyMap<string, ApiError>): { readonly [remote: string]: unknown } =>
  Object.fromEntries([...faults].map(([name, fault]) => [name, fault.toBody()]))

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

/** Returns the search without shards: in an unknown network it finds nothing. */
export const ofNobody = (request: SearchRequest): SearchRequest => ({ ...request, shards: [] })
