// Searches over the network: calls this instance and others at the same time, each once for all
// searches of a request, and merges their answers.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  AnswerRoom,
  type AnswerShare,
  EngineFault,
  type Federation,
  type IndexSearch,
  type JsonBytes,
  type Network,
  type Remote,
  type SearchContext,
  type SearchRequest,
} from '../../../engine/index.ts'
import { assert } from '../../../format/errors.ts'
import {
  ANSWER_BYTES_MAX,
  ANSWERS_BYTES_MAX,
  callRemote,
  isRepeatable,
  Latencies,
  MEMBER_KEY,
  MISMATCH_PAUSE_MS,
  PROXY_SEARCH,
  REPLAN_MS,
  REPLANS_MAX,
  readAnswers,
} from '../calls/index.ts'
import { absentIndex } from './absent-index.ts'
import { newestOf, noting, requirement } from './answer-state.ts'
import { hydrated, reachesForeign, resolvedSearches } from './foreign.ts'
import { type CallInstance, Gathering } from './gather.ts'
import { faultOf, mergeAll, UnusableAnswer } from './merge-parts.ts'
import type { NetworkCalls, RemoteSearch, SearchesParts } from './network-calls.ts'
import {
  listedSearch,
  type NetworkSearch,
  type PlacedQuery,
  placesFor,
  remoteOf,
  sentSearches,
  singleSearch,
} from './network-search.ts'
import { hasAll, ofOwn, ownPart } from './own-part.ts'
import { type RequestedShards, type SearchPlan, searchPlan } from './search-plan.ts'
import { SERVING, servingHeaders } from './serving.ts'

export class NetworkSearches implements NetworkCalls {
  readonly #parts: SearchesParts
  readonly #room = new AnswerRoom(ANSWERS_BYTES_MAX, { isOpenAlone: false })
  readonly latencies = new Latencies()
  /** The network for which new plans did not help, and when they are tried again. */
  #lastingMismatch: { readonly version: string; readonly until: number } | null = null

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
      const own = engine.queries.search(search.indexUid, ofOwn(search, plan), context)
      const found = await own.catch((error: unknown) => absentIndex(error, plan))
      if (!(found instanceof EngineFault)) return found
    }
    return this.#withForeign([search], context, async ([one], inner) => {
      return [await this.#alone(singleSearch(one!), inner)]
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
      const listed = resolved.map((search, i) => listedSearch(search, places[i]!))
      const answers: JsonBytes[] = []
      for (const [i, answer] of (await this.#merged(listed, inner)).entries()) {
        answers.push(answer ?? (await this.#alone(listed[i]!, inner)))
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
      await this.#alone({ kind: 'federated', queries: resolved, federation }, inner),
    ])
    return answer!
  }

  async #alone(search: NetworkSearch, context: SearchContext): Promise<JsonBytes> {
    const [answer] = await this.#merged([search], context)
    assert(answer !== undefined && answer !== null, 'a search by itself has an answer')
    return answer
  }

  /**
   * Repeats a search with a new plan while instances disagree about owners, as they do during a
   * change. Returns null if an instance lacks the index of a search; then each search runs alone.
   */
  async #merged(
    searches: readonly NetworkSearch[],
    context: SearchContext,
  ): Promise<readonly (JsonBytes | null)[]> {
    const sentAt = Date.now()
    const end = this.#parts.now() + this.#parts.searchMs
    for (let replans = 0; ; replans++) {
      const ms = Math.max(1, end - this.#parts.now())
      const pause = REPLAN_MS * 2 ** replans
      const mayReplan = replans < REPLANS_MAX && pause < ms && !this.#hasLastingMismatch()
      const room = this.#room.share()
      try {
        const answers = await this.#once(searches, context, sentAt, ms, room, mayReplan)
        if (answers !== null) return answers
      } finally {
        room.release()
      }
      await sleep(pause)
    }
  }

  /**
   * Returns true after lasting disagreement, for example in a split network; searches do not wait.
   */
  #hasLastingMismatch(): boolean {
    if (this.#lastingMismatch === null) return false
    const { version, until } = this.#lastingMismatch
    return this.#parts.now() < until && this.#network().version === version
  }

  /** Returns null if an instance has another network and `mayReplan` is set. */
  async #once(
    searches: readonly NetworkSearch[],
    context: SearchContext,
    sentAt: number,
    searchMs: number,
    room: AnswerShare,
    mayReplan: boolean,
  ): Promise<readonly (JsonBytes | null)[] | null> {
    const plan = this.plan()
    const own = Promise.all(searches.map((one) => ownPart(this.#parts.engine, one, context, plan)))
    own.catch(handledLater)
    const gathering = this.#gathering(searches, plan, context, searchMs, room)
    const others = gathering.begin()
    // A fault of this instance is the result even if others have answered.
    others.catch(handledLater)
    const local = await own
    await others
    const [first] = local
    if (searches.length === 1 && first instanceof EngineFault) {
      await this.#withoutIndex(gathering, searches, first)
    }
    const isOutdated = plan.isSharded && this.#network().version !== plan.network.version
    if (mayReplan && (isOutdated || gathering.hasMismatch)) return null
    if (gathering.hasMismatch && !this.#hasLastingMismatch()) {
      const until = this.#parts.now() + MISMATCH_PAUSE_MS
      this.#lastingMismatch = { version: plan.network.version, until }
    }
    for (;;) {
      const merged = await mergeAll(
        this.#parts.engine,
        searches,
        local,
        gathering,
        plan,
        context,
        sentAt,
      )
      if (!(merged instanceof UnusableAnswer)) {
        gathering.expectWhole()
        return merged
      }
      await gathering.refuse(merged.answer, merged.error)
    }
  }

  /**
   * Searches an index that this instance lacks: its own part is empty if another instance has the
   * index. @throws EngineFault if none has it
   */
  async #withoutIndex(
    gathering: Gathering,
    searches: readonly NetworkSearch[],
    fault: EngineFault,
  ): Promise<void> {
    await gathering.addOwn()
    const hasAnswer = gathering.answers.some((answer) => {
      const [listed] = readAnswers(answer.bytes, placesFor(searches, answer).length) ?? []
      return listed !== undefined && faultOf(listed) === null
    })
    if (!hasAnswer) throw fault
  }

  #gathering(
    searches: readonly NetworkSearch[],
    plan: SearchPlan,
    { signal, state }: Pick<SearchContext, 'signal' | 'state'>,
    searchMs: number,
    { take }: AnswerShare,
  ): Gathering {
    const { availability, now, hedges } = this.#parts
    const all = searches.flatMap(({ queries }) => queries)
    const usesAll = all.some(({ target }) => target === 'network')
    const remotes = new Map<string, RequestedShards>(usesAll ? plan.remotes : [])
    for (const { target } of all) {
      const name = remoteOf(target)
      const isNew = name !== null && name !== plan.network.self && !remotes.has(name)
      if (isNew) remotes.set(name, plan.isSharded ? [] : null)
    }
    const whole = { ...plan, remotes, unowned: usesAll ? plan.unowned : new Map<string, string>() }
    const callInstance: CallInstance = (remote, call, ms, callSignal) => {
      const headers = servingHeaders(plan.network, call.shards)
      const body = { searches: sentSearches(searches, call, plan, SERVING in headers) }
      const path = '/network/search'
      const request = { path, body, headers, ms, signal: callSignal, take, state }
      const parts = body.searches.length
      return this.call(remote, request, (bytes) => readAnswers(bytes, parts) !== null)
    }
    const { latencies } = this
    const parts = {
      ...{ availability, searchMs, now, pausesFailed: true, latencies, hedges, signal },
      minTaskUid: newestOf([state?.minTaskUid, ...all.map((query) => query.minTaskUid)]),
    }
    return new Gathering(whole, callInstance, parts)
  }

  /**
   * Calls another instance, with POST if there is a body. Repeats the call once if it may succeed at
   * once, or if the answer cannot be read: something on the way may have sent it. @throws ApiError
   */
  async call(
    remote: Remote,
    call: RemoteSearch,
    isReadable: (answer: Uint8Array) => boolean = () => true,
  ): Promise<Uint8Array> {
    const begun = this.#parts.now()
    const msLeft = (): number =>
      call.signal?.aborted === true ? 0 : call.ms - (this.#parts.now() - begun)
    try {
      const answer = await this.#call(remote, call, call.ms)
      if (isReadable(answer) || msLeft() <= 0) return answer
    } catch (error) {
      if (!isRepeatable(error) || msLeft() <= 0) throw error
    }
    return this.#call(remote, call, Math.max(1, msLeft()))
  }

  #call(
    remote: Remote,
    { path, body, headers, signal, take, state }: RemoteSearch,
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
        ...requirement(state),
      },
      ...noting(state),
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

const JSON_TYPE = { 'content-type': 'application/json' }

const handledLater = (): void => undefined

/** Returns the search without shards: in an unknown network it finds nothing. */
export const inNoShard = (request: SearchRequest): SearchRequest => ({ ...request, shards: [] })
