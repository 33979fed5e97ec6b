// Follows a database that another process publishes into an object store: looks for a newer
// snapshot, fetches what is missing of it, and takes it over as one edit of the manifest. Searches
// go on meanwhile; they see the new views when the edit is durable. What fails leaves everything as
// it was, and the next look tries again.
//
// Order: files of segments and the task log are durable under their names · the edit is durable ·
// views are published, the task log in memory is replaced · files that no state names go.
import { setTimeout as sleep } from 'node:timers/promises'
import { assert, CorruptionError, VersionError } from '../../format/errors.ts'
import { ArchiveError } from '../backup/archive/index.ts'
import { type Bucket, heads, putLease, type StorePlace } from '../backup/objstore/index.ts'
import type { SnapshotFile, SnapshotHead } from '../backup/snapshot/index.ts'
import { Canceled, EngineFault, type FollowStatus, StorageError } from '../model/index.ts'
import {
  BODIES,
  differences,
  FOLLOWING,
  type Manifest,
  type NumberShift,
  SEGMENTS,
  type State,
  segmentPath,
  shifted,
  stateOfManifest,
  sweep,
} from '../store/catalog/index.ts'
import { directoryOf, type FileSystem } from '../store/storage/index.ts'
import type { Views } from '../store/views/index.ts'
import type { LiveViews } from '../task-kinds/index.ts'
import type { TaskQueue } from '../write/tasks/index.ts'
import {
  type FetchedLog,
  fetchBytes,
  fetchFiles,
  fetchLog,
  type Source,
  type Wanted,
} from './download.ts'
import { LEASE_RENEWAL_MS, PAUSE_MS_MAX } from './limits.ts'
import { type Following, followingChange, followingOf, OWN_SPACES } from './record.ts'
import { checkRelease, ForeignSnapshot, filesOf } from './snapshot-files.ts'
import { folderOf } from './task-folder.ts'

export type FollowOptions = {
  /** The bucket, with credentials that count for the next minutes. @throws EngineFault */
  readonly openBucket: (signal: AbortSignal) => Promise<Bucket>
  readonly place: StorePlace
  /** In words for operators and clients, without secrets. */
  readonly source: string
  /** Names this follower among the others, where it has no name yet. */
  readonly name: string
  readonly pollMs: number
  /** Of this release. */
  readonly version: string
  /** Writes progress, failures and recoveries into the log. */
  readonly say: (level: 'info' | 'warn', message: string) => void
  readonly report: (message: string, error: unknown) => void
  /** Milliseconds since 1970. */
  readonly now: () => number
}

export type FollowerParts = {
  readonly options: FollowOptions
  readonly fs: FileSystem
  readonly manifest: Manifest
  /** Commits for this follower alone. */
  readonly commit: Manifest['commit']
  readonly live: LiveViews
  /** Reads the task log in this folder. @throws StorageError, CorruptionError */
  readonly openQueue: (folder: string, state: State) => Promise<TaskQueue>
}

export class Follower {
  readonly #parts: FollowerParts
  readonly #halt = new AbortController()
  #queue: TaskQueue | null = null
  /** The task log of this process's last state; null: none was taken over yet. */
  #log: FetchedLog | null = null
  #running: Promise<void> = Promise.resolve()
  #checkedAt: number | null = null
  #problem: string | null = null
  #leasedAt = Number.NEGATIVE_INFINITY
  #leased = ''

  constructor(parts: FollowerParts) {
    this.#parts = parts
  }

  get views(): Views {
    return this.#parts.live.views
  }

  get follows(): FollowStatus {
    const following = this.#following
    return {
      source: this.#parts.options.source,
      snapshot: following?.snapshot ?? null,
      publishedAt: following?.publishedAt ?? null,
      checkedAt: this.#checkedAt,
      problem: this.#problem,
    }
  }

  /** The tasks of the database that is followed; after `open`. */
  get queue(): TaskQueue {
    return this.#queue!
  }

  get #following(): Following | null {
    return followingOf(this.#parts.manifest.state)
  }

  /**
   * Makes ready to serve: what was taken over before, or where there is nothing yet, the newest
   * snapshot there is, for which it waits. @throws StorageError, CorruptionError
   */
  async open(): Promise<void> {
    const { fs, options, openQueue, manifest } = this.#parts
    fs.makeDirectory(FOLLOWING)
    fs.syncDirectory('')
    for (;;) {
      const following = this.#following
      if (following !== null) {
        this.#queue = await openQueue(folderOf(following.generation), manifest.state)
        return
      }
      await this.#tryToLook()
      if (this.#following === null) await this.#pause(options.pollMs)
    }
  }

  start(): void {
    this.#parts.live.publish()
    this.#running = this.#follow()
  }

  idle(): Promise<void> {
    return Promise.resolve()
  }

  settle(): Promise<void> {
    return Promise.resolve()
  }

  async stop(): Promise<void> {
    this.#halt.abort()
    await this.#running
  }

  cleaned(): Promise<void> {
    return this.#parts.live.cleaned()
  }

  async #follow(): Promise<void> {
    const { options } = this.#parts
    const { pollMs } = options
    let pause = pollMs
    while (!this.#halt.signal.aborted) {
      await this.#pause(pause)
      if (this.#halt.signal.aborted) return
      const isWell = await this.#tryToLook().catch((error: unknown) => {
        // A mistake of ours: what is there is served on.
        options.report('Following failed.', error)
        this.#problem = String(error)
        return false
      })
      pause = isWell ? pollMs : Math.min(Math.max(pause * 2, pollMs), PAUSE_MS_MAX)
    }
  }

  async #pause(ms: number): Promise<void> {
    try {
      await sleep(ms, undefined, { signal: this.#halt.signal })
    } catch (error) {
      if (!this.#halt.signal.aborted) throw error
    }
  }

  /** Looks once for something newer, and takes it over. Whether nothing failed that may pass. */
  async #tryToLook(): Promise<boolean> {
    const { options } = this.#parts
    try {
      const bucket = await options.openBucket(this.#halt.signal)
      await this.#look({ bucket, place: options.place })
      this.#checkedAt = options.now()
      if (this.#problem !== null) options.say('info', `Follows ${options.source} again.`)
      this.#problem = null
      return true
    } catch (error) {
      if (error instanceof Canceled || this.#halt.signal.aborted) return false
      if (!mayPass(error)) throw error
      const words = error.message
      if (words !== this.#problem) {
        options.say('warn', `Could not take over what ${options.source} has become: ${words}`)
      }
      this.#problem = words
      return false
    }
  }

  async #look(source: Source): Promise<void> {
    const { options } = this.#parts
    const newest = (await heads.all(source.bucket, source.place)).at(-1)
    if (newest === undefined) {
      throw new ForeignSnapshot('no snapshot was published yet')
    }
    const isNews = newest.name !== this.#following?.snapshot
    await this.#lease(source, newest.name, isNews)
    if (!isNews) return
    const begun = options.now()
    const head = await heads.read(source.bucket, source.place, newest)
    checkRelease(head, options.version)
    const bytes = await this.#takeOver(source, newest.name, head)
    const ms = options.now() - begun
    options.say('info', `Took over ${newest.name}: ${bytes} bytes in ${ms} ms.`)
  }

  /** Tells the publisher which snapshot must stay. */
  async #lease({ bucket, place }: Source, snapshot: string, isNews: boolean): Promise<void> {
    const { options } = this.#parts
    const now = options.now()
    if (!isNews && snapshot === this.#leased && now - this.#leasedAt < LEASE_RENEWAL_MS) return
    const follower = this.#following?.follower ?? options.name
    await putLease(bucket, place, { follower, snapshot, renewedAt: now })
    this.#leased = snapshot
    this.#leasedAt = now
  }

  /** Bytes that were fetched. */
  async #takeOver(source: Source, snapshot: string, head: SnapshotHead): Promise<number> {
    const { fs, manifest, commit, live, options } = this.#parts
    const files = filesOf(head)
    const remote = stateOfManifest(files.manifest.path, await fetchBytes(source, files.manifest))
    const { state: local } = manifest
    const before = this.#following
    const { shift, state } = place(local, remote, before?.shift ?? { index: 0, segment: 0 })
    const generation = (before?.generation ?? 0) + 1
    const folder = folderOf(generation)
    await fs.removeTreeAsync(folder)
    fs.makeDirectory(folder)
    const log = { file: files.tasks, path: `${folder}/${baseName(files.tasks.path)}` }
    const wanted = [
      ...segmentsToFetch(local, state, shift, files.segments),
      ...files.bodies.map((file): Wanted => ({ file, path: file.path })),
    ]
    let bytes = 0
    await fetchFiles(source, fs, wanted, (done) => {
      bytes = done
    })
    bytes += await fetchLog(source, fs, log, this.#log)
    for (const one of new Set([...wanted, log].map(({ path }) => directoryOf(path)))) {
      await fs.syncDirectoryAsync(one)
    }
    await fs.syncDirectoryAsync(FOLLOWING)
    const queue = await this.#parts.openQueue(folder, state)
    const following: Following = {
      source: options.source,
      follower: before?.follower ?? options.name,
      snapshot,
      publishedAt: head.createdAt,
      generation,
      shift,
    }
    const changes = differences(local, state, OWN_SPACES)
    assert(changes !== null, 'a snapshot is placed where it fits')
    await commit([...changes, followingChange(following)])
    for (const batch of local.outcomes.keys()) {
      if (!state.outcomes.has(batch)) manifest.forget(batch)
    }
    const old = this.#queue
    this.#queue = queue
    this.#log = { path: log.path, pieces: files.tasks.pieces ?? [] }
    live.publish()
    await old?.close()
    await this.#clean(generation, files.bodies)
    return bytes
  }

  /** Removes what the state does not name; what cannot be removed goes the next time. */
  async #clean(generation: number, bodies: readonly SnapshotFile[]): Promise<void> {
    const { fs, manifest, live } = this.#parts
    await live.cleaned()
    const needed = new Set(bodies.map(({ path }) => path))
    const paths = [
      ...fs.list(FOLLOWING).map((one) => `${FOLLOWING}/${one}`),
      ...fs.list(BODIES).map((one) => `${BODIES}/${one}`),
      ...sweep(manifest.state, fs.list(SEGMENTS))
        .filter((one) => !live.isInUse(one))
        .map((one) => `${SEGMENTS}/${one}`),
    ]
    for (const path of paths) {
      if (path !== folderOf(generation) && !needed.has(path)) await fs.removeTreeAsync(path)
    }
  }
}

/** A failure of the store, of the disk, or of what was published: the next look may do better. */
const mayPass = (error: unknown): error is Error =>
  error instanceof EngineFault ||
  error instanceof StorageError ||
  error instanceof ArchiveError ||
  error instanceof ForeignSnapshot ||
  error instanceof CorruptionError ||
  error instanceof VersionError

const baseName = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/**
 * The state of a snapshot with the numbers it gets here. A snapshot that is not what the local
 * state could become (its database was itself restored from an older one) gets numbers that were
 * never used, all of them.
 */
function place(
  local: State,
  remote: State,
  shift: NumberShift,
): { readonly shift: NumberShift; readonly state: State } {
  const moved = shifted(remote, shift)
  if (differences(local, moved, OWN_SPACES) !== null) return { shift, state: moved }
  const fresh = { index: local.nextIndex, segment: local.nextSegment }
  return { shift: fresh, state: shifted(remote, fresh) }
}

/** Files of segments that the local state does not have. @throws ForeignSnapshot */
function segmentsToFetch(
  local: State,
  state: State,
  shift: NumberShift,
  files: ReadonlyMap<string, SnapshotFile>,
): readonly Wanted[] {
  const wanted: Wanted[] = []
  for (const [number, { segments }] of state.indexes) {
    const known = local.indexes.get(number)?.segments
    for (const { segment, layer, location } of segments.values()) {
      if (location.kind === 'inline' || known?.has(segment) === true) continue
      const path = segmentPath(segment - shift.segment, layer)
      const file = files.get(path)
      if (file === undefined) throw new ForeignSnapshot(`the snapshot lacks \`${path}\``)
      wanted.push({ file, path: segmentPath(segment, layer) })
    }
  }
  return wanted
}
