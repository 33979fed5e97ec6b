// The port for administration: features, sizes, health, and how busy the engine is.
import type { IndexUid } from '../../format/ids.ts'
import {
  type DatabaseSizes,
  type DatabaseStats,
  FEATURES,
  type Features,
  type FeaturesPatch,
  StorageError,
  type Visibility,
} from '../model/index.ts'
import type { Searching, SearchLoad } from '../read/pool/index.ts'
import {
  type RuleTargets,
  rulesOf,
  ruleTargets,
  type SearchRule,
} from '../read/search-rules/index.ts'
import {
  databaseSizesOf,
  databaseStatsOf,
  type Manifest,
  type State,
} from '../store/catalog/index.ts'
import type { RotatingLog } from '../store/logs/index.ts'
import { type FileSystem, StorageHealth } from '../store/storage/index.ts'
import { featureChange, featureRecords, featuresOf } from '../store/values/index.ts'
import { pendingRuleTasks } from '../task-kinds/indexes/index.ts'
import type { Batch, Micros, TaskCounts } from '../write/task-data/index.ts'
import type { TaskQueue } from '../write/tasks/index.ts'
import type { EngineOptions } from './options.ts'

/** How busy the engine is at one moment. */
export type Measures = {
  readonly searches: SearchLoad
  readonly tasks: TaskCounts
  readonly taskLog: {
    readonly usedBytes: number
    /** No more tasks are accepted beyond this size. */
    readonly bytesMax: number
  }
  /** At most two. */
  readonly runningBatches: readonly Batch[]
  /** True while tasks wait because the disk or the machine refuses batches. */
  readonly isRetrying: boolean
  /** Free bytes on the disk of the database, or null if the system does not report them. */
  readonly freeBytes: number | null
}

/** Settings and measures of the engine itself. */
export interface AdministrationPort {
  /** Returns the dynamic search rules; the most recently changed rule comes first. */
  rules(): readonly SearchRule[]
  /**
   * Returns the rules as they are, and as they will be after the tasks that wait or run. @throws
   * CorruptionError, StorageError
   */
  ruleTargets(): Promise<RuleTargets>
  readonly features: Features
  /** Changes features and returns the new set. Durable when it resolves. @throws StorageError */
  setFeatures(patch: FeaturesPatch): Promise<Features>
  stats(visible: Visibility): DatabaseStats
  /** Returns sizes alone, fast enough for a timer. */
  sizes(): DatabaseSizes
  /** Returns how busy the engine is. Its cost grows with the number of tasks. */
  measures(): Measures
  /** Returns why writes are refused, as a sentence without paths, or null if they are accepted. */
  storageProblem(): string | null
}

type Parts = {
  readonly fs: FileSystem
  readonly manifest: Manifest
  readonly log: Pick<RotatingLog, 'activeLog'>
  readonly queue: TaskQueue
  readonly searching: Searching
  readonly now: () => Micros
  readonly options: Pick<EngineOptions, 'alwaysOn' | 'isReader'>
  /** The state that statistics describe, if it is not that of the manifest. */
  readonly described?: () => State
}

export class LocalAdministration implements AdministrationPort {
  readonly #parts: Parts
  readonly #health: StorageHealth
  #features: Features
  /** The records that `#features` was read from. */
  #featureRecords: ReadonlyMap<string, Uint8Array>

  constructor(parts: Parts) {
    this.#parts = parts
    const { fs, manifest, log, now } = parts
    this.#featureRecords = featureRecords(manifest)
    this.#features = this.#readFeatures()
    const logs = () => [log.activeLog, manifest.log]
    this.#health = new StorageHealth(fs, logs, () => now() / 1000)
  }

  rules(): readonly SearchRule[] {
    return rulesOf(this.#parts.manifest.state)
  }

  async ruleTargets(): Promise<RuleTargets> {
    const pending = await pendingRuleTasks(this.#parts.queue.lists)
    return ruleTargets(this.rules(), pending)
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
    const isIndexing = (uid: IndexUid): boolean => this.#parts.queue.isIndexing(uid)
    return databaseStatsOf(this.#described, visible, isIndexing, this.#otherBytes)
  }

  sizes(): DatabaseSizes {
    return databaseSizesOf(this.#described, this.#otherBytes)
  }

  get #described(): State {
    return this.#parts.described?.() ?? this.#parts.manifest.state
  }

  /** Size of the files that belong to no index. */
  get #otherBytes(): number {
    return this.#parts.manifest.file.bytes + this.#parts.queue.usedBytes
  }

  measures(): Measures {
    const { fs, queue, searching } = this.#parts
    const { usedBytes, bytesMax, lifecycle } = queue
    return {
      searches: searching.load,
      tasks: queue.lists.counts(),
      taskLog: { usedBytes, bytesMax },
      runningBatches: lifecycle.running.map((running) => running.view()),
      isRetrying: lifecycle.isRetrying,
      freeBytes: freeBytesOf(fs),
    }
  }

  storageProblem(): string | null {
    return this.#parts.options.isReader === true ? null : this.#health.problem()
  }
}

/** Returns null if the folder is gone or unmounted: health checks report that. */
function freeBytesOf(fs: FileSystem): number | null {
  try {
    return fs.freeBytes()
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    return null
  }
}
