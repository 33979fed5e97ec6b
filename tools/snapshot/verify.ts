// `svc-tools snapshot verify`: checks that a snapshot can be restored.
import { mkdtempSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'
import {
  ArchiveError,
  fileOfSnapshot,
  findSnapshot,
  restoreArchive,
  restoreSnapshot,
  type SnapshotHead,
} from '../../engine/backup.ts'
import {
  EngineFault,
  FakeDisk,
  type FileSystem,
  fileBytes,
  RealFileSystem,
  StorageError,
} from '../../engine/index.ts'
import { type CheckResult, checkDatabase, checkText } from '../check/index.ts'
import { bytesText, countOf, type Progress, ToolError } from '../terminal/index.ts'
import { type FileSource, openSource, type StoreSource } from './source.ts'

export type VerifyOptions = {
  /** A folder to unpack into, with room for the whole database: then every byte is checked. */
  readonly deep: string | null
  readonly release: string
  readonly openProgress: (bytesTotal: number) => Progress
}

export type Verified = {
  readonly snapshot: string
  readonly isSound: boolean
  readonly createdAt: string | null
  readonly files: number
  readonly bytes: number
  /** The problem of the snapshot, or null. */
  readonly problem: string | null
  /** The check of the restored database, or null if it was not restored. */
  readonly check: CheckResult | null
}

/** Reads the whole snapshot; writes only below `deep`. @throws ToolError */
export async function verifySnapshot(what: string, options: VerifyOptions): Promise<Verified> {
  const source = await openSource(what)
  const bad = (problem: string): Verified => ({
    snapshot: what,
    isSound: false,
    createdAt: null,
    files: 0,
    bytes: 0,
    problem,
    check: null,
  })
  try {
    return options.deep === null
      ? sound(what, await readThrough(source, options), null)
      : await restoreAndCheck(what, source, options, options.deep)
  } catch (error) {
    if (error instanceof ArchiveError || error instanceof EngineFault) return bad(error.message)
    if (error instanceof StorageError && error.code !== 'no_space') return bad(error.message)
    throw error
  }
}

function sound(what: string, head: SnapshotHead, check: CheckResult | null): Verified {
  const bytes = head.files.reduce((sum, file) => sum + file.bytes, 0)
  const isSound = check === null || check.isSound
  const { createdAt, files } = head
  const problem = isSound ? null : 'the database that it holds is damaged'
  return { snapshot: what, isSound, createdAt, files: files.length, bytes, problem, check }
}

/** Compares every file with the head; in a store, with its checksum. */
async function readThrough(
  source: FileSource | StoreSource,
  { openProgress }: VerifyOptions,
): Promise<SnapshotHead> {
  if (source.kind === 'store') {
    const { bucket, place, name } = source
    const found = await foundIn(source)
    if (found.kind === 'files') {
      const total = found.head.files.reduce((sum, { bytes }) => sum + bytes, 0)
      const progress = openProgress(total)
      let done = 0
      for (const file of found.head.files) {
        for await (const chunk of fileOfSnapshot(bucket, place, file)) {
          done += chunk.length
          progress.at(done, file.path)
        }
      }
      progress.end()
      return found.head
    }
    const bar = barOf(openProgress)
    const head = await restoreSnapshot(bucket, place, found, discardingFileSystem(), {
      progress: bar.at,
    })
    bar.end()
    if (name !== null) throw new ToolError(`the store has no snapshot \`${name}\``)
    return head
  }
  const bar = barOf(openProgress)
  const bytes = fileBytes(source.folder, source.name)
  const head = await restoreArchive(bytes, discardingFileSystem(), { progress: bar.at })
  bar.end()
  return head
}

async function foundIn({ bucket, place, name }: StoreSource) {
  const found = await findSnapshot(bucket, place, name)
  if (found !== null) return found
  throw new ToolError(`the store has no snapshot${name === null ? '' : ` \`${name}\``}`)
}

function barOf(openProgress: VerifyOptions['openProgress']) {
  let bar: Progress | null = null
  return {
    at: (done: number, total: number): void => {
      bar ??= openProgress(total)
      bar.at(done, 'reading')
    },
    end: (): void => bar?.end(),
  }
}

/** Returns a file system that accepts files and discards their bytes. */
function discardingFileSystem(): FileSystem {
  const fs = new FakeDisk().mount()
  fs.openAsync = async (path) => ({
    path,
    size: () => 0,
    isInPlace: () => true,
    isSameAs: () => false,
    stamp: () => ({ inode: 0n, created: 0n, changed: 0n }),
    read: () => 0,
    readAsync: async () => 0,
    write: () => undefined,
    writeAsync: async () => undefined,
    writeDurableAsync: async () => undefined,
    truncate: () => undefined,
    truncateAsync: async () => undefined,
    sync: () => undefined,
    syncAsync: async () => undefined,
    close: () => undefined,
  })
  return fs
}

/** Restores the database, checks every byte of it, and removes it again. */
async function restoreAndCheck(
  what: string,
  source: FileSource | StoreSource,
  options: VerifyOptions,
  folder: string,
): Promise<Verified> {
  const root = mkdtempSync(join(resolve(folder), 'svc-verify-'))
  try {
    const bar = barOf(options.openProgress)
    const fs = new RealFileSystem(root)
    const head =
      source.kind === 'file'
        ? await restoreArchive(fileBytes(source.folder, source.name), fs, { progress: bar.at })
        : await restoreSnapshot(source.bucket, source.place, await foundIn(source), fs, {
            progress: bar.at,
          })
    bar.end()
    const { release, openProgress } = options
    const check = checkDatabase(root, { lock: false, release, openProgress })
    return sound(what, head, { ...check, database: what })
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}

export function verifiedText({
  snapshot,
  problem,
  check,
  files,
  bytes,
  createdAt,
}: Verified): string {
  if (check !== null) return checkText(check)
  if (problem !== null) return `${snapshot} is damaged: ${problem}\n`
  const amount = `${countOf(files, 'file')}, ${bytesText(bytes)}`
  return `${snapshot}, created ${createdAt}: ${amount}, all as written.\n`
}
