// Downloads the files of indexes that are not served yet, while others are served already. Small
// indexes come first, and small files of an index first. An index that a client requests comes
// before all others; if all lanes are busy with large files, it gets separate lanes. A file is
// compared with its checksum before it gets its name.
//
// All files are of one snapshot (the target), so that a large index is completed however often the
// database is published meanwhile. The follower takes an index over when all its files are there,
// together with its changes since then.
import type { IndexNo, IndexUid } from '../../../format/ids.ts'
import { EngineFault } from '../../model/index.ts'
import { directoryOf, type FileSystem, temporaryName } from '../../store/storage/index.ts'
import { fetchFile, type Source, type Wanted } from './download.ts'
import { DEMAND_LANES_MAX, LANES_MAX, STALE_FAILURES, WAITERS_MAX } from './limits.ts'
import { Waiters } from './waiters.ts'

export type BacklogParts = {
  readonly fs: FileSystem
  /** Returns the source of files; called for each file. @throws EngineFault */
  readonly source: (signal: AbortSignal) => Promise<Source>
  /** How long a request waits for the index that it needs. */
  readonly waitMsMax: number
  /** Waits after that many failures in a row; resolves early when the signal is aborted. */
  readonly pause: (failures: number, signal: AbortSignal) => Promise<void>
  /** Called when all files of an index are there. */
  readonly onReady: () => void
  /** Called with each failure, and with null after each fetched file. */
  readonly onFailure: (error: unknown) => void
}

/** The snapshot that is being fetched. */
type Target = {
  readonly halt: AbortController
  /** Files without a lane, by index, the largest first. */
  readonly rest: Map<IndexNo, Wanted[]>
  /** By index: number of files in lanes, and bytes that are still to be fetched. */
  readonly busy: Map<IndexNo, number>
  readonly bytes: Map<IndexNo, number>
  /** All paths, including those of unfinished files. */
  readonly paths: ReadonlySet<string>
  readonly lanes: Set<Promise<void>>
}

export class Backlog {
  readonly #parts: BacklogParts
  readonly #waiters: Waiters
  #missing: ReadonlySet<IndexNo> = new Set()
  readonly #ready = new Set<IndexNo>()
  /** Indexes that clients requested, in the order of the first request. */
  readonly #requested = new Set<IndexNo>()
  /** Checksums of files that this process has fetched, by path. */
  readonly #fetched = new Map<string, string>()
  #target: Target | null = null
  #demandLanes = 0
  #failures = 0
  #isStale = false

  constructor(parts: BacklogParts) {
    this.#parts = parts
    this.#waiters = new Waiters(parts.waitMsMax, WAITERS_MAX)
  }

  /** Indexes that are not served. */
  get missing(): ReadonlySet<IndexNo> {
    return this.#missing
  }

  /** Missing indexes whose files are all there. */
  get ready(): ReadonlySet<IndexNo> {
    return this.#ready
  }

  /** Whether it has a target. */
  get isAimed(): boolean {
    return this.#target !== null
  }

  /** Whether it has a target whose files seem to be available. */
  get canGoOn(): boolean {
    return this.isAimed && !this.#isStale
  }

  get bytesLeft(): number {
    let sum = 0
    for (const bytes of this.#target?.bytes.values() ?? []) sum += bytes
    return sum
  }

  /** Returns whether the file is there and this process has compared its checksum. */
  has({ file, path }: Wanted): boolean {
    const { fs } = this.#parts
    if (file.sha256 === null || this.#fetched.get(path) !== file.sha256) return false
    return fs.exists(path) && fs.size(path) === file.bytes
  }

  /** Returns whether a path belongs to an index that is still to be served, fetched or not. */
  needs(path: string): boolean {
    return this.#target?.paths.has(path) === true
  }

  /** Sets the indexes that are not served; all others are. */
  miss(missing: ReadonlySet<IndexNo>): void {
    this.#missing = missing
    for (const set of [this.#ready, this.#requested]) {
      for (const number of set) if (!missing.has(number)) set.delete(number)
    }
    if (missing.size === 0) this.#fetched.clear()
    this.#waiters.serve((number) => !missing.has(number))
  }

  /** Replaces the target: fetches these files, all of one snapshot; existing files stay. */
  async aim(wanted: ReadonlyMap<IndexNo, readonly Wanted[]>): Promise<void> {
    await this.halt()
    const paths = [...wanted.values()].flat().map(({ path }) => path)
    const target: Target = {
      halt: new AbortController(),
      rest: new Map(),
      busy: new Map(),
      bytes: new Map(),
      paths: new Set([...paths, ...paths.map(temporaryName)]),
      lanes: new Set(),
    }
    this.#ready.clear()
    for (const [number, files] of wanted) {
      const list = files.filter((one) => !this.has(one))
      target.bytes.set(number, bytesOf(list))
      if (list.length === 0) this.#ready.add(number)
      else
        target.rest.set(
          number,
          list.sort((a, b) => b.file.bytes - a.file.bytes),
        )
    }
    this.#target = target
    this.#isStale = false
    for (let i = 0; i < LANES_MAX; i++) this.#open(target, false)
    if (this.#ready.size > 0) this.#parts.onReady()
  }

  /** Aborts running downloads; complete files stay. */
  async halt(): Promise<void> {
    const target = this.#target
    this.#target = null
    target?.halt.abort()
    await Promise.all(target?.lanes ?? [])
  }

  async stop(): Promise<void> {
    this.#waiters.refuseAll()
    await this.halt()
  }

  /**
   * Returns null if all of these indexes are served; else a promise that resolves when they are, or
   * rejects after some time. `uidOf` returns the name of one for the message.
   * @throws EngineFault `index_not_downloaded`
   */
  wait(numbers: readonly IndexNo[], uidOf: (number: IndexNo) => IndexUid): Promise<void> | null {
    const missing = numbers.filter((number) => this.#missing.has(number))
    if (missing.length === 0) return null
    for (const number of missing) this.#startDemandLane(number)
    return this.#waiters.wait(missing, () => notDownloaded(uidOf(missing[0]!)))
  }

  #startDemandLane(number: IndexNo): void {
    this.#requested.add(number)
    const target = this.#target
    if (target === null || !target.rest.has(number)) return
    if (this.#demandLanes < DEMAND_LANES_MAX) this.#open(target, true)
  }

  #open(target: Target, isOnDemand: boolean): void {
    if (isOnDemand) this.#demandLanes++
    const lane = this.#lane(target, isOnDemand).finally(() => {
      target.lanes.delete(lane)
      if (isOnDemand) this.#demandLanes--
    })
    target.lanes.add(lane)
  }

  async #lane(target: Target, isOnDemand: boolean): Promise<void> {
    const { signal } = target.halt
    while (!signal.aborted) {
      const number = this.#next(target, isOnDemand)
      if (number === null) return
      const wanted = takeSmallest(target, number)
      const failure = await this.#download(target, wanted)
      if (failure === null) this.#arrived(target, number, wanted)
      else {
        putBack(target, number, wanted)
        if (!signal.aborted) await this.#failed(failure.error, signal)
      }
    }
  }

  /** Returns the next index for a lane, or null if none is left. */
  #next({ rest, bytes }: Target, isOnDemand: boolean): IndexNo | null {
    for (const number of this.#requested) if (rest.has(number)) return number
    if (isOnDemand) return null
    let best: IndexNo | null = null
    for (const number of rest.keys()) {
      if (best === null || bytes.get(number)! < bytes.get(best)!) best = number
    }
    return best
  }

  async #download({ halt }: Target, wanted: Wanted): Promise<{ readonly error: unknown } | null> {
    const { fs, source } = this.#parts
    try {
      const { bucket, place } = await source(halt.signal)
      await fetchFile({ bucket: bucket.until(halt.signal), place }, fs, wanted)
      await fs.syncDirectoryAsync(directoryOf(wanted.path))
      return null
    } catch (error) {
      return { error }
    }
  }

  #arrived(target: Target, number: IndexNo, { file, path }: Wanted): void {
    this.#failures = 0
    this.#parts.onFailure(null)
    if (file.sha256 !== null) this.#fetched.set(path, file.sha256)
    target.bytes.set(number, target.bytes.get(number)! - file.bytes)
    const busy = target.busy.get(number)! - 1
    target.busy.set(number, busy)
    if (busy > 0 || target.rest.has(number) || this.#target !== target) return
    this.#ready.add(number)
    this.#parts.onReady()
  }

  async #failed(error: unknown, signal: AbortSignal): Promise<void> {
    const { onFailure, pause } = this.#parts
    onFailure(error)
    this.#failures++
    // The snapshot may have been deleted: the next one becomes the target.
    if (this.#failures >= STALE_FAILURES) this.#isStale = true
    await pause(this.#failures, signal)
  }
}

/** Removes and returns the smallest remaining file of the index. */
function takeSmallest({ rest, busy }: Target, number: IndexNo): Wanted {
  const files = rest.get(number)!
  const wanted = files.pop()!
  if (files.length === 0) rest.delete(number)
  busy.set(number, (busy.get(number) ?? 0) + 1)
  return wanted
}

function putBack({ rest, busy }: Target, number: IndexNo, wanted: Wanted): void {
  busy.set(number, busy.get(number)! - 1)
  const files = rest.get(number)
  if (files === undefined) rest.set(number, [wanted])
  else files.push(wanted)
}

export const bytesOf = (files: readonly Wanted[]): number =>
  files.reduce((sum, { file }) => sum + file.bytes, 0)

const notDownloaded = (uid: IndexUid): EngineFault =>
  new EngineFault(
    'index_not_downloaded',
    `Index \`${uid}\` is being downloaded and cannot be read yet: try again.`,
  )
