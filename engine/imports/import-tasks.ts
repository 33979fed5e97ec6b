// Imports the tasks and batches of a dump into the task log, waiting imports with their bodies.

import { BRACKET, SPACE } from '../../format/bytes/index.ts'
import { DumpError, type DumpReader, inDump, type ReadTask } from '../backup/dumps/index.ts'
import { EngineFault } from '../model/index.ts'
import { type FileSystem, fileBytes } from '../store/storage/index.ts'
import type { Bodies, BodyReceiver } from '../write/bodies/index.ts'
import type { StagedBody, TaskKinds } from '../write/task-data/index.ts'
import type { ImportedTask, TaskLogWriter } from '../write/tasks/index.ts'
import type { ImportProgress } from './imports.ts'

export type ImportTasksParts = {
  readonly reader: DumpReader
  readonly writer: TaskLogWriter
  readonly bodies: Bodies
  readonly kinds: TaskKinds
  readonly fs: FileSystem
  readonly progress: (progress: ImportProgress) => void
}

/** Number of tasks between two reports of progress. */
const STRIDE = 1024

/** @throws DumpError, StorageError */
export async function importTasks(parts: ImportTasksParts): Promise<void> {
  const { reader, writer, progress } = parts
  let done = 0
  for await (const read of reader.tasks()) {
    await writer.task(await withBody(parts, read))
    if (++done % STRIDE === 0) progress({ step: 'tasks', done, total: read.task.uid + 1 })
  }
  for await (const batch of reader.batches()) await writer.batch(batch)
  await writer.finish()
}

async function withBody(
  { kinds, reader, bodies, fs }: ImportTasksParts,
  { task: { documents: _, ...task }, body: path }: ReadTask,
): Promise<ImportedTask> {
  const { content } = task
  const size = path === null ? 0 : (reader.files.sizes.get(path) ?? 0)
  const kind = content === null ? null : kinds.named(content.kind)
  if (content === null || kind?.withBody === undefined || path === null || size === 0) return task
  const body = await staged(bodies, fileBytes(fs, inDump(reader.files, path)), path)
  return { ...task, content: kind.withBody(content, body) }
}

/** Bodies of the oldest versions may be one list of documents. */
const isList = (chunk: Uint8Array): boolean => chunk.find((byte) => byte > SPACE) === BRACKET

async function staged(
  bodies: Bodies,
  chunks: AsyncIterable<Uint8Array>,
  path: string,
): Promise<StagedBody> {
  let receiver: BodyReceiver | null = null
  try {
    for await (const chunk of chunks) {
      receiver ??= bodies.receive({ kind: isList(chunk) ? 'json' : 'ndjson' })
      await receiver.write(chunk)
    }
    receiver ??= bodies.receive({ kind: 'ndjson' })
    return (await receiver.finish()).take()
  } catch (error) {
    if (!(error instanceof EngineFault)) throw error
    throw new DumpError(`Corrupted dump: \`${path}\`: ${error.message}`)
  }
}
