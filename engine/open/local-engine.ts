// An open engine: creates its ports and the runner of its tasks, connects them, starts them and
// closes them. Callers use the ports; what tasks need from outside reaches them through here.
import type { TaskUid } from '../../format/ids.ts'
import { KeyStore, type Keys } from '../admin/keys/index.ts'
import { WebhookStore, type Webhooks } from '../admin/webhooks/index.ts'
import { ChatStore, type Chats } from '../ai/chats/index.ts'
import { QueryEmbedder } from '../ai/embedding/index.ts'
import type { Templates } from '../ai/template/index.ts'
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
import { type Features, type FollowStatus, type Publication, StorageError } from '../model/index.ts'
import {
  checkMembership,
  type NetworkDescription,
  NetworkStore,
  StaleRemotes,
  type TaskNetwork,
} from '../network/records/index.ts'
import {
  admission,
  Digests,
  LocalReplication,
  LocalTopology,
  RECORD_AGAIN_MS,
} from '../network/topology/index.ts'
import { QueryService } from '../read/service/index.ts'
import type { Administered, Runner, RunnerParts } from '../runner/index.ts'
import type { InstanceIdentity, State } from '../store/catalog/index.ts'
import type { RotatingLog } from '../store/logs/index.ts'

const TOPOLOGY_LOST = 'The end of a change of the network could not be recorded or read.'

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
  readonly keys: Keys
  readonly webhooks: Webhooks
  readonly chats: Chats
  readonly network: NetworkDescription
  readonly templates: Templates
  readonly #runner: Runner
  readonly topology: LocalTopology
  readonly identity: InstanceIdentity
  readonly replication: LocalReplication
  #isCanceling = false
  #isClosing = false
  #topologyAgain: NodeJS.Timeout | undefined
  #canceled: () => void = () => undefined
  #replicate: (uid: TaskUid, network: TaskNetwork) => Promise<void> = () => Promise.resolve()

  constructor(parts: EngineParts, makeRunner: MakeRunner) {
    this.#parts = parts
    this.identity = parts.identity
    const { manifest, bodies, searching, kinds, templates } = parts
    this.administration = new LocalAdministration(parts)
    this.keys = new KeyStore(manifest, parts.now)
    this.webhooks = new WebhookStore(manifest)
    this.chats = new ChatStore(manifest)
    this.network = new NetworkStore(manifest)
    this.templates = templates
    const { network } = this
    const features = (): Features => this.administration.features
    const stale = new StaleRemotes(manifest)
    this.topology = new LocalTopology({
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
    const { topology } = this
    const queued = {
      manifest,
      described: parts.described ?? (() => manifest.state),
      bodies,
      network,
      stale,
      digests: new Digests({ manifest, topology, searching, views: () => runner.views }),
      admit: admission(kinds, topology, stale),
      replicated: (uid: TaskUid, facts: TaskNetwork) => this.#replicate(uid, facts),
      get queue() {
        return parts.queue
      },
    }
    const tasks = new LocalTasks(queued, this.keys)
    const visibility = new LocalVisibility(queued)
    const ended = (uids: Iterable<TaskUid>): void => this.#ended(uids)
    const runner = makeRunner(administered(this), ended, visibility)
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
    this.tasks = tasks
    this.#runner = runner
    this.queries = queries
    this.visibility = visibility
    this.documents = new LocalDocuments(queued, queries)
    this.replication = new LocalReplication(queued, kinds)
    // Until the work in a network begins, remotes cannot be asked which writes they have run.
    parts.queue.lifecycle.onCanceling = async (uids) =>
      new Set(await this.replication.writesOf(uids))
  }

  /** Handles tasks that finished together. */
  #ended(uids: Iterable<TaskUid>): void {
    this.#noteTopology()
    this.visibility.changed()
    this.tasks.announce(uids)
    if (this.#isCanceling) this.#canceled()
    this.#isCanceling = false
  }

  /** A change of the network may have ended. Tried again while the disk refuses to record that. */
  #noteTopology(): void {
    clearTimeout(this.#topologyAgain)
    this.topology.ended().catch((error: unknown) => {
      this.#parts.options.report(TOPOLOGY_LOST, error)
      if (!(error instanceof StorageError) || this.#isClosing) return
      this.#topologyAgain = setTimeout(() => this.#noteTopology(), RECORD_AGAIN_MS).unref()
    })
  }

  /** Continues the tasks that the previous process left. @throws StorageError */
  async start(): Promise<void> {
    if (this.follows === null && this.#parts.options.isReader !== true) {
      await this.replication.load()
      await this.topology.load()
      const { identity, network } = this
      const leave = (): Promise<void> => this.topology.leave()
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
    this.#isClosing = true
    clearTimeout(this.#topologyAgain)
    this.topology.close()
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
const administered = ({
  administration,
  chats,
  network,
  topology,
  webhooks,
}: LocalEngine): Administered => ({
  get features() {
    return administration.features
  },
  chats,
  network,
  topology,
  webhooks,
})
