// Requests for one document: calls the instances that may hold it, one after another.
import { type AnswerState, elected, type Network } from '../../../engine/index.ts'
import { ApiError } from '../../errors/index.ts'
import { FIRST_MS } from '../calls/index.ts'
import type { NetworkCalls } from './network-calls.ts'
import { servingHeaders } from './serving.ts'

type OwnersRequest = {
  readonly path: string
  /** Returns the body, or null for a GET request. */
  readonly body: (() => null) | (() => object)
  readonly signal: AbortSignal
  readonly state: AnswerState | undefined
}

type OwnersAnswer = {
  /** The answer, or null if no instance has the document. */
  readonly bytes: Uint8Array | null
  /** The error of an instance that may hold the document, or null if all have answered. */
  readonly failure: ApiError | null
  /** Answers of instances that do not hold it. */
  readonly refusals: readonly ApiError[]
}

/**
 * Calls the owners of the document's shard, or all other instances if documents are not divided.
 * `lacks` returns true for the answer of an instance that does not hold the document.
 */
export async function callOwners(
  searches: NetworkCalls,
  id: string,
  { path, body, signal, state }: OwnersRequest,
  lacks: (error: ApiError) => boolean,
): Promise<OwnersAnswer> {
  const { searchMs, now } = searches.parts
  const { network, isSharded } = searches.plan()
  const shard = isSharded ? elected([...network.shards.keys()], id) : null
  const headers = servingHeaders(network, shard === null ? null : [shard])
  const end = now() + searchMs
  const refusals: ApiError[] = []
  let failure: ApiError | null = null
  const room = searches.room()
  try {
    const inOrder = availableFirst(searches, network, shard)
    for (const [at, name] of inOrder.entries()) {
      const left = Math.max(1, end - now())
      const ms = at + 1 < inOrder.length ? Math.min(FIRST_MS, left) : left
      const call = { path, body: body(), headers, ms, signal, take: room.take, state }
      try {
        const bytes = await searches.call(network.remotes.get(name)!, call)
        return { bytes, failure: null, refusals }
      } catch (error) {
        if (!(error instanceof ApiError)) throw error
        if (lacks(error)) refusals.push(error)
        else failure = error
      }
    }
  } finally {
    room.release()
  }
  return { bytes: null, failure, refusals }
}

/** Returns the other owners of a shard, available ones first; for null all other instances. */
function availableFirst(
  { parts: { availability } }: NetworkCalls,
  network: Network,
  shard: string | null,
): readonly string[] {
  const owners = shard === null ? [...network.remotes.keys()] : network.shards.get(shard)!.remotes
  const others = owners.filter((name) => name !== network.self)
  return [
    ...others.filter((name) => availability.isAvailable(name)),
    ...others.filter((name) => !availability.isAvailable(name)),
  ]
}
