// The port for administration: keys, webhooks and other small values, features, how the engine is.
import { KeyStore, type Keys } from '../admin/keys/index.ts'
import { WebhookStore, type Webhooks } from '../admin/webhooks/index.ts'
import { ChatStore, type Chats } from '../ai/chats/index.ts'
import type { Templates } from '../ai/template/index.ts'
import {
  type DatabaseStats,
  FEATURES,
  type Features,
  type FeaturesPatch,
  StorageError,
  type Visibility,
} from '../model/index.ts'
import { type NetworkDescription, NetworkStore } from '../network/index.ts'
import { rulesOf, type SearchRule } from '../read/rules/index.ts'
import type { Searching, SearchLoad } from '../read/search/index.ts'
import { databaseStatsOf, type Manifest } from '../store/catalog/index.ts'
import { type FileSystem, type RotatingLog, StorageHealth } from '../store/storage/index.ts'
import { featureChange, featureRecords, featuresOf } from '../store/values/index.ts'
import type { Batch, Micros, TaskCounts, TaskQueue } from '../write/tasks/index.ts'
import type { EngineOptions } from './options.ts'

/** How busy the engine is at one moment. */
export type Measures = {
  readonly searches: SearchLoad
  readonly tasks: TaskCounts
  readonly taskLog: {
    readonly usedBytes: number
    /** Past it no more tasks are taken. */
    readonly bytesMax: number
  }
  readonly runningBatch: Batch | null
  /** Free on the disk of the database; null: the system does not say. */
  readonly freeBytes: number | null
}

/** What the engine is asked and told about itself: features, keys, watchers, sizes. */
export interface AdministrationPort {
  readonly keys: Keys
  readonly webhooks: Webhooks
  readonly chats: Chats
  readonly network: NetworkDescription
  /** What templates of clients make of documents, off the main thread. */
  readonly templates: Templates
  /** Dynamic search rules, the one that was changed last first. */
  rules(): readonly SearchRule[]
  readonly features: Features
  /** Durable when it resolves, to the state it made. @throws StorageError */
  setFeatures(patch: FeaturesPatch): Promise<Features>
  stats(visible: Visibility): DatabaseStats
  /** 5 ms a million tasks. */
  measures(): Measures
  /** Why writes are refused, a sentence without paths; null: the database can be written to. */
  storageProblem(): string | null
}

type Parts = {
  readonly fs: FileSystem
  readonly manifest: Manifest
  readonly log: Pick<RotatingLog, 'inForce'>
  readonly queue: TaskQueue
  readonly searching: Searching
  readonly templates: Templates
  readonly now: () => Micros
  readonly options: Pick<EngineOptions, 'alwaysOn'>
}

export class LocalAdministration implements AdministrationPort {
  readonly keys: Keys
  readonly webhooks: Webhooks
  readonly chats: Chats
  readonly network: NetworkDescription
  readonly templates: Templates
  readonly #parts: Parts
  readonly #health: StorageHealth
  #features: Features
  /** What `#features` was made of. */
  #featureRecords: ReadonlyMap<string, Uint8Array>

  constructor(parts: Parts) {
    this.#parts = parts
    const { fs, manifest, log, now } = parts
    this.#featureRecords = featureRecords(manifest)
    this.#features = this.#readFeatures()
    this.keys = new KeyStore(manifest, now)
    this.webhooks = new WebhookStore(manifest)
    this.chats = new ChatStore(manifest)
    this.network = new NetworkStore(manifest)
    this.templates = parts.templates
    const logs = () => [log.inForce, manifest.log]
    this.#health = new StorageHealth(fs, logs, () => now() / 1000)
  }

  rules(): readonly SearchRule[] {
    return rulesOf(this.#parts.manifest.state)
  }

  get features(): Features {
    const records = featureRecords(this.#parts.manifest)
    if (records !== this.#featureRecords) {
      this.#featureRecords = records
      this.#features = this.#readFeatures()
    }
    return this.#features
  }

  #readFeatures(): Features {
    const { manifest, options } = this.#parts
    const features = featuresOf(manifest)
    const { alwaysOn = [] } = options
    if (alwaysOn.length === 0) return features
    return { ...features, ...Object.fromEntries(alwaysOn.map((feature) => [feature, true])) }
  }

  async setFeatures(patch: FeaturesPatch): Promise<Features> {
    const { manifest } = this.#parts
    const changed = FEATURES.filter((feature) => {
      const value = patch[feature] ?? null
      return value !== null && value !== this.features[feature]
    })
    if (changed.length > 0) {
      await manifest.commit(changed.map((name) => featureChange(name, patch[name] === true)))
    }
    return this.features
  }

  stats(visible: Visibility): DatabaseStats {
    const { manifest, queue } = this.#parts
    const otherBytes = manifest.file.bytes + queue.usedBytes
    return databaseStatsOf(manifest.state, visible, (uid) => queue.isIndexing(uid), otherBytes)
  }

  measures(): Measures {
    const { fs, queue, searching } = this.#parts
    const { usedBytes, bytesMax, lifecycle } = queue
    return {
      searches: searching.load,
      tasks: queue.counts(),
      taskLog: { usedBytes, bytesMax },
      runningBatch: lifecycle.running?.view() ?? null,
      freeBytes: freeBytesOf(fs),
    }
  }

  storageProblem(): string | null {
    return this.#health.problem()
  }
}

/** The folder may be gone or unmounted: health checks tell that. */
function freeBytesOf(fs: FileSystem): number | null {
  try {
    return fs.freeBytes()
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    return null
  }
}
