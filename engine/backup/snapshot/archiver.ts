// Packs snapshots on a short-lived worker thread; inline in tests.

import { createHash } from 'node:crypto'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { MiB } from '../../../format/bytes/index.ts'
import { Canceled, fromWire, StorageError, toWire, type WireError } from '../../model/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import { WorkerPool } from '../../threads/index.ts'
import { bytesOfFile, type PackedFile, packedBlocks } from './pack.ts'
import type { Retention } from './retained.ts'
import { FileTarget, type Part, PartsTarget, type Target } from './target.ts'

type PackJob = {
  readonly kind: 'pack'
  readonly files: readonly PackedFile[]
  /** Milliseconds since 1970: the modification time of all entries. */
  readonly modifiedAt: number
  readonly target: PackTarget
}

type PackTarget =
  /** `name` in the folder `root`, outside of the database. */
  | {
      readonly kind: 'file'
      readonly root: string
      readonly name: string
      readonly retention?: Retention
    }
  /** Parts, in a folder of the database. */
  | { readonly kind: 'parts'; readonly folder: string; readonly bytes: number }

/** The input of a checksum: `bytes` of a file or of memory, from `from` on. */
export type Slice = Pick<PackedFile, 'bytes' | 'source'> & { readonly from?: number }

/** Computes the SHA-256 of slices of files of the database. */
type DigestJob = { readonly kind: 'digest'; readonly files: readonly Slice[] }

export type ArchiveJob = PackJob | DigestJob

/** The result: bytes written, or one digest per file. */
export type ArchiveResult = { readonly bytes: number; readonly digests: readonly string[] }

export type ArchiveHooks = {
  readonly signal: AbortSignal | null
  /** Called with the bytes so far, packed or read. */
  readonly progress: (bytes: number) => void
  /** Called for each complete part; resolves when the next may begin. */
  readonly onPart: (part: Part) => Promise<void>
}

export interface Archiver {
  /** @throws Canceled, StorageError (as a rejection) */
  run(job: ArchiveJob, hooks: ArchiveHooks): Promise<ArchiveResult>
}

/** `outside`: the file system of a folder that is not the database's. */
export type ArchiveFiles = {
  readonly fs: FileSystem
  readonly outside: (root: string) => FileSystem
}

/** Runs a job in the calling thread. Yields to other work between blocks. */
export function runArchiveJob(
  { fs, outside }: ArchiveFiles,
  job: ArchiveJob,
  { signal, progress, onPart }: ArchiveHooks,
): Promise<ArchiveResult> {
  const breathe = async (): Promise<void> => {
    await nextTurn()
    if (signal?.aborted === true) throw new Canceled()
  }
  if (job.kind === 'digest') return digest(fs, job, progress, breathe)
  const { target } = job
  const into =
    target.kind === 'file'
      ? new FileTarget(folderOf(outside, target.root), target.name, target.retention)
      : new PartsTarget(fs, target.folder, target.bytes, onPart)
  return pack(fs, job, into, progress, breathe)
}

/** Opens the folder of snapshots, created if missing. @throws StorageError with its name */
function folderOf(outside: ArchiveFiles['outside'], root: string): FileSystem {
  try {
    return outside(root)
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
    const words = `cannot make the folder of snapshots \`${root}\`: ${error.message}`
    throw new StorageError(error.code, root, words, { cause: error })
  }
}

async function pack(
  fs: FileSystem,
  { files, modifiedAt }: PackJob,
  into: Target,
  progress: (bytes: number) => void,
  breathe: () => Promise<void>,
): Promise<ArchiveResult> {
  let bytes = 0
  try {
    for await (const block of packedBlocks(fs, files, new Date(modifiedAt))) {
      await breathe()
      await into.write(block)
      bytes += block.length
      progress(bytes)
    }
    await breathe()
    await into.finish()
  } catch (error) {
    await abandoned(into)
    throw error
  }
  return { bytes, digests: [] }
}

/** Removes unfinished files. Those that cannot be removed now are removed at the next start. */
async function abandoned(into: Target): Promise<void> {
  try {
    await into.abandon()
  } catch (error) {
    if (!(error instanceof StorageError)) throw error
  }
}

async function digest(
  fs: FileSystem,
  { files }: DigestJob,
  progress: (bytes: number) => void,
  breathe: () => Promise<void>,
): Promise<ArchiveResult> {
  const digests: string[] = []
  let read = 0
  for (const { bytes, source, from = 0 } of files) {
    const hash = createHash('sha256')
    const pieces =
      typeof source === 'string'
        ? bytesOfFile(fs, source, bytes, from)
        : [source.subarray(from, from + bytes)]
    for await (const piece of pieces) {
      hash.update(piece)
      read += piece.length
      progress(read)
      await breathe()
    }
    digests.push(hash.digest('hex'))
  }
  return { bytes: read, digests }
}

export type ArchiveMessage =
  | { readonly kind: 'run'; readonly job: ArchiveJob }
  /** The next part may begin. */
  | { readonly kind: 'go' }
  | { readonly kind: 'cancel' }

export type ArchiveReply =
  | { readonly kind: 'progress'; readonly bytes: number }
  | { readonly kind: 'part'; readonly part: Part }
  | { readonly kind: 'done'; readonly result: ArchiveResult }
  | { readonly kind: 'canceled' }
  | { readonly kind: 'failed'; readonly error: WireError }

/** The start data of an archive thread. */
export type ArchiveThreadData = { readonly root: string; readonly niceness: number }

/** Searches and batches have priority. */
const NICENESS = 2

/** There is one thread per job. */
const SLOT = 0

/** Starts a thread for every job; the thread ends with it. */
export class ThreadArchiver implements Archiver {
  readonly #file: URL
  readonly #root: string

  /** `file`: the script of the thread; `root`: the database folder. */
  constructor(file: URL, root: string) {
    this.#file = file
    this.#root = root
  }

  async run(job: ArchiveJob, hooks: ArchiveHooks): Promise<ArchiveResult> {
    const { signal } = hooks
    const data: ArchiveThreadData = { root: this.#root, niceness: NICENESS }
    const pool = new WorkerPool<ArchiveMessage, ArchiveReply>({
      file: this.#file,
      slots: 1,
      settings: () => ({ name: 'archive', data, heapMegabytes: null }),
      isLast: ({ kind }) => kind !== 'progress' && kind !== 'part',
    })
    const cancel = (): void => pool.post(SLOT, { kind: 'cancel' })
    const run = new Promise<ArchiveResult>((resolve, reject) => {
      const onReply = (reply: ArchiveReply): void => {
        if (reply.kind === 'progress') hooks.progress(reply.bytes)
        else if (reply.kind === 'done') resolve(reply.result)
        else if (reply.kind === 'canceled') reject(new Canceled())
        else if (reply.kind === 'failed') reject(fromWire(reply.error))
        else hooks.onPart(reply.part).then(() => pool.post(SLOT, { kind: 'go' }), reject)
      }
      pool.give(SLOT, { crashes: 0, onReply, onLost: reject }, () => ({ kind: 'run', job }))
      signal?.addEventListener('abort', cancel, { once: true })
      if (signal?.aborted === true) cancel()
    })
    try {
      return await run
    } finally {
      signal?.removeEventListener('abort', cancel)
      await pool.close(new Canceled())
    }
  }
}

/** Runs in the thread: answers messages with `send`. */
export function serveArchiveJobs(
  files: ArchiveFiles,
  send: (reply: ArchiveReply) => void,
): (message: ArchiveMessage) => void {
  const controller = new AbortController()
  let go: () => void = () => undefined
  let reported = 0
  const hooks: ArchiveHooks = {
    signal: controller.signal,
    progress: (bytes) => {
      if (bytes - reported < PROGRESS_BYTES) return
      reported = bytes
      send({ kind: 'progress', bytes })
    },
    onPart: (part) =>
      new Promise((resolve) => {
        go = resolve
        send({ kind: 'part', part })
      }),
  }
  const run = async (job: ArchiveJob): Promise<void> => {
    try {
      send({ kind: 'done', result: await runArchiveJob(files, job, hooks) })
    } catch (error) {
      if (error instanceof Canceled) send({ kind: 'canceled' })
      else send({ kind: 'failed', error: toWire(error) })
    }
  }
  return (message) => {
    if (message.kind === 'cancel') controller.abort()
    if (message.kind !== 'run') go()
    else void run(message.job)
  }
}

const PROGRESS_BYTES = 4 * MiB
