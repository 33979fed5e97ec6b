// The network's interface for routes: changes, messages of other instances, status. Creates its
// parts, starts and stops them.
import { checkLeads, type NetworkPatch, type Send } from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import { requestUid } from '../http/index.ts'
import type { RequestContext, RouteRequest } from '../http/messages/index.ts'
import type { NetworkBody, NetworkMessage } from '../parse/index.ts'
import {
  Availability,
  type InstanceDescription,
  ownDescription,
  Probes,
  REPEATED,
  type RemoteMeasures,
  RemoteTally,
  readTaskNetwork,
  remoteMeasures,
} from './calls/index.ts'
import { ReceivedMessages } from './received-messages.ts'
import {
  type ChangePlan,
  type InstanceDigest,
  ownDigest,
  type Repair,
  type ReplicaReport,
  ReplicaWatch,
  ResyncScheduler,
} from './repair/index.ts'
import { NetworkSearches } from './searches/index.ts'
import type { ServiceOptions } from './service-options.ts'
import { type NetworkStatus, networkStatus } from './status.ts'
import { type Changed, Coordinator, NetworkChanges } from './topology/index.ts'
import {
  checkSender,
  isMember,
  Leadership,
  listsIn,
  Replicator,
  SelfCheck,
  senderHeaders,
  senderOf,
} from './writes/index.ts'

export class NetworkService {
  readonly availability: Availability
  readonly searches: NetworkSearches
  readonly #options: ServiceOptions
  readonly #replicator: Replicator
  readonly #messages: ReceivedMessages
  readonly #changes: NetworkChanges
  readonly #stop = new AbortController()
  readonly #coordinator: Coordinator
  readonly #resyncs: ResyncScheduler
  readonly #replicas: ReplicaWatch
  readonly #probes: Probes
  readonly #tally: RemoteTally
  readonly #leadership: Leadership
  readonly #selfCheck: SelfCheck

  constructor(options: ServiceOptions) {
    this.#options = options
    const { engine, writes: times, report } = options
    const now = (): number => performance.now()
    this.#tally = new RemoteTally(() => engine.network.get(), now)
    const counted = this.#tally.counted(options.send)
    const send: Send = (request) => {
      const sender = { id: engine.identity.id, term: engine.network.get().term }
      return counted({ ...request, headers: { ...request.headers, ...senderHeaders(sender) } })
    }
    this.#leadership = new Leadership({
      engine,
      send,
      times,
      steppedDown: () => this.availability.forgetBehind(),
      report,
    })
    this.#selfCheck = new SelfCheck({ engine, send, times, report })
    this.availability = new Availability(now, () => engine.topology.lacking)
    this.searches = new NetworkSearches({
      engine,
      send,
      availability: this.availability,
      connectMs: times.connectMs,
      searchMs: options.searchMs,
      hedges: options.hedges,
      now,
    })
    this.#replicator = new Replicator({
      engine,
      send,
      times,
      now,
      report,
      backlogBytesMax: options.backlogBytesMax,
      behind: (remote) => this.#messages.behind(remote),
      unreachable: (remote) => this.availability.failed(remote),
      reachable: (remote) => this.availability.recovered(remote),
      checkLeadership: (signal) => this.#leadership.check(signal),
    })
    const { availability } = this
    const replicator = this.#replicator
    this.#messages = new ReceivedMessages({
      engine,
      availability,
      replicator,
      isOpen: options.isOpen,
    })
    const network = () => engine.network.get()
    this.#probes = new Probes({ network, availability, send, times, report })
    this.#changes = new NetworkChanges({ engine, send, times, replicator, newVersion: requestUid })
    this.#coordinator = new Coordinator({ engine, send, times, now, report })
    const resync = () => this.#changes.resync()
    this.#replicas = new ReplicaWatch({ engine, send, times, now, report })
    const notifyStale = () => this.#replicator.sendNetworkToStale()
    this.#resyncs = new ResyncScheduler({ engine, send, times, now, resync, notifyStale, report })
  }

  /** Starts background work. A follower sends no tasks: they belong to another instance. */
  start(): void {
    this.#probes.start()
    if (this.#options.engine.follows !== null) return
    this.#selfCheck.start(() => void this.#begin())
  }

  /** Takes part in the network. */
  async #begin(): Promise<void> {
    await this.#leadership.check(this.#stop.signal)
    if (this.#stop.signal.aborted) return
    this.#replicator.start()
    this.#coordinator.start()
    this.#resyncs.start()
    this.#replicas.start()
    void this.#announceReturn()
  }

  async stop(): Promise<void> {
    this.#stop.abort()
    this.#messages.stop()
    await this.#probes.stop()
    await this.#selfCheck.stop()
    await this.#replicas.stop()
    await this.#resyncs.stop()
    await this.#coordinator.stop()
    await this.#replicator.stop()
  }

  /** Returns the status of the network as seen by this instance, which probes all others first. */
  async status(): Promise<NetworkStatus> {
    await this.#probes.probeAll()
    return networkStatus({
      engine: this.#options.engine,
      availability: this.availability,
      lastError: (remote) => this.#replicator.lastError(remote),
      replicasEqual: this.#replicas.areEqual,
      problem: this.#selfCheck.problem,
    })
  }

  /** Returns the values of metrics about other instances, and probes them for the next time. */
  measures(): RemoteMeasures {
    void this.#probes.probeAll()
    const { engine } = this.#options
    return remoteMeasures(engine, this.availability, this.#tally, this.#replicas.areEqual)
  }

  /** Returns the identity of this instance. */
  identity(): InstanceDescription {
    return ownDescription(this.#options.engine)
  }

  /** Returns whether a request comes from an instance, or from a client with the same rights. */
  isMember({ caller, context }: Pick<RouteRequest, 'caller' | 'context'>): boolean {
    return isMember(caller, context, this.#options.isMemberKey)
  }

  /** Returns the digests of this instance. @throws StorageError, Canceled */
  digest(next: readonly string[] | null, hasDocuments: boolean): Promise<InstanceDigest> {
    return ownDigest(this.#options.engine, next, this.#stop.signal, hasDocuments)
  }

  /** Compares the replicas of all instances. @throws StorageError */
  compare(): Promise<ReplicaReport> {
    return this.#replicas.compare()
  }

  /** Starts the repair of replicas that differ. @throws EngineFault not_a_leader, StorageError */
  repair(named: readonly string[]): Promise<Repair> {
    checkLeads(this.#options.engine.network.get())
    return this.#replicas.repair(named)
  }

  /** Computes the effect of a change. @throws EngineFault, StorageError */
  plan(patch: NetworkPatch): Promise<ChangePlan> {
    return this.#replicas.plan(patch)
  }

  /**
   * Registers a change of a client, or the copy of a leader's change. @throws EngineFault, ApiError
   */
  async change(body: NetworkBody, context: RequestContext): Promise<Changed> {
    const network = readTaskNetwork(context)
    if (network === null || network.kind === 'leader') {
      const { previousRemotes, previousShards: _, ...patch } = body
      if (previousRemotes !== undefined) throw unexpectedPrevious()
      const changed = await this.#changes.change(patch as NetworkPatch)
      if (this.#selfCheck.problem !== null) await this.#selfCheck.confirm()
      return changed
    }
    if (network.kind === 'import') return this.#noIndex(network)
    const { engine, isOpen } = this.#options
    const current = engine.network.get()
    checkSender(context, 'newLeader', current, isOpen)
    this.#messages.checkOrigin(network.origin.remoteName, body)
    const sender = senderOf(context)
    const leadership = { leaderId: sender?.id ?? null, term: sender?.term ?? current.term }
    const isRepeated = context.header(REPEATED) === 'true'
    const { origin } = network
    const lists = listsIn(context)
    const task = await this.#changes.receive(body, origin, leadership, lists, isRepeated)
    return { task }
  }

  /** Handles an older message: the sender has no index. */
  async #noIndex(
    network: Extract<NonNullable<ReturnType<typeof readTaskNetwork>>, { kind: 'import' }>,
  ): Promise<Changed> {
    const { source, change } = network
    if (source.indexCount !== 0) {
      throw new ApiError(
        'invalid_header_value',
        'Invalid value for header `X-Svc-Proxy-Import-Index-Count`: ' +
          `Expected 0 indexes, got \`${source.indexCount}\``,
      )
    }
    const { engine } = this.#options
    await engine.topology.exportEnded(change, source.remoteName)
    return { network: engine.network.get() }
  }

  /** Handles a message; returns its answer or null. @throws EngineFault, ApiError, StorageError */
  receive(received: NetworkMessage, context: RequestContext): Promise<object | null> {
    return this.#messages.receive(received, context)
  }

  /** Notifies the leader that this instance is back and may lack writes. */
  async #announceReturn(): Promise<void> {
    const { engine, report } = this.#options
    const { self, leader } = engine.network.get()
    if (self === null || leader === null || leader === self) return
    const mayLack = await this.#replicator.notifyBehind(leader, self).catch((error: unknown) => {
      report('The leader could not be notified that this instance is back.', error)
      return false
    })
    // The leader repeats the notice until it has sent the missing writes.
    if (mayLack && !this.#stop.signal.aborted) this.#messages.behind(self)
  }
}

const unexpectedPrevious = (): ApiError =>
  new ApiError(
    'unexpected_network_previous_remotes',
    'Unexpected `previousRemotes` in network call.\n' +
      '  - Note: `previousRemote` is reserved for internal use.',
  )
