// The files of a snapshot, sorted as a follower needs them.
import type { SnapshotFile, SnapshotHead } from '../../backup/snapshot/index.ts'
import { compareVersions } from '../../store/catalog/index.ts'

/** A snapshot that cannot be followed; the message is for operators. */
export class ForeignSnapshot extends Error {
  override readonly name = 'ForeignSnapshot'
}

type SnapshotFiles = {
  readonly manifest: SnapshotFile
  readonly tasks: SnapshotFile
  readonly bodies: readonly SnapshotFile[]
  /** By path. */
  readonly segments: ReadonlyMap<string, SnapshotFile>
}

/** @throws ForeignSnapshot */
export function filesOf({ files }: SnapshotHead): SnapshotFiles {
  const manifest = files.find(({ path }) => path.startsWith('manifest-'))
  const tasks = files.find(({ path }) => path.startsWith('tasks/tasks-'))
  if (manifest === undefined || tasks === undefined) {
    throw new ForeignSnapshot('the snapshot has no manifest, or no task log')
  }
  return {
    manifest,
    tasks,
    bodies: files.filter(({ path }) => path.startsWith('tasks/bodies/')),
    segments: new Map(
      files.filter(({ path }) => path.startsWith('segments/')).map((file) => [file.path, file]),
    ),
  }
}

/** Bytes are used unchanged: both instances must have the same release. @throws ForeignSnapshot */
export function checkRelease({ version }: SnapshotHead, ours: string): void {
  const order = compareVersions(version, ours)
  if (order === 0) return
  const advice =
    order > 0
      ? 'install that release here'
      : 'update the instance that publishes it, or install its release here'
  throw new ForeignSnapshot(
    `it is published by release ${version} and this is release ${ours}: ${advice}`,
  )
}
