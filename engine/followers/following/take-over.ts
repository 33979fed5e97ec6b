// Takes over a published state as one edit of the manifest: fetches missing files, renumbers the
// state for this folder, publishes its views, removes files that no state names.
//
// Order: files of segments and the task log are durable under their names · the edit is durable ·
// views are published, the task log in memory is replaced · unnamed files are removed.
import { assert } from '../../../format/errors.ts'
import type { IndexNo } from '../../../format/ids.ts'
import type { SnapshotFile, SnapshotHead } from '../../backup/snapshot/index.ts'
import type { LiveViews } from '../../runner/index.ts'
import {
  BODIES,
  differences,
  FOLLOWING,
  type Manifest,
  SEGMENTS,
  type State,
  stateOfManifest,
  sweep,
} from '../../store/catalog/index.ts'
import { directoryOf, type FileSystem } from '../../store/storage/index.ts'
import type { TaskQueue } from '../../write/tasks/index.ts'
import { type Backlog, bytesOf } from './backlog.ts'
import {
  type FetchedLog,
  fetchBytes,
  fetchFiles,
  fetchLog,
  type Source,
  type Wanted,
} from './download.ts'
import { CATCH_UP_BYTES_MAX } from './limits.ts'
import type { FollowOptions } from './options.ts'
import type { OwnLeases } from './own-leases.ts'
import { place, sameNames, segmentsToFetch, withoutDocuments } from './placement.ts'
import { type Following, followingChange, followingOf, OWN_SPACES } from './record.ts'
import { filesOf } from './snapshot-files.ts'
import { folderOf } from './task-folder.ts'

export type TakeOverParts = {
  readonly options: FollowOptions
  readonly fs: FileSystem
  readonly manifest: Manifest
  /** Commits on behalf of this follower. */
  readonly commit: Manifest['commit']
  readonly live: LiveViews
  /** Reads the task log in this folder. @throws StorageError, CorruptionError */
  readonly openQueue: (folder: string, state: State) => Promise<TaskQueue>
}

/** The state that was taken over last, if some of its indexes are still missing. */
type Latest = {
  readonly state: State
  /** By index: the files that were missing. */
  readonly files: ReadonlyMap<IndexNo, readonly Wanted[]>
}

export class TakeOver {
  readonly #parts: TakeOverParts
  readonly #backlog: Backlog
  readonly #leases: OwnLeases
  #queue: TaskQueue | null = null
  /** The task log of the last state of this process, or null before the first. */
  #log: FetchedLog | null = null
  #latest: Latest | null = null

  constructor(parts: TakeOverParts, backlog: Backlog, leases: OwnLeases) {
    this.#parts = parts
    this.#backlog = backlog
    this.#leases = leases
  }

  /** The tasks of the followed database; valid after `openQueue` or `takeOver`. */
  get queue(): TaskQueue {
    return this.#queue!
  }

  /** Whether indexes remain that can be admitted. */
  get hasLatest(): boolean {
    return this.#latest !== null
  }

  /** The state that was taken over last, with all its indexes; null if all of them are served. */
  get latest(): State | null {
    return this.#latest?.state ?? null
  }

  get #following(): Following | null {
    return followingOf(this.#parts.manifest.state)
  }

  /** Reads the task log that an earlier process has left. @throws StorageError, CorruptionError */
  async openQueue({ generation }: Following): Promise<void> {
    const { openQueue, manifest } = this.#parts
    this.#queue ??= await openQueue(folderOf(generation), manifest.state)
  }

  /**
   * Takes over a state; returns the number of bytes fetched. A failure changes nothing.
   * @throws EngineFault, ArchiveError, StorageError, CorruptionError, ForeignSnapshot, Canceled
   */
  async takeOver(source: Source, snapshot: string, head: SnapshotHead): Promise<number> {
    const { fs, manifest, live, options } = this.#parts
    const files = filesOf(head)
    const remote = stateOfManifest(files.manifest.path, await fetchBytes(source, files.manifest))
    const { state: local } = manifest
    const before = this.#following
    const known = before?.shift ?? { index: 0, segment: 0 }
    const { shift, state } = place(local, remote, known)
    const isMoved = shift !== known
    // Its files would get the names of others.
    if (isMoved) await this.#backlog.halt()
    const segments = segmentsToFetch(local, state, shift, files.segments)
    const { absent, isLate } = this.#absentOf(state, segments, isMoved)
    const generation = (before?.generation ?? 0) + 1
    const folder = folderOf(generation)
    await fs.removeTreeAsync(folder)
    fs.makeDirectory(folder)
    const log = { file: files.tasks, path: `${folder}/${baseName(files.tasks.path)}` }
    const bodies = files.bodies.map((file): Wanted => ({ file, path: file.path }))
    let bytes = await this.#download(source, [...this.#toFetch(segments, absent), ...bodies])
    bytes += await fetchLog(source, fs, log, this.#log)
    await fs.syncDirectoryAsync(folder)
    await fs.syncDirectoryAsync(FOLLOWING)
    const queue = await this.#parts.openQueue(folder, state)
    const follower = before?.follower ?? options.name
    const isAiming = absent.size > 0 && (isLate || isMoved || !this.#backlog.canGoOn)
    if (isAiming) await this.#leases.hold(source, 'download', follower, snapshot)
    await this.#commit(state, absent, {
      source: options.source,
      follower,
      snapshot,
      publishedAt: head.createdAt,
      generation,
      shift,
      ...(head.writer === undefined ? {} : { writer: head.writer }),
      ...(head.placed === undefined ? {} : { instance: head.placed.instance }),
    })
    const old = this.#queue
    this.#queue = queue
    this.#log = { path: log.path, pieces: files.tasks.pieces ?? [] }
    live.publish()
    this.#latest = { state, files: segments }
    await this.#nowAbsent(absent)
    if (isAiming) await this.#aim(segments, absent)
    await old?.close()
    await this.#clean(generation, files.bodies)
    return bytes
  }

  /** Serves indexes whose files have arrived since the last state. @throws as `takeOver` */
  async admit(source: Source): Promise<void> {
    const following = this.#following
    if (this.#latest === null || following === null) return
    const { state, files } = this.#latest
    const { missing } = this.#backlog
    const left = new Map([...files].filter(([number]) => missing.has(number)))
    const { absent, isLate } = this.#absentOf(state, left, false)
    await this.#download(source, this.#toFetch(left, absent))
    if (isLate) {
      await this.#leases.hold(source, 'download', following.follower, following.snapshot)
    }
    await this.#commit(state, absent, following)
    this.#parts.live.publish()
    await this.#nowAbsent(absent)
    if (isLate) await this.#aim(left, absent)
  }

  /**
   * Returns the indexes that stay without documents: at the first state all that need files, if the
   * option says so; later those of them whose files are missing. `isLate`: the files of one index
   * are there, but too much has changed since to wait for it here.
   */
  #absentOf(
    state: State,
    files: ReadonlyMap<IndexNo, readonly Wanted[]>,
    isMoved: boolean,
  ): { readonly absent: ReadonlySet<IndexNo>; readonly isLate: boolean } {
    const { options, manifest } = this.#parts
    const backlog = this.#backlog
    if (options.download === 'before') return { absent: new Set(), isLate: false }
    if (this.#following === null) return { absent: new Set(files.keys()), isLate: false }
    if (isMoved) {
      const same = sameNames(manifest.state, backlog.missing, state)
      const absent = new Set([...same].filter((number) => files.has(number)))
      return { absent, isLate: false }
    }
    const absent = new Set<IndexNo>()
    let isLate = false
    for (const number of backlog.missing) {
      const left = (files.get(number) ?? []).filter((one) => !backlog.has(one))
      const isTooMuch = bytesOf(left) > (options.catchUpBytesMax ?? CATCH_UP_BYTES_MAX)
      if (left.length > 0 && (isTooMuch || !backlog.ready.has(number))) absent.add(number)
      if (backlog.ready.has(number) && isTooMuch) isLate = true
    }
    return { absent, isLate }
  }

  /** Returns the missing files of the indexes that will be served next. */
  #toFetch(
    files: ReadonlyMap<IndexNo, readonly Wanted[]>,
    absent: ReadonlySet<IndexNo>,
  ): readonly Wanted[] {
    return [...files].flatMap(([number, list]) =>
      absent.has(number) ? [] : list.filter((one) => !this.#backlog.has(one)),
    )
  }

  /** Returns the number of bytes fetched; names are durable as well. */
  async #download(source: Source, wanted: readonly Wanted[]): Promise<number> {
    const { fs } = this.#parts
    let bytes = 0
    await fetchFiles(source, fs, wanted, (done) => {
      bytes = done
    })
    for (const folder of new Set(wanted.map(({ path }) => directoryOf(path)))) {
      await fs.syncDirectoryAsync(folder)
    }
    return bytes
  }

  async #commit(
    state: State,
    absent: ReadonlySet<IndexNo>,
    { missing: _, ...following }: Following,
  ): Promise<void> {
    const { manifest, commit } = this.#parts
    const { state: local } = manifest
    const changes = differences(local, withoutDocuments(state, absent), OWN_SPACES)
    assert(changes !== null, 'a snapshot is placed where it fits')
    const remaining = absent.size === 0 ? following : { ...following, missing: [...absent] }
    await commit([...changes, followingChange(remaining)])
    for (const batch of local.outcomes.keys()) {
      if (!state.outcomes.has(batch)) manifest.forget(batch)
    }
  }

  /** Called after the views were published: requests that wait for the other indexes continue. */
  async #nowAbsent(absent: ReadonlySet<IndexNo>): Promise<void> {
    const { options } = this.#parts
    const before = this.#backlog.missing.size
    this.#backlog.miss(absent)
    if (absent.size > 0) return
    this.#latest = null
    await this.#backlog.halt()
    this.#leases.drop('download')
    if (before > 0) options.say('info', 'All indexes are downloaded and served.')
  }

  async #aim(
    files: ReadonlyMap<IndexNo, readonly Wanted[]>,
    absent: ReadonlySet<IndexNo>,
  ): Promise<void> {
    const { say } = this.#parts.options
    await this.#backlog.aim(new Map([...files].filter(([one]) => absent.has(one))))
    const count = absent.size === 1 ? '1 index' : `${absent.size} indexes`
    say('info', `Downloads ${count}, ${this.#backlog.bytesLeft} bytes, and serves the others.`)
  }

  /**
   * Removes files that the state does not name; those that cannot be removed are left to the next
   * call.
   */
  async #clean(generation: number, bodies: readonly SnapshotFile[]): Promise<void> {
    const { fs, manifest, live } = this.#parts
    await live.cleaned()
    const needed = new Set(bodies.map(({ path }) => path))
    const paths = [
      ...fs.list(FOLLOWING).map((one) => `${FOLLOWING}/${one}`),
      ...fs.list(BODIES).map((one) => `${BODIES}/${one}`),
      ...sweep(manifest.state, fs.list(SEGMENTS))
        .filter((one) => !live.isInUse(one) && !this.#backlog.needs(`${SEGMENTS}/${one}`))
        .map((one) => `${SEGMENTS}/${one}`),
    ]
    for (const path of paths) {
      if (path !== folderOf(generation) && !needed.has(path)) await fs.removeTreeAsync(path)
    }
  }
}

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
