// Imports an index of a dump: creates it with its dates and settings, then fills it with the same
// jobs as a batch of documents, from bodies as large as memory allows.
import { NEWLINE } from '../../format/bytes/index.ts'
import type { IndexUid } from '../../format/ids.ts'
import { DumpError, type DumpFiles, inDump, type ReadIndex } from '../backup/dumps/index.ts'
import { EngineFault } from '../model/index.ts'
import { embedderSpecs } from '../settings/embedders/index.ts'
import { encodeSettings } from '../settings/index.ts'
import { indexOfUid, type Manifest } from '../store/catalog/index.ts'
import { type FileSystem, fileBytes } from '../store/storage/index.ts'
import { viewRef } from '../store/views/index.ts'
import { awaitedLater } from '../time/index.ts'
import { documentChanges } from '../write/batches/index.ts'
import type { Bodies } from '../write/bodies/index.ts'
import type { Indexing } from '../write/indexer/index.ts'
import type { StagedBody } from '../write/task-data/index.ts'
import type { ImportProgress } from './imports.ts'

export type ImportIndexParts = {
  readonly fs: FileSystem
  readonly manifest: Manifest
  readonly bodies: Bodies
  readonly indexing: Indexing
  readonly files: DumpFiles
  readonly chunkBytesMax: number
  readonly progress: (progress: ImportProgress) => void
  readonly say: (message: string) => void
}

/**
 * Chunks per job: a job keeps a table of the ids of its documents and reads the body through a
 * mapping, so its memory grows with the body. 128 MiB if there is enough memory; more would not be
 * faster.
 */
const BODY_CHUNKS_MAX = 4

/** @throws DumpError, EngineFault, StorageError */
export async function importIndex(parts: ImportIndexParts, read: ReadIndex): Promise<void> {
  const { manifest, say } = parts
  const { uid, primaryKey, createdAt, updatedAt } = read
  say('Importing the settings.')
  const settings = inIndex(uid, read.settings)
  const index = manifest.takeIndex()
  await manifest.commit([
    {
      kind: 'index-created',
      index,
      uid,
      primaryKey,
      at: createdAt,
      settings: encodeSettings(settings),
    },
  ])
  const findsFragments = embedderSpecs(settings.embedders).some((spec) => spec.fragments.length > 0)
  if (read.documents !== null) {
    await importDocuments(parts, { uid, path: read.documents, findsFragments })
  }
  await manifest.commit([{ kind: 'index-touched', index, at: Math.max(updatedAt, createdAt) }])
}

/** Adds the name of the index to a fault of a setting. */
function inIndex<T>(uid: IndexUid, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof EngineFault)) throw error
    throw new DumpError(`Index \`${uid}\`: ${error.message}`)
  }
}

type IndexDocuments = {
  readonly uid: IndexUid
  /** Path in the dump. */
  readonly path: string
  /** Whether vectors may come from fragments. */
  readonly findsFragments: boolean
}

/** Reads the next body while one is being indexed. */
async function importDocuments(parts: ImportIndexParts, documents: IndexDocuments): Promise<void> {
  const { uid, path } = documents
  const total = parts.files.sizes.get(path) ?? 0
  let done = 0
  let working: Promise<void> = Promise.resolve()
  for await (const body of bodiesOf(parts, uid, path)) {
    await working
    const begin = done
    done += body.bytes
    const indexing = indexBody(parts, documents, body, (share) => {
      const now = begin + Math.floor(body.bytes * share)
      parts.progress({ step: `documents of ${uid}`, done: Math.min(now, total), total })
    })
    working = awaitedLater(indexing)
  }
  await working
}

async function* bodiesOf(
  parts: ImportIndexParts,
  uid: IndexUid,
  path: string,
): AsyncGenerator<StagedBody, void, undefined> {
  const { bodies, fs, files, chunkBytesMax } = parts
  const bodyBytesMax = BODY_CHUNKS_MAX * chunkBytesMax
  const begin = () => bodies.receive({ kind: 'ndjson' })
  let receiver = begin()
  let bytes = 0
  const finish = async (): Promise<StagedBody> => (await named(uid, () => receiver.finish())).take()
  for await (const chunk of fileBytes(fs, inDump(files, path))) {
    const cut = bytes + chunk.length > bodyBytesMax ? chunk.lastIndexOf(NEWLINE) + 1 : 0
    if (cut > 0) {
      await named(uid, () => receiver.write(chunk.subarray(0, cut)))
      yield await finish()
      receiver = begin()
      bytes = 0
    }
    const rest = chunk.subarray(cut)
    bytes += rest.length
    if (rest.length > 0) await named(uid, () => receiver.write(rest))
  }
  if (bytes > 0) yield await finish()
}

/** Adds the name of the index to a fault of a document. */
async function named<T>(uid: IndexUid, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof EngineFault)) throw error
    throw new DumpError(`Index \`${uid}\`: ${error.message}`)
  }
}

async function indexBody(
  { manifest, indexing, bodies, chunkBytesMax }: ImportIndexParts,
  { uid, findsFragments }: IndexDocuments,
  body: StagedBody,
  tell: (share: number) => void,
): Promise<void> {
  const known = indexOfUid(manifest.state, uid)!
  const operation = {
    kind: 'documentAdditionOrUpdate',
    method: 'replace',
    body,
    primaryKey: null,
    skipCreation: false,
    allowIndexCreation: false,
  } as const
  const request = {
    kind: 'documents',
    view: viewRef(known, manifest.state.sequence),
    operations: [operation],
    chunkBytesMax,
    findsFragments,
  } as const
  const result = await named(uid, () =>
    indexing.run(request, { signal: null, progress: (at, all) => tell(all === 0 ? 1 : at / all) }),
  )
  const { fault } = result.outcomes[0]!
  if (fault !== null) throw new DumpError(`Index \`${uid}\`: ${fault.message}`)
  await manifest.commit((state) =>
    documentChanges(state.indexes.get(known.index), known.index, result, (segment) => segment),
  )
  if (body.file !== null) await bodies.remove(body.file)
}
