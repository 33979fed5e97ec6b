// Messages of other instances: who may send which, and what each of them does here.
import {
  decodeNetwork,
  type Engine,
  type Network,
  type Remote,
  type TaskOrigin,
} from '../../engine/index.ts'
import { CorruptionError } from '../../format/errors.ts'
import { ApiError } from '../errors/index.ts'
import type { RequestContext } from '../http/messages/index.ts'
import type { NetworkBody, NetworkMessage } from '../parse/index.ts'
import { type Availability, BEHIND_MS, checkOrigin } from './calls/index.ts'
import { checkSender, type Replicator } from './writes/index.ts'

type Parts = {
  readonly engine: Engine
  readonly availability: Availability
  readonly replicator: Replicator
  /** True if API keys are not required. */
  readonly isOpen: boolean
}

export class ReceivedMessages {
  readonly #parts: Parts
  /** Timer that ends the time for which this instance lacks writes. */
  #caughtUp: NodeJS.Timeout | null = null

  constructor(parts: Parts) {
    this.#parts = parts
  }

  stop(): void {
    if (this.#caughtUp !== null) clearTimeout(this.#caughtUp)
  }

  /** Checks the origin if keys are required. Without a leader every named sender is accepted. */
  checkOrigin(name: string, body: NetworkBody | null): void {
    const { engine, isOpen } = this.#parts
    if (isOpen) return
    const current = engine.network.get()
    const { change } = engine.topology
    const known = [current, ...(change === null ? [] : [change.before, change.after])]
    const named = body === null || current.leader !== null ? {} : (body.remotes ?? {})
    const described = new Map<string, Remote>()
    for (const [one, remote] of Object.entries(named)) {
      if (remote !== null) described.set(one, remote as Remote)
    }
    checkOrigin(name, [...known, { remotes: described }])
  }

  /** Handles a message; returns its answer or null. @throws EngineFault, ApiError, StorageError */
  async receive(received: NetworkMessage, context: RequestContext): Promise<object | null> {
    const { origin, message } = received
    if (message.type === 'statusChangeForRemote') {
      this.#parts.availability.set(message.remote, message.status)
      return null
    }
    const { engine, isOpen } = this.#parts
    checkSender(context, roleOf(message.type), engine.network.get(), isOpen)
    this.checkOrigin(origin.remoteName, null)
    const { replication } = this.#parts.engine
    const { remoteName, networkVersion: version } = origin
    if ('tasks' in message) {
      const group = { version, uids: message.tasks }
      if (message.type === 'tasksHeldForRemote') {
        return { ran: await replication.holdCopies(remoteName, group) }
      }
      if (message.type === 'tasksCanceledForRemote') {
        return { ran: await replication.cancelCopies(remoteName, group) }
      }
      replication.releaseCopies(remoteName, group)
      return { ran: [] }
    }
    if (message.type === 'behindForRemote' && message.remote === remoteName) {
      const { replicator } = this.#parts
      replicator.wake(remoteName)
      return { lacks: replicator.lacks(remoteName) }
    }
    await this.#handle(origin, message)
    return null
  }

  /** @throws EngineFault, ApiError */
  async #handle(origin: TaskOrigin, message: UnansweredMessage): Promise<void> {
    const { topology } = this.#parts.engine
    switch (message.type) {
      case 'changeCanceledForRemote':
        return this.#cancel(origin)
      case 'behindForRemote':
        this.behind(message.remote)
        return
      case 'renewForRemote':
        return topology.admitIndexes(origin, message.documents)
      case 'definitionsSentForRemote':
        return topology.definitionsSent(origin)
      case 'networkForRemote':
        return this.#adoptNetwork(message.network)
      case 'exportNoIndexForRemote':
        return topology.exportEnded(origin, message.remote)
      default:
        await topology.importFinished(origin, message.remote, message.successful, message.routed)
    }
  }

  /** Notes that an instance lacks writes; this instance calls others for its shards. */
  behind(remote: string): void {
    const { engine } = this.#parts
    if (remote !== engine.network.get().self) {
      this.#parts.availability.behind(remote, BEHIND_MS)
      return
    }
    engine.topology.setBehind(true)
    if (this.#caughtUp !== null) clearTimeout(this.#caughtUp)
    this.#caughtUp = setTimeout(() => engine.topology.setBehind(false), BEHIND_MS).unref()
  }

  /** Adopts the network after this instance missed a change. */
  async #adoptNetwork(written: string): Promise<void> {
    const { engine } = this.#parts
    const network = networkOf(written)
    const { change, isRouted } = engine.topology
    if (change !== null) {
      const { version } = change.after
      // A change by which this instance searches has succeeded on the leader, and ends here by itself.
      if (version > network.version || (isRouted && version === network.version)) return
      await this.#cancel({ ...change.origin, networkVersion: version })
    }
    await engine.network.update((known) => (known.version < network.version ? network : known))
  }

  /** Cancels the copy of a change that the leader has canceled. */
  async #cancel({ networkVersion }: TaskOrigin): Promise<void> {
    const { topology } = this.#parts.engine
    const { change } = topology
    if (change?.after.version === networkVersion) await topology.cancel(change)
  }
}

/** The role in which an instance sends a message. */
const roleOf = (type: NetworkMessage['message']['type']): Parameters<typeof checkSender>[1] => {
  if (type === 'networkForRemote') return 'newLeader'
  return OF_MEMBERS.has(type) ? 'member' : 'leader'
}
const OF_MEMBERS: ReadonlySet<NetworkMessage['message']['type']> = new Set([
  'exportNoIndexForRemote',
  'importFinishedForRemote',
  'behindForRemote',
  'renewForRemote',
])

/** Messages without an answer. */
type UnansweredMessage = Exclude<
  NetworkMessage['message'],
  { readonly tasks: readonly number[] } | { readonly type: 'statusChangeForRemote' }
>

/** @throws ApiError bad_request */
function networkOf(written: string): Network {
  try {
    return decodeNetwork(Buffer.from(written))
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error
    throw new ApiError('bad_request', 'The network of the message cannot be read.')
  }
}
