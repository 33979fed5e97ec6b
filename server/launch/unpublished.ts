// Saves the writes that an instance has accepted and that no other instance can have, because
// another one took the writer lease before they were published: the requests, as they can be sent
// again.
//
//   unpublished/term-0000007/requests.ndjson   a line for each write, in their order
//   unpublished/term-0000007/000012.body       the body of the request of task 12

import { join, resolve } from 'node:path'
import { type Engine, type FileSystem, formatMicros, NO_FILTER } from '../../engine/index.ts'
import { UNPUBLISHED, UNPUBLISHED_LIST } from '../../engine/inspect.ts'
import { encoder } from '../../format/bytes/index.ts'
import { asTaskUid, type TaskUid } from '../../format/ids.ts'
import { requestOf } from '../network/writes/index.ts'

/** A line of the list. `method` and what follows are absent if the request cannot be sent again. */
type SavedRequest = {
  readonly task: number
  readonly type: string
  readonly status: string
  readonly enqueuedAt: string
  readonly method?: string
  readonly path?: string
  readonly contentType?: string
  /** The file of the body, in the same folder. */
  readonly body?: string
}

export type SavedWrites = { readonly file: string; readonly requests: number }

/**
 * Saves the requests of all tasks from `from` on, durably; returns null without such tasks.
 * `term`: the term in which they were accepted. @throws StorageError
 */
export async function saveUnpublished(
  engine: Pick<Engine, 'tasks' | 'replication'>,
  fs: FileSystem,
  dbPath: string,
  term: number,
  from: number,
): Promise<SavedWrites | null> {
  const page = { from: null, limit: 1, reverse: false }
  const last = (await engine.tasks.list(NO_FILTER, page, null)).results[0]?.uid ?? -1
  if (last < from) return null
  const folder = `${UNPUBLISHED}/term-${String(term).padStart(7, '0')}`
  await fs.removeTreeAsync(folder)
  fs.makeDirectory(UNPUBLISHED)
  fs.makeDirectory(folder)
  let requests = 0
  let at = 0
  const list = await fs.openAsync(`${folder}/${UNPUBLISHED_LIST}`, 'create')
  try {
    for (let uid = from; uid <= last; uid++) {
      const saved = await saveOne(engine, fs, folder, asTaskUid(uid))
      if (saved === null) continue
      requests++
      const line = encoder.encode(`${JSON.stringify(saved)}\n`)
      await list.writeAsync(at, line)
      at += line.length
    }
    await list.syncAsync()
  } finally {
    list.close()
  }
  for (const parent of [folder, UNPUBLISHED, '']) await fs.syncDirectoryAsync(parent)
  return { file: join(resolve(dbPath), folder, UNPUBLISHED_LIST), requests }
}

async function saveOne(
  engine: Pick<Engine, 'tasks' | 'replication'>,
  fs: FileSystem,
  folder: string,
  uid: TaskUid,
): Promise<SavedRequest | null> {
  const task = await engine.tasks.get(uid, null)
  if (task === null) return null
  const { kind: type, status } = task
  const facts = { task: uid, type, status, enqueuedAt: formatMicros(task.enqueuedAt) }
  const sent = await engine.replication.sentTask(uid)
  const request = sent === null ? null : requestOf(sent)
  if (request === null) return facts
  const { method, path, body, headers } = request
  const again = { ...facts, method, path }
  if (body === null) return again
  const name = `${String(uid).padStart(6, '0')}.body`
  await writeFile(fs, `${folder}/${name}`, body)
  return { ...again, contentType: headers['content-type'] ?? 'application/json', body: name }
}

async function writeFile(fs: FileSystem, path: string, bytes: Uint8Array): Promise<void> {
  const file = await fs.openAsync(path, 'create')
  try {
    await file.writeAsync(0, bytes)
    await file.syncAsync()
  } finally {
    file.close()
  }
}
