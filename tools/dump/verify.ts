// `svc-tools dump verify`: reads everything, imports it into a temporary folder, and reports the
// first fault.
import { basename, dirname, join, resolve } from 'node:path'
import { type DumpReader, importDump, inDump } from '../../engine/backup.ts'
import { EngineFault, fileBytes } from '../../engine/index.ts'
import { createIntake } from '../../engine/inspect.ts'
import { MiB } from '../../format/bytes/index.ts'
import { countOf, type Progress } from '../terminal/index.ts'
import { faultOf, inScratch, type OpenOptions, withDump } from './open.ts'

export type VerifyOptions = OpenOptions & {
  /** The version of this release, `major.minor.patch`. */
  readonly version: string
  /** True to omit the import. */
  readonly isQuick: boolean
}

export type DumpVerdict = {
  readonly file: string
  readonly isSound: boolean
  /** The first fault. */
  readonly fault: string | null
  readonly version: string | null
  readonly indexes: number
  readonly documents: number
  readonly tasks: number
}

const INDEXING_BYTES_MAX = 512 * MiB

type Counts = { version: string | null; indexes: number; documents: number; tasks: number }

/** @throws ToolError, StorageError */
export async function verifyDump(file: string, options: VerifyOptions): Promise<DumpVerdict> {
  const counts: Counts = { version: null, indexes: 0, documents: 0, tasks: 0 }
  try {
    await withDump(file, options, async ({ reader, unpackedBytes }) => {
      counts.version = reader.version
      const progress = options.openProgress(unpackedBytes)
      try {
        await readAll(reader, counts, progress)
      } finally {
        progress.end()
      }
    })
    if (!options.isQuick) await tryImport(file, options)
    return { file, isSound: true, fault: null, ...counts }
  } catch (error) {
    const fault = faultOf(error)
    if (fault === null) throw error
    return { file, isSound: false, fault, ...counts }
  }
}

/** Imports the dump without computing vectors. @throws faults of the dump, ToolError, StorageError */
async function tryImport(file: string, { scratch, version, openProgress }: VerifyOptions) {
  const path = resolve(file)
  await inScratch(scratch, async (folder) => {
    let step = ''
    let progress = openProgress(0)
    const at = (now: string, done: number, total: number): void => {
      if (now !== step) {
        progress.end()
        progress = openProgress(total)
        step = now
      }
      progress.at(done, now)
    }
    try {
      await importDump({
        path: join(folder, 'db'),
        version,
        dump: { folder: dirname(path), name: basename(path) },
        indexWorker: null,
        indexingMemoryMax: INDEXING_BYTES_MAX,
        indexingThreads: 1,
        say: () => undefined,
        progress: ({ step, done, total }) => at(step, done, total),
        report: () => undefined,
      })
    } finally {
      progress.end()
    }
  })
}

async function readAll(reader: DumpReader, counts: Counts, progress: Progress): Promise<void> {
  let done = 0
  const advance = (bytes: number, what: string): void => {
    done += bytes
    progress.at(done, what)
  }
  for await (const _ of reader.keys()) advance(0, 'keys')
  for await (const _ of reader.rules()) advance(0, 'rules')
  for (const read of [reader.chats, reader.features, reader.network, reader.webhooks]) read()
  for (const { uid, settings, documents } of reader.indexes()) {
    counts.indexes++
    settings()
    if (documents !== null) {
      const place = `Index \`${uid}\``
      const found = await readDocuments(reader, documents, place, (bytes) => advance(bytes, uid))
      counts.documents += found
    }
  }
  for await (const { task, body } of reader.tasks()) {
    counts.tasks++
    if (body !== null) {
      await readDocuments(reader, body, `Task ${task.uid}`, (bytes) => advance(bytes, 'tasks'))
    }
  }
  for await (const _ of reader.batches()) advance(0, 'batches')
}

/** Documents are read like those of a request: the same reader reports their faults. */
async function readDocuments(
  { files }: DumpReader,
  path: string,
  place: string,
  tell: (bytes: number) => void,
): Promise<number> {
  if ((files.sizes.get(path) ?? 0) === 0) return 0
  const intake = createIntake({ kind: 'ndjson' }, () => undefined)
  try {
    for await (const chunk of fileBytes(files.fs, inDump(files, path))) {
      intake.push(chunk)
      tell(chunk.length)
    }
    return intake.finish().documents
  } catch (error) {
    if (!(error instanceof EngineFault)) throw error
    throw new EngineFault(error.code, `${place}: ${error.message}`)
  }
}

export function verdictText(verdict: DumpVerdict): string {
  const { file, isSound, fault, version, indexes, documents, tasks } = verdict
  if (!isSound) return `${file} cannot be imported: ${fault}\n`
  const parts = [
    countOf(indexes, 'index', 'indexes'),
    countOf(documents, 'document'),
    countOf(tasks, 'task'),
  ]
  return `${file} is sound: dump ${version}, ${parts.join(', ')}.\n`
}
