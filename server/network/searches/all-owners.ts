// One request to all owners of the documents of an index: this instance and others, at the same
// time, in the memory that the request has for answers.
import { type DocumentsContext, EngineFault, type JsonBytes } from '../../../engine/index.ts'
import { absentIndex } from './absent-index.ts'
import { type CallInstance, Gathering } from './gather.ts'
import type { NetworkCalls } from './network-calls.ts'
import type { RequestedShards } from './search-plan.ts'
import { servingHeaders } from './serving.ts'

export type OwnersRequest = {
  /** Returns the answer of this instance for some shards, or for all documents if undefined. */
  readonly own: (shards: readonly string[] | undefined) => Promise<JsonBytes>
  /** Path and body of the requests to others. */
  readonly path: string
  readonly body: (shards: RequestedShards, isSharded: boolean) => object
}

/**
 * Calls `use` with the answer of this instance, or null if it lacks the index, and the answers of
 * others, which `use` may refuse. @throws EngineFault if no instance has the index
 */
export async function fromAllOwners<T>(
  searches: NetworkCalls,
  { own: ownAnswer, path, body }: OwnersRequest,
  context: Pick<DocumentsContext, 'signal' | 'state'>,
  use: (own: JsonBytes | null, gathering: Gathering) => Promise<T>,
): Promise<T> {
  const room = searches.room()
  try {
    const { availability, searchMs, now, hedges } = searches.parts
    const plan = searches.plan()
    const { own, isSharded, network } = plan
    const { state } = context
    const shards = own === undefined ? [] : isSharded ? (own ?? []) : undefined
    const mine = ownAnswer(shards).catch((error: unknown) => absentIndex(error, plan))
    const callInstance: CallInstance = (remote, call, ms, signal) => {
      const headers = servingHeaders(network, call.shards)
      const request = { path, body: body(call.shards, isSharded), headers, ms, signal }
      return searches.call(remote, { ...request, take: room.take, state })
    }
    const { latencies } = searches
    const signal = context.signal ?? null
    const parts = {
      ...{ availability, searchMs, now, pausesFailed: false, latencies, hedges, signal },
      minTaskUid: state?.minTaskUid ?? null,
    }
    const gathering = new Gathering(plan, callInstance, parts)
    const others = gathering.begin()
    others.catch(handledLater)
    const first = await mine
    await others
    const isAbsent = first instanceof EngineFault
    if (isAbsent) await gathering.addOwn()
    if (isAbsent && gathering.answers.length === 0) throw first
    const used = await use(isAbsent ? null : first, gathering)
    gathering.expectWhole()
    return used
  } finally {
    room.release()
  }
}

const handledLater = (): void => undefined
