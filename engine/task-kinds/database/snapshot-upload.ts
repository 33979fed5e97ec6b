// Uploads a consistent cut to an object store: as one archive in parts, or file by file, skipping
// files that the store already has.
import { assert } from '../../../format/errors.ts'
import {
  abortLeftOvers,
  archiveKey,
  Bucket,
  credentialsFrom,
  filesPrefix,
  hashedHead,
  isFileKey,
  PARTS_MAX,
  retain,
  StoreTurns,
  sliceOf,
  uploadIncrement,
  uploadInParts,
} from '../../backup/objstore/index.ts'
import type { Archiver, PackedFile, SnapshotHead } from '../../backup/snapshot/index.ts'
import { Canceled, EngineFault } from '../../model/index.ts'
import { BODIES, STAGING } from '../../store/catalog/index.ts'
import type { FileSystem } from '../../store/storage/index.ts'
import { steadyMs } from '../../time/index.ts'
import type { StoreOptions } from '../kind/index.ts'

export type Upload = {
  readonly fs: FileSystem
  readonly archiver: Archiver
  readonly store: StoreOptions
  readonly signal: AbortSignal
  readonly head: SnapshotHead
  /** The files of the archive, the head first. */
  readonly files: readonly PackedFile[]
  readonly progress: (done: number, total: number) => void
  /** Checksums of immutable files by path; cached from one snapshot to the next. */
  readonly digests: Map<string, string>
}

const TIMER_MS_MAX = 2 ** 31 - 1

/** Opens the bucket with the current credentials. @throws EngineFault */
export async function openBucket(store: StoreOptions, signal: AbortSignal): Promise<Bucket> {
  const { transport, url, region, bucket: name, signatureSeconds, now } = store
  const { retryPauseMs, retryMsMax } = store
  const credentials = await credentialsFrom(store.credentials, transport, signal)
  return new Bucket({
    transport,
    url,
    region,
    name,
    credentials,
    signatureSeconds,
    signal,
    now,
    steadyMs,
    ...(retryPauseMs === undefined ? {} : { retryPauseMs }),
    ...(retryMsMax === undefined ? {} : { retryMsMax }),
  })
}

/** @throws EngineFault, StorageError, Canceled */
export async function uploadSnapshot(upload: Upload): Promise<void> {
  const { store, signal } = upload
  const ms = Math.min(store.signatureSeconds * 1000, TIMER_MS_MAX)
  const deadline = AbortSignal.timeout(ms)
  try {
    const bucket = await openBucket(store, AbortSignal.any([signal, deadline]))
    if (store.incremental) await uploadFiles(upload, bucket)
    else await uploadArchive(upload, bucket)
  } catch (error) {
    if (signal.aborted) throw new Canceled()
    if (!(error instanceof Canceled) && !deadline.aborted) throw error
    const words = `S3 error: the snapshot took longer than ${store.signatureSeconds} seconds`
    throw new EngineFault('s_3_snapshot_server_error', words)
  }
}

/**
 * Uploads the archive. Parts are stored in separate files until they are uploaded, not in memory.
 */
async function uploadArchive(upload: Upload, bucket: Bucket): Promise<void> {
  const { fs, archiver, store, files, progress } = upload
  const { level, lanesMax, partBytes, place } = store
  const archive = archiveKey(place)
  await abortLeftOvers(bucket, archive, (key) => key === archive)
  const total = files.reduce((sum, { bytes }) => sum + bytes, 0)
  if (level === 0 && total > partBytes * PARTS_MAX) throw tooManyParts(partBytes)
  let done = 0
  await uploadInParts(bucket, archive, lanesMax, async ({ add }) => {
    await archiver.run(
      {
        kind: 'pack',
        files: files.map((file) => ({ ...file, level })),
        modifiedAt: Date.parse(upload.head.createdAt),
        target: { kind: 'parts', folder: STAGING, bytes: partBytes },
      },
      {
        signal: bucket.signal,
        progress: () => undefined,
        onPart: ({ number, path, bytes }) => {
          if (number > PARTS_MAX) return Promise.reject(tooManyParts(partBytes))
          return add(number, sliceOf(fs, path, 0, bytes), async () => {
            done += bytes
            progress(Math.min(done, total), total)
            await fs.removeAsync(path)
          })
        },
      },
    )
  })
}

async function uploadFiles(upload: Upload, bucket: Bucket): Promise<void> {
  const { fs, store, head, progress } = upload
  const { lanesMax, partBytes, place } = store
  const files = upload.files.slice(1)
  const digests = await digestsOf(upload, files, bucket.signal)
  const turns = storeTurnsOf(store)
  assert(turns.names !== null, 'an open database names its snapshots')
  const kind = 'snapshots'
  const { name, placed } = await turns.names.next(bucket, kind)
  await abortLeftOvers(bucket, filesPrefix(place), (key) => isFileKey(place, key))
  const increment = { bucket, place, fs, partBytes, lanesMax, progress, kind, turns } as const
  // Snapshots are far apart: the store is listed each time.
  turns.known = null
  const placedHead = { ...hashedHead(head, digests), placed }
  await turns.upload(() => uploadIncrement(increment, name, placedHead, files))
  const { retain: count } = store
  if (count === null) return
  // While a state is being published, removal is skipped; the next snapshot does it.
  const leased = await turns.leases.snapshots(bucket, place)
  await turns.retain(async () => {
    await retain(bucket, place, { kind, count, leased, turns })
  })
}

/** Returns the store of a bucket for operators, without secrets. */
export function storeWords({ url, bucket }: Pick<StoreOptions, 'url' | 'bucket'>): string {
  return `the bucket \`${bucket}\` of ${URL.canParse(url) ? new URL(url).host : url}`
}

/** Returns the error of a store with its name. */
export function namingStore(store: Pick<StoreOptions, 'url' | 'bucket'>, error: unknown): unknown {
  if (!(error instanceof EngineFault)) return error
  return new EngineFault(error.code, `${error.message} (${storeWords(store)})`)
}

const turns = new WeakMap<StoreOptions, StoreTurns>()

/** Returns the turns for this place of a store: they order its users within the process. */
export function storeTurnsOf(store: StoreOptions): StoreTurns {
  const known = turns.get(store) ?? new StoreTurns()
  turns.set(store, known)
  return known
}

/**
 * Computes the checksums of the files. Checksums are cached for files that never change: bodies,
 * and files stored under their own name.
 */
export async function digestsOf(
  { archiver, digests: cached }: Pick<Upload, 'archiver' | 'digests'>,
  files: readonly PackedFile[],
  signal: AbortSignal,
): Promise<readonly string[]> {
  const isFixed = ({ path, source }: PackedFile): boolean =>
    path === source || path.startsWith(`${BODIES}/`)
  const fresh = files.filter((file) => !isFixed(file) || !cached.has(file.path))
  const hooks = { signal, progress: () => undefined, onPart: () => Promise.resolve() }
  const job = { kind: 'digest', files: fresh } as const
  const { digests: made } = await archiver.run(job, hooks)
  const found = new Map(fresh.map(({ path }, i) => [path, made[i]!]))
  const digests = files.map(({ path }) => found.get(path) ?? cached.get(path)!)
  cached.clear()
  for (const [i, file] of files.entries()) if (isFixed(file)) cached.set(file.path, digests[i]!)
  return digests
}

const tooManyParts = (partBytes: number): EngineFault =>
  new EngineFault(
    'invalid_s_3_snapshot_parameters',
    `S3 error: the snapshot has more than ${PARTS_MAX} parts of ${partBytes} bytes: ` +
      'make them larger with `--experimental-objstore-multipart-part-size`',
  )
