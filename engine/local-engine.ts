// An open engine: its ports and the runner of its tasks, connected. Every method delegates to the
// port that does the work; this file decides the order in which the parts are created and closed.
import type { TaskUid } from '../format/ids.ts'
import { QueryEmbedder } from './ai/embedding/index.ts'
import {
  type AskBeforeCanceling,
  type Engine,
  type EngineOptions,
  LocalAdministration,
  LocalDocuments,
  LocalTasks,
} from './api/index.ts'
import { unpublishedLists } from './followers/publishing/index.ts'
import type { Features, FollowStatus, Publication } from './model/index.ts'
import { checkMembership, StaleRemotes, type TaskNetwork } from './network/records/index.ts'
import { admission, Digests, LocalReplication, LocalTopology } from './network/topology/index.ts'
import { QueryService } from './read/service/index.ts'
import type { Administered, Runner, RunnerParts } from './runner/index.ts'
import type { InstanceIdentity, State } from './store/catalog/index.ts'
import type { RotatingLog } from './store/logs/index.ts'

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
) => Runner

export class LocalEngine implements Engine, EngineTools {
  readonly #parts: EngineParts
  readonly #administration: LocalAdministration
  readonly #tasks: LocalTasks
  readonly #documents: LocalDocuments
  readonly #queries: QueryService
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
    const { keys, network } = administration
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
      stale,
      digests: new Digests({ manifest, network, searching, views: () => runner.views }),
      admit: admission(kinds, topology, stale),
      replicated: (uid: TaskUid, facts: TaskNetwork) => this.#replicate(uid, facts),
      get queue() {
        return parts.queue
      },
    }
    const tasks = new LocalTasks(queued, keys)
    const runner = makeRunner(administered(administration, topology), (uids) => {
      topology.ended().catch((error: unknown) => parts.options.report(TOPOLOGY_LOST, error))
      tasks.announce(uids)
      if (this.#isCanceling) this.#canceled()
      this.#isCanceling = false
    })
    const { views } = runner
    const { providers, templates } = parts
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
    this.#administration = administration
    this.#tasks = tasks
    this.#runner = runner
    this.#queries = queries
    this.#documents = new LocalDocuments(queued, queries)
    this.topology = topology
    this.#topology = topology
    this.replication = new LocalReplication(queued, kinds)
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

  // Administration

  get keys(): Engine['keys'] {
    return this.#administration.keys
  }

  get webhooks(): Engine['webhooks'] {
    return this.#administration.webhooks
  }

  get chats(): Engine['chats'] {
    return this.#administration.chats
  }

  get network(): Engine['network'] {
    return this.#administration.network
  }

  get templates(): Engine['templates'] {
    return this.#administration.templates
  }

  get features(): Engine['features'] {
    return this.#administration.features
  }

  setFeatures(...given: Parameters<Engine['setFeatures']>): ReturnType<Engine['setFeatures']> {
    return this.#administration.setFeatures(...given)
  }

  rules(): ReturnType<Engine['rules']> {
    return this.#administration.rules()
  }

  stats(...given: Parameters<Engine['stats']>): ReturnType<Engine['stats']> {
    return this.#administration.stats(...given)
  }

  measures(): ReturnType<Engine['measures']> {
    return this.#administration.measures()
  }

  storageProblem(): ReturnType<Engine['storageProblem']> {
    return this.#parts.options.isReader === true ? null : this.#administration.storageProblem()
  }

  // Indexes and documents

  listIndexes(...given: Parameters<Engine['listIndexes']>): ReturnType<Engine['listIndexes']> {
    return this.#documents.listIndexes(...given)
  }

  index(...given: Parameters<Engine['index']>): ReturnType<Engine['index']> {
    return this.#documents.index(...given)
  }

  indexStats(...given: Parameters<Engine['indexStats']>): ReturnType<Engine['indexStats']> {
    return this.#documents.indexStats(...given)
  }

  settings(...given: Parameters<Engine['settings']>): ReturnType<Engine['settings']> {
    return this.#documents.settings(...given)
  }

  fields(...given: Parameters<Engine['fields']>): ReturnType<Engine['fields']> {
    return this.#documents.fields(...given)
  }

  receive(...given: Parameters<Engine['receive']>): ReturnType<Engine['receive']> {
    return this.#documents.receive(...given)
  }

  enqueueDocuments(
    ...given: Parameters<Engine['enqueueDocuments']>
  ): ReturnType<Engine['enqueueDocuments']> {
    return this.#documents.enqueueDocuments(...given)
  }

  discard(...given: Parameters<Engine['discard']>): ReturnType<Engine['discard']> {
    return this.#documents.discard(...given)
  }

  document(...given: Parameters<Engine['document']>): ReturnType<Engine['document']> {
    return this.#documents.document(...given)
  }

  documents(...given: Parameters<Engine['documents']>): ReturnType<Engine['documents']> {
    return this.#documents.documents(...given)
  }

  // Tasks

  enqueue(...given: Parameters<Engine['enqueue']>): ReturnType<Engine['enqueue']> {
    return this.#tasks.enqueue(...given)
  }

  enqueueDump(...given: Parameters<Engine['enqueueDump']>): ReturnType<Engine['enqueueDump']> {
    return this.#tasks.enqueueDump(...given)
  }

  enqueueCancelation(
    ...given: Parameters<Engine['enqueueCancelation']>
  ): ReturnType<Engine['enqueueCancelation']> {
    return this.#tasks.enqueueCancelation(...given)
  }

  enqueueDeletion(
    ...given: Parameters<Engine['enqueueDeletion']>
  ): ReturnType<Engine['enqueueDeletion']> {
    return this.#tasks.enqueueDeletion(...given)
  }

  task(...given: Parameters<Engine['task']>): ReturnType<Engine['task']> {
    return this.#tasks.task(...given)
  }

  tasks(...given: Parameters<Engine['tasks']>): ReturnType<Engine['tasks']> {
    return this.#tasks.tasks(...given)
  }

  taskDocuments(
    ...given: Parameters<Engine['taskDocuments']>
  ): ReturnType<Engine['taskDocuments']> {
    return this.#tasks.taskDocuments(...given)
  }

  compactTasks(): ReturnType<Engine['compactTasks']> {
    return this.#tasks.compactTasks()
  }

  batch(...given: Parameters<Engine['batch']>): ReturnType<Engine['batch']> {
    return this.#tasks.batch(...given)
  }

  batches(...given: Parameters<Engine['batches']>): ReturnType<Engine['batches']> {
    return this.#tasks.batches(...given)
  }

  watchBatches(...given: Parameters<Engine['watchBatches']>): ReturnType<Engine['watchBatches']> {
    return this.#tasks.watchBatches(...given)
  }

  get needsRestart(): Engine['needsRestart'] {
    return this.#tasks.needsRestart
  }

  // Searches

  search(...given: Parameters<Engine['search']>): ReturnType<Engine['search']> {
    return this.#queries.search(...given)
  }

  facetSearch(...given: Parameters<Engine['facetSearch']>): ReturnType<Engine['facetSearch']> {
    return this.#queries.facetSearch(...given)
  }

  multiSearch(...given: Parameters<Engine['multiSearch']>): ReturnType<Engine['multiSearch']> {
    return this.#queries.multiSearch(...given)
  }

  federatedSearch(
    ...given: Parameters<Engine['federatedSearch']>
  ): ReturnType<Engine['federatedSearch']> {
    return this.#queries.federatedSearch(...given)
  }

  mergeDocuments(
    ...given: Parameters<Engine['mergeDocuments']>
  ): ReturnType<Engine['mergeDocuments']> {
    return this.#queries.mergeDocuments(...given)
  }

  mergeInstances(
    ...given: Parameters<Engine['mergeInstances']>
  ): ReturnType<Engine['mergeInstances']> {
    return this.#queries.mergeInstances(...given)
  }

  foreignUids(...given: Parameters<Engine['foreignUids']>): ReturnType<Engine['foreignUids']> {
    return this.#queries.foreignUids(...given)
  }

  foreign(...given: Parameters<Engine['foreign']>): ReturnType<Engine['foreign']> {
    return this.#queries.foreign(...given)
  }

  hydrate(...given: Parameters<Engine['hydrate']>): ReturnType<Engine['hydrate']> {
    return this.#queries.hydrate(...given)
  }

  similar(...given: Parameters<Engine['similar']>): ReturnType<Engine['similar']> {
    return this.#queries.similar(...given)
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
