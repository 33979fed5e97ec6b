// The chunks of one job: built as they come, here or by other threads, in the order in which they
// came. What came out is kept until the job is over, so that it can be thrown away. Segments take
// their numbers in the order of the chunks before any is built, and of several failures the first
// in that order counts: what a job gives does not depend on the number of threads.

import { KiB } from '../../../format/bytes/index.ts'
import { Canceled } from '../../model/index.ts'
import { encodeSettings, type IndexSettings } from '../../settings/index.ts'
import { SEGMENTS } from '../../store/catalog/index.ts'
import { type FieldNames, LAYERS } from '../../store/layers/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import { buildLayer, type SegmentPlan, segmentPlans } from './build-layer.ts'
import type { Builders } from './builders.ts'
import type { Chunk } from './chunk.ts'
import { threadsAtOnce } from './chunk-size.ts'
import { type NewSegment, removeSegment } from './segment-sink.ts'

export type BuildingEnvironment = {
  readonly fs: FileSystem
  /** The first of so many new numbers. */
  readonly takeSegments: (count: number) => number
  /** Told of work done and to do, in documents. @throws Canceled */
  readonly progress: (done: number, total: number) => void
  /** Threads that build chunks; null: there are none. */
  readonly builders: Builders | null
  /** What building may take, in bytes. */
  readonly memoryBytesMax: number
}

/** What is built. */
export type BuildPlan = {
  readonly job: number
  readonly settings: IndexSettings
  /** Grows while chunks come. */
  readonly names: FieldNames
  /** Documents, each counted half when it is looked at and half when it is built. */
  readonly total: number
  /** What the records of a chunk take at most, about. */
  readonly chunkBytesMax: number
}

/** Building less than this here takes less time than handing it over: bytes of records. */
const HAND_OVER_BYTES_MIN = 16 * KiB

export class Building {
  readonly #plan: BuildPlan
  readonly #env: BuildingEnvironment
  readonly #encodedSettings: string
  /** How many threads beside this one may build at once. */
  readonly #threads: number
  /** By the number of the task. */
  readonly #built = new Map<number, NewSegment | null>()
  readonly #failures = new Map<number, Error>()
  #tasks = 0
  #done = 0

  constructor(plan: BuildPlan, env: BuildingEnvironment) {
    this.#plan = plan
    this.#env = env
    this.#encodedSettings = encodeSettings(plan.settings)
    this.#threads = threadsAtOnce(env.memoryBytesMax, plan.chunkBytesMax) - 1
  }

  /** `documents` more were looked at. @throws Canceled */
  readonly progress = (documents: number): void => {
    this.#advance(documents / 2)
  }

  /** The chunk is not the caller's any more. */
  build(chunk: Chunk): void {
    const plans = segmentPlans(chunk, this.#env.takeSegments)
    // What the chunk has no segments of is as good as read.
    this.#read((LAYERS.length - plans.length) * chunk.count)
    for (const plan of plans) this.#buildSegment(plan, chunk)
  }

  #buildSegment(plan: SegmentPlan, chunk: Chunk): void {
    const { builders, fs } = this.#env
    const { job, settings, names } = this.#plan
    const number = this.#tasks++
    if (builders !== null && chunk.records.length >= HAND_OVER_BYTES_MIN) {
      const encoded = this.#encodedSettings
      const task = { number, job, plan, chunk, settings: encoded, names: names.all }
      if (builders.offer(task, this.#threads)) return
    }
    try {
      const context = { fs, settings, names, progress: this.#read }
      this.#built.set(number, buildLayer(plan, chunk, context))
    } catch (error) {
      if (error instanceof Error) this.#failures.set(number, error)
      throw error
    }
  }

  /** So many documents more were read for a segment; each is read once for every layer. */
  readonly #read = (documents: number): void => {
    this.#advance(documents / LAYERS.length / 2)
  }

  #advance(documents: number): void {
    const elsewhere = (this.#env.builders?.documentsRead() ?? 0) / LAYERS.length / 2
    this.#done = Math.min(this.#done + documents + elsewhere, this.#plan.total)
    this.#env.progress(Math.floor(this.#done), this.#plan.total)
  }

  /** All segments, by number; the names of their files are durable when it returns. */
  finish(): readonly NewSegment[] {
    this.#collect()
    const failure = this.#firstFailure()
    if (failure !== null) throw failure
    const segments = this.#segments()
    if (segments.some(({ location }) => location.kind === 'file')) {
      this.#env.fs.syncDirectory(SEGMENTS)
    }
    return segments
  }

  /** Removes what was built. Returns why the job failed: another thread may have been first. */
  abandon(error: unknown): unknown {
    this.#collect()
    for (const segment of this.#segments()) removeSegment(this.#env.fs, segment)
    return error instanceof Canceled ? error : (this.#firstFailure() ?? error)
  }

  #collect(): void {
    const collected = this.#env.builders?.collect()
    if (collected === undefined) return
    for (const [number, segment] of collected.built) this.#built.set(number, segment)
    for (const [number, failure] of collected.failures) this.#failures.set(number, failure)
  }

  /** Of the first task that failed: one thread alone would have stopped there. */
  #firstFailure(): Error | null {
    if (this.#failures.size === 0) return null
    return this.#failures.get(Math.min(...this.#failures.keys()))!
  }

  #segments(): NewSegment[] {
    const segments = [...this.#built.values()].filter((segment) => segment !== null)
    return segments.sort((a, b) => a.segment - b.segment)
  }
}
