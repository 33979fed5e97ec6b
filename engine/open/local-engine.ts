// An open engine: its ports and the runner of its tasks, connected. Every method delegates to the
// port that does the work; this file decides the order in which the parts are created and closed.
import type { TaskUid } from '../../format/ids.ts'
import { QueryEmbedder } from '../ai/embedding/index.ts'
import {
  type AskBeforeCanceling,
  type Engine,
  type EngineOptions,
  LocalAdministration,
  LocalDocuments,
  LocalTasks,
  LocalVisibility,
} from '../api/index.ts'
import { unpublishedLists } from '../followers/publishing/index.ts'
import type { Features, FollowStatus, Publication } from '../model/index.ts'
import { checkMembership, StaleRemotes, type TaskNetwork } from '../network/records/index.ts'
import { admission, Digests, LocalReplication, LocalTopology } from '../network/topology/index.ts'
import { QueryService } from '../read/service/index.ts'
import type { Administered, Runner, RunnerParts } from '../runner/index.ts'
import type { InstanceIdentity, State } from '../store/catalog/index.ts'
import type { RotatingLog } from '../store/logs/index.ts'

const TOPOLOGY_LOST = 'The change of the network could not be read.'

/** Operations for tests and tools, beyond the interface of the engine. */
export interface EngineTools {
  /** Resolves when no task waits or runs. */
  idle(): Promise<void>
  /** Resolves when nothing is left to merge. */
  allMerged(): Promise<void>
}

/** The parts of an engine. `queue` may be replaced by another object, so it is read on each use. */
export type EngineParts = Omit<RunnerParts, 'log' | 'options'> & {
  readonly options: EngineOptions
  readonly identity: InstanceIdentity
  readonly log: Pick<RotatingLog, 'activeLog'>
  /** The state that statistics describe, if it is not that of the manifest. */
  readonly described?: () => State
}

export type MakeRunner = (
  administered: Administered,
  announce: (tasks: Iterable<TaskUid>) => void,
  visibility: Pick<LocalVisibility, 'changed' | 'isAwaited'>,
) => Runner

export class LocalEngine implements Engine, EngineTools {
  readonly #parts: EngineParts
  readonly administration: LocalAdministration
  readonly tasks: LocalTasks
  readonly documents: LocalDocuments
  readonly queries: QueryService
  readonly visibility: LocalVisibility
  readonly keys: Engine['keys']
  readonly webhooks: Engine['webhooks']
  readonly chats: Engine['chats']
  readonly network: Engine['network']
  readonly templates: Engine['templates']
  readonly #runner: Runner
  readonly #topology: LocalTopology
  readonly topology: Engine['topology']
  readonly identity: InstanceIdentity
  readonly replication: LocalReplication
  #isCanceling = false
  #canceled: () => void = () => undefined
  #replicate: (uid: TaskUid, network: TaskNetwork) => Promise<void> = () => Promise.resolve()

  constructor(parts: EngineParts, makeRunner: MakeRunner) {
    this.#parts = parts
    this.identity = parts.identity
    const { manifest, bodies, searching, kinds } = parts
    const administration = new LocalAdministration(parts)
    const { keys, webhooks, chats, network, templates } = administration
    this.keys = keys
    this.webhooks = webhooks
    this.chats = chats
    this.network = network
    this.templates = templates
    const features = (): Features => administration.features
    const stale = new StaleRemotes(manifest)
    const topology = new LocalTopology({
      manifest,
      get queue() {
        return parts.queue
      },
      network,
      stale,
      searching,
      views: () => runner.views,
      features,
      contentOf: (uid) => parts.queue.lists.contentOf(uid),
    })
    const queued = {
      manifest,
      described: parts.described ?? (() => manifest.state),
      bodies,
      network,
      stale,
      digests: new Digests({ manifest, network, searching, views: () => runner.views }),
      admit: admission(kinds, topology, stale),
      replicated: (uid: TaskUid, facts: TaskNetwork) => this.#replicate(uid, facts),
      get queue() {
        return parts.queue
      },
    }
    const tasks = new LocalTasks(queued, keys)
    const visibility = new LocalVisibility(queued)
    const ended = (uids: Iterable<TaskUid>): void => this.#ended(uids)
    const runner = makeRunner(administered(administration, topology), ended, visibility)
    parts.queue.onRegistered = () => visibility.registered()
    const { views } = runner
    const { providers } = parts
    const vectors = providers === null ? null : new QueryEmbedder(providers, templates)
    const shardNames = (): readonly string[] | null => topology.shardNames
    const queries = new QueryService({
      manifest,
      views,
      searching,
      features,
      vectors,
      shardNames,
      whenServed: runner.whenServed?.bind(runner) ?? null,
    })
    this.administration = administration
    this.tasks = tasks
    this.#runner = runner
    this.queries = queries
    this.visibility = visibility
    this.documents = new LocalDocuments(queued, queries)
    this.topology = topology
    this.#topology = topology
    this.replication = new LocalReplication(queued, kinds)
  }

  /** Handles tasks that finished together. */
  #ended(uids: Iterable<TaskUid>): void {
    const { report } = this.#parts.options
    this.#topology.ended().catch((error: unknown) => report(TOPOLOGY_LOST, error))
    this.visibility.changed()
    this.tasks.announce(uids)
    if (this.#isCanceling) this.#canceled()
    this.#isCanceling = false
  }

  /** Continues the tasks that the previous process left. @throws StorageError */
  async start(): Promise<void> {
    if (this.follows === null && this.#parts.options.isReader !== true) {
      await this.replication.load()
      await this.#topology.load()
      const { identity, network } = this
      const leave = (): Promise<void> => this.#topology.leave()
      await checkMembership({ identity, network, leave, note: this.#parts.options.note })
    }
    this.#runner.start()
  }

  onReplicated(replicate: (uid: TaskUid, network: TaskNetwork) => Promise<void>): void {
    this.#replicate = replicate
  }

  onCanceling(ask: AskBeforeCanceling, decided: () => void): void {
    this.#parts.queue.lifecycle.onCanceling = async (uids) => {
      this.#isCanceling = true
      return ask(uids)
    }
    this.#canceled = decided
  }

  get follows(): FollowStatus | null {
    return this.#runner.follows
  }

  get publication(): Publication | null {
    return this.#runner.publication ?? null
  }

  unpublishedWrites(): readonly string[] {
    return unpublishedLists(this.#parts.fs)
  }

  idle(): Promise<void> {
    return this.#runner.idle()
  }

  allMerged(): Promise<void> {
    return this.#runner.allMerged()
  }

  async close(): Promise<void> {
    const { manifest, indexing, searching, templates, providers } = this.#parts
    await this.#runner.stop()
    await templates.close()
    await providers?.close()
    await searching.close()
    await indexing.close()
    // A follower may have replaced it while it stopped.
    await this.#parts.queue.close()
    await this.#runner.cleaned()
    await manifest.close(true)
  }
}

/** Returns the administrators' settings, as tasks read them. */
const administered = (
  administration: LocalAdministration,
  topology: LocalTopology,
): Administered => ({
  get features() {
    return administration.features
  },
  chats: administration.chats,
  network: administration.network,
  topology,
  webhooks: administration.webhooks,
})
