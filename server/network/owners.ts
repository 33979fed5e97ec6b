// A question about one document: the instances that may hold it are asked one after another.
import { elected, type Network } from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import { FIRST_MS } from './limits.ts'
import type { NetworkSearches } from './searches.ts'
import { servingHeaders } from './serving.ts'

type Question = {
  readonly path: string
  /** null: it is a GET. */
  readonly body: (() => null) | (() => object)
  readonly signal: AbortSignal
}

type OwnersAnswer = {
  /** null: no instance has answered. */
  readonly bytes: Uint8Array | null
  /** Why an instance that may hold the document has not answered; null: they all have. */
  readonly failure: ApiError | null
  /** Instances that do not hold it. */
  readonly refusals: readonly ApiError[]
}

/** Asks the owners of its shard, or all others. `lacks`: an instance says that it has no such. */
export async function askOwners(
  searches: NetworkSearches,
  id: string,
  { path, body, signal }: Question,
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
      const call = { path, body: body(), headers, ms, signal, take: room.take }
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

/** Other owners of the shard; null: all other instances. */
function availableFirst(
  { parts: { availability } }: NetworkSearches,
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
