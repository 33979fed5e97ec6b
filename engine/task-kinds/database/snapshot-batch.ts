// The batch that creates a snapshot: a consistent cut of the database, packed into one file. Tasks
// are accepted and searches run meanwhile; only other batches wait.

import {
  type Archiver,
  encodeHead,
  HEAD,
  type PackedFile,
  type SnapshotHead,
  stampOf,
} from '../../backup/snapshot/index.ts'
import { STAGING } from '../../store/catalog/index.ts'
import { allFailed, allSucceeded, type BatchControl } from '../../write/batching/index.ts'
import { formatMicros, type Micros } from '../../write/task-data/index.ts'
import { type BatchRun, type SnapshotOptions, uncommitted } from '../kind/index.ts'
import { takeConsistentCut } from './snapshot-cut.ts'
import { uploadSnapshot } from './snapshot-upload.ts'

/** Steps as the progress of a batch names them. */
const STEPS = [
  'start the snapshot creation',
  'snapshot the index scheduler',
  'snapshot the update files',
  'snapshot the indexes',
  'snapshot the api keys',
  'create the tarball',
]

export const snapshotFileName = (name: string): string => `${name}.snapshot`

/** @throws StorageError */
export const runSnapshot: BatchRun = async (environment, plan, control) => {
  const { snapshots: options, archiver, version, now } = environment
  if (options === undefined) {
    const message = 'No place for snapshots is configured.'
    return uncommitted(allFailed(plan, { code: 'internal', message }))
  }
  const step = (number: number): void => report(control, number)
  step(0)
  step(1)
  const sealed = await control.seal(allSucceeded(plan))
  const createdAt = now()
  const { compact } = options
  const cut = await takeConsistentCut(environment, { sealed, compact, folder: STAGING })
  try {
    step(5)
    const files = [...cut.catalog, ...cut.tasks, ...cut.segments]
    const head = headOf(version, createdAt, cut.sequence, files)
    const all = [headFile(head, options.compact), ...files]
    const progress = (done: number, total: number): void => report(control, 5, { done, total })
    const { store } = options
    if (store === undefined) {
      await writeFile(archiver, options, all, createdAt, control, progress)
    } else {
      const { fs, digests } = environment
      const { signal } = control
      await uploadSnapshot({ fs, archiver, store, signal, head, files: all, progress, digests })
    }
  } finally {
    await cut.release()
  }
  return uncommitted(allSucceeded(plan))
}

/**
 * Packs the files into the folder of snapshots; replaces the last snapshot unless several are
 * retained.
 */
async function writeFile(
  archiver: Archiver,
  { folder: root, name, retain: most }: SnapshotOptions,
  files: readonly PackedFile[],
  createdAt: Micros,
  { signal }: BatchControl,
  progress: (done: number, total: number) => void,
): Promise<void> {
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  const stamp = stampOf(createdAt)
  const retention = most === undefined ? {} : { retention: { stamp, most } }
  await archiver.run(
    {
      kind: 'pack',
      files,
      modifiedAt: Math.floor(createdAt / 1000),
      target: { kind: 'file', root, name: snapshotFileName(name), ...retention },
    },
    {
      signal,
      progress: (bytes) => progress(Math.min(bytes, total), total),
      onPart: () => Promise.resolve(),
    },
  )
}

/** Reports progress. Bytes are reported in mebibytes, which keeps the counts readable. */
function report(
  control: BatchControl,
  number: number,
  within?: { readonly done: number; readonly total: number },
): void {
  const steps = [{ currentStep: STEPS[number]!, finished: number, total: STEPS.length }]
  if (within !== undefined) {
    const mebibytes = (bytes: number): number => Math.ceil(bytes / 2 ** 20)
    const total = mebibytes(within.total)
    const finished = Math.min(mebibytes(within.done), total)
    steps.push({ currentStep: 'mebibytes', finished, total })
  }
  control.progress(steps)
}

function headOf(
  version: string,
  createdAt: Micros,
  sequence: number,
  files: readonly PackedFile[],
): SnapshotHead {
  const list = files.map(({ path, bytes }) => ({ path, bytes, sha256: null }))
  return { version, createdAt: formatMicros(createdAt), sequence, files: list }
}

function headFile(head: SnapshotHead, compact: boolean): PackedFile {
  const source = encodeHead(head)
  return { path: HEAD, bytes: source.length, level: compact ? 6 : 0, source }
}
