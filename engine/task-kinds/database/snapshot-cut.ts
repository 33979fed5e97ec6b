// A consistent cut of the database: its state at one moment, taken while it goes on working.
//
// A cut is taken between two turns of the event loop, so no commit is half done. It consists of the
// state of the manifest, the length of the task log, and the bodies that waiting tasks need. Leases
// on the views protect segment files from removal; the task log gets a second name, or is copied if
// the file system has no links. After the cut, the log only grows. If the cut is part of a batch,
// no other batch ends meanwhile and bodies stay; otherwise they get a second name as well.

import { setImmediate as nextTurn } from 'node:timers/promises'
import { MiB } from '../../../format/bytes/index.ts'
import type { TaskUid } from '../../../format/ids.ts'
import {
  CUT_TRIES_MAX,
  type PackedFile,
  SEGMENTS_LEVEL,
  SMALL_FILES_LEVEL,
} from '../../backup/snapshot/index.ts'
import { StorageError } from '../../model/index.ts'
import {
  catalogFiles,
  type Manifest,
  PUBLISHING,
  STAGING,
  type State,
  segmentPath,
} from '../../store/catalog/index.ts'
import type { RotatingLog } from '../../store/logs/index.ts'
import { drawLogSalt, type FileSystem } from '../../store/storage/index.ts'
import type { Lease, Views } from '../../store/views/index.ts'
import type { SealedBatch } from '../../write/batching/index.ts'
import { bodyPath } from '../../write/indexer/index.ts'
import type { TaskQueue } from '../../write/tasks/index.ts'

export type CutParts = {
  readonly fs: FileSystem
  readonly manifest: Manifest
  readonly queue: TaskQueue
  readonly log: RotatingLog
  readonly views: Views
  /** Version of this release. */
  readonly version: string
}

export type ConsistentCut = {
  readonly sequence: number
  /** The smallest uid of a task that the cut does not hold. */
  readonly nextTask: TaskUid
  /** Files created for the copy, then files of the queue, then segment files. */
  readonly catalog: readonly PackedFile[]
  readonly tasks: readonly PackedFile[]
  readonly segments: readonly PackedFile[]
  /** Releases the files. Called once. */
  readonly release: () => Promise<void>
}

/** Number of bodies that are processed before other work may run: 2 ms. */
const STRIDE = 256
const PIECE_BYTES = MiB

export type CutOptions = {
  /** The outcome of the running batch, or null if the cut is not part of a batch. */
  readonly sealed: SealedBatch | null
  /** Whether logs and bodies are compressed well. */
  readonly compact: boolean
  /** The folder of the database for second names; no other cut uses it at the same time. */
  readonly folder: string
}

/** @throws StorageError */
export async function takeConsistentCut(
  parts: CutParts,
  options: CutOptions,
): Promise<ConsistentCut> {
  const { fs } = parts
  const { folder } = options
  await emptyFolder(fs, folder)
  fs.makeDirectory(folder)
  for (let i = 0; i < CUT_TRIES_MAX; i++) {
    await nextTurn()
    const cut = await tryCut(parts, options)
    if (cut !== null) return cut
  }
  throw new StorageError('io', folder, 'the task log is changing too fast for a consistent cut')
}

/** Removes files that earlier cuts have left. @throws StorageError */
export async function emptyStaging(fs: FileSystem): Promise<void> {
  for (const folder of [STAGING, PUBLISHING]) await emptyFolder(fs, folder)
}

async function emptyFolder(fs: FileSystem, folder: string): Promise<void> {
  if (!fs.exists(folder)) return
  for (const name of fs.list(folder)) await fs.removeAsync(`${folder}/${name}`)
}

/** Returns null if a change was in progress; the caller tries again in a later turn. */
async function tryCut(
  parts: CutParts,
  { sealed, compact, folder }: CutOptions,
): Promise<ConsistentCut | null> {
  const { fs, queue, log, manifest, version } = parts
  // Everything up to the first `await` happens at one moment.
  const tasks = queue.upkeep.cut
  if (tasks === null) return null
  const leases = leaseAll(parts)
  if (leases === null) return null
  const { state } = manifest
  const name = log.path
  const cutLog = `${folder}/tasks.log`
  try {
    const isLinked = log.link(cutLog) !== null
    const isKept = isLinked || (await copied(fs, name, tasks.bytes, cutLog))
    const level = compact ? SMALL_FILES_LEVEL : 0
    const bodies = isKept
      ? await bodiesOf(fs, tasks.bodies, level, sealed === null ? folder : null)
      : null
    if (bodies === null) {
      release(leases)
      await emptyFolder(fs, folder)
      return null
    }
    const catalog = catalogFiles(endedAs(state, sealed), version, drawLogSalt()).map(
      ({ path, bytes }): PackedFile => ({ path, bytes: bytes.length, level, source: bytes }),
    )
    return {
      sequence: state.sequence,
      nextTask: tasks.nextTask,
      catalog,
      tasks: [{ path: name, bytes: tasks.bytes, level, source: cutLog }, ...bodies],
      segments: segmentsOf(state),
      release: async () => {
        release(leases)
        await emptyFolder(fs, folder)
      },
    }
  } catch (error) {
    release(leases)
    throw error
  }
}

const endedAs = (state: State, sealed: SealedBatch | null): State =>
  sealed === null
    ? state
    : { ...state, outcomes: new Map(state.outcomes).set(sealed.view.uid, sealed.payload) }

/**
 * Protects bodies from removal. `folder`: the folder for second names; null if the bodies stay
 * anyway. Returns null if one of them has been removed since the cut.
 */
async function bodiesOf(
  fs: FileSystem,
  numbers: readonly number[],
  level: number,
  folder: string | null,
): Promise<readonly PackedFile[] | null> {
  const bodies: PackedFile[] = []
  for (const path of numbers.map(bodyPath)) {
    if (bodies.length % STRIDE === STRIDE - 1) await nextTurn()
    try {
      const bytes = fs.size(path)
      const source = folder === null ? path : `${folder}/${bodies.length}.body`
      const isKept = folder === null || fs.link(path, source)
      if (!isKept && !(await copied(fs, path, bytes, source))) return null
      bodies.push({ path, bytes, level, source })
    } catch (error) {
      if (folder !== null && error instanceof StorageError && error.code === 'missing') return null
      throw error
    }
  }
  return bodies
}

/** Leases every view. Returns null if the newest commit is not published to the views yet. */
function leaseAll({ manifest, views }: CutParts): readonly Lease[] | null {
  const leases: Lease[] = []
  for (const [index, state] of manifest.state.indexes) {
    const lease = views.lease(index)
    if (lease !== null) leases.push(lease)
    if (lease?.state === state) continue
    release(leases)
    return null
  }
  return leases
}

const release = (leases: readonly Lease[]): void => {
  for (const lease of leases) lease.release()
}

function segmentsOf(state: State): readonly PackedFile[] {
  const files: PackedFile[] = []
  for (const { segments } of state.indexes.values()) {
    for (const { segment, layer, bytes, location } of segments.values()) {
      if (location.kind === 'inline') continue
      const path = segmentPath(segment, layer)
      files.push({ path, bytes, level: SEGMENTS_LEVEL, source: path })
    }
  }
  return files
}

/** Copies the first `bytes` of a file. Returns false if the file has been removed. */
async function copied(
  fs: FileSystem,
  path: string,
  bytes: number,
  target: string,
): Promise<boolean> {
  try {
    const from = await fs.openAsync(path, 'read')
    try {
      const to = await fs.openAsync(target, 'create')
      try {
        const piece = new Uint8Array(PIECE_BYTES)
        for (let at = 0; at < bytes; ) {
          const wanted = piece.subarray(0, Math.min(PIECE_BYTES, bytes - at))
          const got = await from.readAsync(at, wanted)
          if (got === 0) throw new StorageError('short_file', path, `\`${path}\` ends early`)
          await to.writeAsync(at, wanted.subarray(0, got))
          at += got
        }
      } finally {
        to.close()
      }
    } finally {
      from.close()
    }
    return true
  } catch (error) {
    if (error instanceof StorageError && error.code === 'missing') return false
    throw error
  }
}
