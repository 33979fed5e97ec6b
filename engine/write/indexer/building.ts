// The chunks of one job: built as they come, here or by other threads, in the order in which they
// came. What came out is kept until the job is over, so that it can be thrown away.

import { encodeSettings, type IndexSettings } from '../../settings/index.ts'
import { SEGMENTS } from '../../store/catalog/index.ts'
import type { FieldNames } from '../../store/layers/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import { buildChunk } from './build-chunk.ts'
import type { Builders } from './builders.ts'
import type { Chunk } from './chunk.ts'
import { type NewSegment, removeSegment } from './segment-sink.ts'

export type BuildingEnvironment = {
  readonly fs: FileSystem
  readonly takeSegment: () => number
  /** Told of work done and to do, in documents. @throws JobCanceled */
  readonly progress: (done: number, total: number) => void
  /** Threads that build chunks; null: there are none. */
  readonly builders: Builders | null
}

/** A chunk that is cut so that every thread gets one is not made smaller than this. */
const SHARE_BYTES_MIN = 2 * 1024 * 1024

/**
 * The size of chunks where all records of a job are `bytes`: so that every thread has something to
 * do, and not above the limit.
 */
export function chunkBytes(bytes: number, builders: Builders | null, max: number): number {
  if (builders === null) return max
  const share = Math.ceil(bytes / (builders.count + 1))
  return Math.min(max, Math.max(share, SHARE_BYTES_MIN))
}

export class Building {
  readonly #job: number
  readonly #env: BuildingEnvironment
  readonly #settings: IndexSettings
  readonly #encodedSettings: string
  readonly #names: FieldNames
  readonly #total: number
  readonly #built = new Map<number, readonly NewSegment[]>()
  #chunks = 0
  #done = 0

  /** `total`: documents, each counted half when it is looked at and half when it is built. */
  constructor(
    job: number,
    env: BuildingEnvironment,
    settings: IndexSettings,
    names: FieldNames,
    total: number,
  ) {
    this.#job = job
    this.#env = env
    this.#settings = settings
    this.#encodedSettings = encodeSettings(settings)
    this.#names = names
    this.#total = total
  }

  readonly progress = (documents: number): void => {
    const elsewhere = (this.#env.builders?.documentsBuilt() ?? 0) / 2
    this.#done = Math.min(this.#done + documents + elsewhere, this.#total)
    this.#env.progress(Math.floor(this.#done), this.#total)
  }

  /** The chunk is not the caller's any more. */
  build(chunk: Chunk): void {
    const { builders, fs, takeSegment } = this.#env
    const number = this.#chunks++
    const names = this.#names.all
    const task = { number, job: this.#job, chunk, settings: this.#encodedSettings, names }
    if (builders?.offer(task) === true) return
    const progress = (documents: number): void => this.progress(documents / 2)
    const context = { fs, settings: this.#settings, names: this.#names, takeSegment, progress }
    this.#built.set(number, buildChunk(chunk, context))
  }

  /** All segments; the names of their files are durable when it returns. */
  finish(): readonly NewSegment[] {
    const failure = this.#collect()
    if (failure !== null) throw failure
    const segments = this.#segments()
    if (segments.some(({ location }) => location.kind === 'file')) {
      this.#env.fs.syncDirectory(SEGMENTS)
    }
    return segments
  }

  /** Removes what was built. */
  abandon(): void {
    // Whatever failed elsewhere is not why the job ends.
    this.#collect()
    for (const segment of this.#segments()) removeSegment(this.#env.fs, segment)
  }

  #collect(): Error | null {
    const collected = this.#env.builders?.collect()
    if (collected === undefined) return null
    for (const [number, segments] of collected.built) this.#built.set(number, segments)
    return collected.failure
  }

  #segments(): NewSegment[] {
    return Array.from({ length: this.#chunks }, (_, i) => this.#built.get(i) ?? []).flat()
  }
}
