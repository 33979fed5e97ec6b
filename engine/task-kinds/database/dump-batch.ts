// The batch of a dump: reads the indexes through the search threads, and the queue, and writes the
// dump to its folder. It changes nothing in the database and commits nothing; the queue records its
// outcome.
//
// Parts are written to a folder of the database, the archive to the folder of dumps under the name
// of an unfinished file. Both are removed when the batch ends, also after a failure; files of a
// killed process are removed at the next start.
import { decoder, encoder, NEWLINE } from '../../../format/bytes/index.ts'
import type { TaskUid } from '../../../format/ids.ts'
import type { Change } from '../../../format/manifest/index.ts'
import { type PackOptions, packArchive } from '../../backup/archive/index.ts'
import {
  DOCUMENTS_CHUNK_BYTES,
  type DumpedIndex,
  type DumpSource,
  dumpFile,
  dumpUidOf,
  GZIP_LEVEL,
  isDumpUid,
  type ReportStep,
  Spool,
  spoolDump,
  stepOf,
  unfinishedDumpFile,
} from '../../backup/dumps/index.ts'
import { Canceled, StorageError } from '../../model/index.ts'
import { retryWhileBusy } from '../../read/pool/index.ts'
import { rulesOf } from '../../read/search-rules/index.ts'
import { decodeSettings } from '../../settings/index.ts'
import {
  DUMP_FOLDER,
  documentCount,
  type IndexState,
  type State,
} from '../../store/catalog/index.ts'
import {
  type FileSystem,
  RealFileSystem,
  readFile,
  replaceByStream,
  replaceFile,
} from '../../store/storage/index.ts'
import { awaitedLater } from '../../time/index.ts'
import { allSucceeded, type BatchControl, type BatchPlan } from '../../write/batching/index.ts'
import type { Bodies } from '../../write/bodies/index.ts'
import type { Micros } from '../../write/task-data/index.ts'
import type { TaskQueue } from '../../write/tasks/index.ts'
import {
  type BatchRun,
  contentOf,
  type DumpOptions,
  type TaskEnvironment,
  uncommitted,
} from '../kind/index.ts'

export type DumpContent = {
  readonly kind: 'dumpCreation'
  /** As a dump stores them, from the moment of the request. */
  readonly keys: readonly unknown[]
  readonly instanceUid: string | null
}

/** The folder of an unfinished dump, and the file in it that holds the dump's name. */
const DUMP_SPOOL = DUMP_FOLDER
const NAME_FILE = `${DUMP_SPOOL}/name`
const PARTS_FILE = `${DUMP_SPOOL}/parts`
const NAME_BYTES_MAX = 64

/** @throws StorageError, Canceled */
export const runDump: BatchRun = async (environment, plan, control) => {
  const { fs, dumps: options, now } = environment
  if (options === undefined) {
    throw new StorageError('missing', '', 'no folder for dumps is configured')
  }
  const startedAt = now()
  const dumpUid = dumpUidOf(startedAt)
  const target = options.fileSystem ?? RealFileSystem.create(options.folder, 'the folder of dumps')
  let spool: Spool | null = null
  try {
    await beginSpool(fs, dumpUid)
    spool = await Spool.open(fs, PARTS_FILE)
    const tell = tellerOf(control)
    const source = sourceOf(environment, options, plan, control, startedAt)
    await spoolDump(source, spool, tell)
    await pack(
      spool,
      target,
      dumpUid,
      { gzipLevel: GZIP_LEVEL, modifiedAt: dateOf(startedAt) },
      tell,
    )
    return uncommitted(allSucceeded(plan, { dumpUid }))
  } finally {
    spool?.close()
    await fs.removeTreeAsync(DUMP_SPOOL)
  }
}

const dateOf = (micros: Micros): Date => new Date(Math.floor(micros / 1000))

async function beginSpool(fs: FileSystem, dumpUid: string): Promise<void> {
  await fs.removeTreeAsync(DUMP_SPOOL)
  fs.makeDirectory(DUMP_SPOOL)
  await replaceFile(fs, NAME_FILE, encoder.encode(dumpUid))
}

async function pack(
  spool: Spool,
  target: FileSystem,
  dumpUid: string,
  options: PackOptions,
  tell: ReportStep,
): Promise<void> {
  tell('compress the dump')
  async function* chunks(): AsyncGenerator<Uint8Array> {
    for await (const chunk of packArchive(spool.entries(), options)) {
      tell('compress the dump')
      yield chunk
    }
  }
  await replaceByStream(target, dumpFile(dumpUid), chunks(), unfinishedDumpFile(dumpUid))
}

/** Removes the files of a dump whose process was killed. @throws StorageError */
export async function sweepDump(fs: FileSystem, options: DumpOptions | undefined): Promise<void> {
  if (!fs.exists(DUMP_SPOOL)) return
  if (options !== undefined && fs.exists(NAME_FILE)) {
    const name = decoder.decode(readFile(fs, NAME_FILE, NAME_BYTES_MAX))
    if (isDumpUid(name)) await sweepUnfinished(options, unfinishedDumpFile(name))
  }
  await fs.removeTreeAsync(DUMP_SPOOL)
}

async function sweepUnfinished(options: DumpOptions, file: string): Promise<void> {
  const target = options.fileSystem ?? new RealFileSystem(options.folder)
  if (target.exists(file)) await target.removeAsync(file)
}

function tellerOf({ signal, progress }: BatchControl): ReportStep {
  return (step, inside) => {
    if (signal.aborted) throw new Canceled()
    progress(inside === undefined ? [stepOf(step)] : [stepOf(step), inside])
  }
}

function sourceOf(
  environment: TaskEnvironment,
  options: DumpOptions,
  plan: BatchPlan,
  control: BatchControl,
  now: Micros,
): DumpSource {
  const { kinds, manifest, queue, bodies, chats, network, webhooks, version } = environment
  const { uid: taskUid } = plan.tasks[0]!
  const { keys, instanceUid } = contentOf<DumpContent>(plan)
  const indexes = [...manifest.state.indexes.values()]
  return {
    kinds,
    taskUid,
    keys,
    instanceUid,
    version,
    now,
    chats: chats.list().map((uid) => [uid, chats.get(uid)!] as const),
    tasks: queue.lists.everyTask(),
    batches: queue.lists.everyBatch(),
    body: (uid) => bodyOf(queue, bodies, uid),
    indexes: indexes.map((index) => dumpedIndex(environment, index, control.signal)),
    features: environment.features(),
    network: network.get(),
    webhooks: webhooks.list(),
    rules: rulesOf(manifest.state),
    describe: options.describe,
  }
}

/** The stored body of a waiting import; the import cannot start before the dump is done. */
async function* bodyOf(
  queue: TaskQueue,
  bodies: Bodies,
  uid: TaskUid,
): AsyncGenerator<Uint8Array, void, undefined> {
  const body = await queue.lists.body(uid, null)
  if (body !== null) yield* bodies.chunks(body)
}

function dumpedIndex(
  environment: TaskEnvironment,
  index: IndexState,
  signal: AbortSignal,
): DumpedIndex {
  const { uid, primaryKey, createdAt, updatedAt } = index
  return {
    uid,
    primaryKey,
    createdAt,
    updatedAt,
    settings: decodeSettings(index.settings),
    documentCount: documentCount(index),
    documents: () => documentsOf(environment, index, signal),
  }
}

type Chunk = { readonly ndjson: Uint8Array; readonly documents: number }
/** `last`: the document id after which to continue, or null if these were the last documents. */
type Read = Chunk & { readonly last: number | null }

/** Yields all documents of the newest view; a thread reads the next chunk while one is written. */
async function* documentsOf(
  { views, searching, features }: TaskEnvironment,
  { index }: IndexState,
  signal: AbortSignal,
): AsyncGenerator<Chunk, void, undefined> {
  const lease = views.lease(index)
  if (lease === null) return
  const view = { ref: lease.ref, release: () => undefined }
  const read = async (after: number): Promise<Read> => {
    const chunk = { filter: null, after, bytesMax: DOCUMENTS_CHUNK_BYTES, fragments: null }
    const job = { kind: 'export', chunk, features: features() } as const
    return chunkOf(await retryWhileBusy(() => searching.run(view, job, signal)))
  }
  let next: Promise<Read> | null = null
  try {
    for (next = read(-1); next !== null; ) {
      const { last, ...chunk }: Read = await next
      next = last === null ? null : awaitedLater(read(last))
      if (chunk.documents > 0) yield chunk
    }
  } finally {
    // The thread may still read from the view.
    await Promise.allSettled([next])
    lease.release()
  }
}

/** Splits an answer: its first line describes the documents that follow. */
function chunkOf(answer: Uint8Array): Read {
  const end = answer.indexOf(NEWLINE)
  const { documents, last } = JSON.parse(Buffer.from(answer.subarray(0, end)).toString())
  return { documents, last, ndjson: answer.subarray(end + 1) }
}

const INSTANCE_SPACE = 'instance'
const INSTANCE_KEY = 'uid'

/** Returns the instance uid of the database that this one was imported from, or null. */
export function instanceUidOf({ values }: State): string | null {
  const uid = values.get(INSTANCE_SPACE)?.get(INSTANCE_KEY)
  return uid === undefined ? null : decoder.decode(uid)
}

export const instanceUidChange = (uid: string): Change => ({
  kind: 'value-set',
  space: INSTANCE_SPACE,
  key: INSTANCE_KEY,
  value: encoder.encode(uid),
})
