// The database at one moment, taken while it goes on: nobody waits for it.
//
// A cut is taken between two turns of the event loop, so no commit is half done: what the manifest
// holds, how far the task log reaches, which bodies its waiting tasks need. Segment files are kept
// by leases on the views that name them; bodies by the batch that the snapshot itself is, since no
// other batch ends meanwhile; the task log by a second name, or a copy where there is none. Past
// the cut, the log only grows.

import { MiB } from '../../format/bytes/index.ts'
import {
  CUT_TRIES_MAX,
  type PackedFile,
  SEGMENTS_LEVEL,
  SMALL_FILES_LEVEL,
} from '../backup/snapshot/index.ts'
import { StorageError } from '../model/index.ts'
import {
  catalogFiles,
  type Manifest,
  STAGING,
  type State,
  segmentPath,
} from '../store/catalog/index.ts'
import { drawMark, type FileSystem, type RotatingLog } from '../store/storage/index.ts'
import type { Lease, Views } from '../store/views/index.ts'
import { bodyPath } from '../write/indexer/index.ts'
import type { SealedBatch, TaskQueue } from '../write/tasks/index.ts'

export type CutParts = {
  readonly fs: FileSystem
  readonly manifest: Manifest
  readonly queue: TaskQueue
  readonly log: RotatingLog
  readonly views: Views
  /** Of this release. */
  readonly version: string
}

export type Cut = {
  readonly sequence: number
  /** Made for the copy, of the queue, of the indexes: in this order. */
  readonly catalog: readonly PackedFile[]
  readonly tasks: readonly PackedFile[]
  readonly segments: readonly PackedFile[]
  /** Lets go of the files. Called once. */
  readonly release: () => Promise<void>
}

/** Bodies that are looked at between two points at which others may run: 2 ms. */
const STRIDE = 256
const PIECE_BYTES = MiB
const TASKS_CUT = `${STAGING}/tasks.log`

/**
 * Takes a cut in which the running batch has ended as `sealed` says. `compact`: logs and bodies are
 * to be packed well. @throws StorageError
 */
export async function takeCut(
  parts: CutParts,
  sealed: SealedBatch,
  compact: boolean,
): Promise<Cut> {
  const { fs } = parts
  await emptyStaging(fs)
  fs.makeDirectory(STAGING)
  for (let i = 0; i < CUT_TRIES_MAX; i++) {
    await nextTurn()
    const cut = await tryCut(parts, sealed, compact)
    if (cut !== null) return cut
  }
  throw new StorageError('io', STAGING, 'the task log does not come to rest')
}

/** Removes what snapshots have left behind. @throws StorageError */
export async function emptyStaging(fs: FileSystem): Promise<void> {
  if (!fs.exists(STAGING)) return
  for (const name of fs.list(STAGING)) await fs.removeAsync(`${STAGING}/${name}`)
}

/** null: something was on its way; to be tried in another turn. */
async function tryCut(parts: CutParts, sealed: SealedBatch, compact: boolean): Promise<Cut | null> {
  const { fs, queue, log, manifest, version } = parts
  // All of this up to the first `await` is one moment.
  const tasks = queue.cut
  if (tasks === null) return null
  const leases = leaseAll(parts)
  if (leases === null) return null
  const { state } = manifest
  const name = log.path
  try {
    const isLinked = log.link(TASKS_CUT) !== null
    if (!isLinked && !(await copied(fs, name, tasks.bytes))) {
      release(leases)
      return null
    }
    const level = compact ? SMALL_FILES_LEVEL : 0
    const ended = { ...state, outcomes: new Map(state.outcomes).set(sealed.uid, sealed.payload) }
    const catalog = catalogFiles(ended, version, drawMark()).map(
      ({ path, bytes }): PackedFile => ({ path, bytes: bytes.length, level, source: bytes }),
    )
    const bodies: PackedFile[] = []
    for (const path of tasks.bodies.map(bodyPath)) {
      if (bodies.length % STRIDE === STRIDE - 1) await nextTurn()
      bodies.push({ path, bytes: fs.size(path), level, source: path })
    }
    return {
      sequence: state.sequence,
      catalog,
      tasks: [{ path: name, bytes: tasks.bytes, level, source: TASKS_CUT }, ...bodies],
      segments: segmentsOf(state),
      release: async () => {
        release(leases)
        await emptyStaging(fs)
      },
    }
  } catch (error) {
    release(leases)
    throw error
  }
}

/** Keeps every view there is; null: a commit has not reached the views yet. */
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

/** Copies the beginning of the task log; false when it was replaced meanwhile. */
async function copied(fs: FileSystem, path: string, bytes: number): Promise<boolean> {
  try {
    const from = await fs.openAsync(path, 'read')
    try {
      const to = await fs.openAsync(TASKS_CUT, 'create')
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

const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))
