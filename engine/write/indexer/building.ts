// The chunks of one job: built in the order of arrival, here or by other threads. Built segments
// are remembered until the job has ended, so that they can be removed if it fails. Segments get
// their numbers in chunk order before any is built, and of several failures the first in that order
// is reported: the result of a job does not depend on the number of threads.

import { KiB } from '../../../format/bytes/index.ts'
import type { SegmentNo } from '../../../format/ids.ts'
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
  /** Reserves that many numbers and returns the first. */
  readonly takeSegments: (count: number) => SegmentNo
  /** Reports work done and total work, in documents. @throws Canceled */
  readonly progress: (done: number, total: number) => void
  /** Threads that build chunks, or null if one thread builds all. */
  readonly builders: Builders | null
  /** Bytes that building may use. */
  readonly memoryBytesMax: number
}

/** The parameters of a build. */
export type BuildPlan = {
  readonly job: number
  readonly settings: IndexSettings
  /** Grows while chunks arrive. */
  readonly names: FieldNames
  /** Number of documents; each counts half when it is read and half when it is built. */
  readonly total: number
  /** Estimated maximum of the bytes of records in a chunk. */
  readonly chunkBytesMax: number
}

/** Bytes of records below which building takes less time than handing the chunk over. */
const HAND_OVER_BYTES_MIN = 16 * KiB

export class Building {
  readonly #plan: BuildPlan
  readonly #env: BuildingEnvironment
  readonly #encodedSettings: string
  /** Number of other threads that may build at the same time. */
  readonly #threads: number
  /** Built segments by task number. */
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

  /** Reports that `documents` more were read. @throws Canceled */
  readonly progress = (documents: number): void => {
    this.#advance(documents / 2)
  }

  /** Builds the segments of a chunk. The caller must not use the chunk afterwards. */
  build(chunk: Chunk): void {
    const plans = segmentPlans(chunk, this.#env.takeSegments)
    // For layers without a segment the documents count as read.
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

  /** Counts documents read for a segment; each document is read once for every layer. */
  readonly #read = (documents: number): void => {
    this.#advance(documents / LAYERS.length / 2)
  }

  #advance(documents: number): void {
    const elsewhere = (this.#env.builders?.documentsRead() ?? 0) / LAYERS.length / 2
    this.#done = Math.min(this.#done + documents + elsewhere, this.#plan.total)
    this.#env.progress(Math.floor(this.#done), this.#plan.total)
  }

  /** Returns all segments by number; the directory entries of their files are durable. */
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

  /**
   * Removes all built segments. Returns why the job failed: another thread may have failed first.
   */
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

  /** Returns the error of the first failed task: a single thread would have stopped there. */
  #firstFailure(): Error | null {
    if (this.#failures.size === 0) return null
    return this.#failures.get(Math.min(...this.#failures.keys()))!
  }

  #segments(): NewSegment[] {
    const segments = [...this.#built.values()].filter((segment) => segment !== null)
    return segments.sort((a, b) => a.segment - b.segment)
  }
}
