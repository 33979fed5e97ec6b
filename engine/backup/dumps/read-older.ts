// Reads versions 1 to 5 as the newest one. Missing parts are empty; parts of another form are
// converted (`older-…`). Layouts: ./DUMPS.md
import { asIndexUid, type IndexUid } from '../../../format/ids.ts'
import { uuidOf } from '../../admin/keys/index.ts'
import type { TaskKinds } from '../../write/task-data/index.ts'
import { corrupted, listOf, type Members, membersOf, textOf, textOrNull } from './dump-error.ts'
import type { DumpedKind } from './dump-form.ts'
import type { DumpReader, DumpVersion, ReadIndex, ReadTask } from './dump-reader.ts'
import { readKeyLine } from './key-lines.ts'
import { METADATA } from './layout.ts'
import { INDEX_UID } from './limits.ts'
import { type DumpFiles, linesOf, smallFile, smallValue } from './lines.ts'
import { readMoment } from './moments.ts'
import { newerKey } from './older-keys.ts'
import { newerSettings, settingsOfV1 } from './older-settings.ts'
import { type OlderTask, taskOfEvents, taskOfUpdate, taskOfV1 } from './older-tasks.ts'
import { settingsOf, settingsPatch } from './settings-file.ts'
import { readTaskLine } from './task-lines.ts'

type Older = Exclude<DumpVersion, 'V6'>

/** An index as the dump lists it. */
type Listed = {
  readonly uid: IndexUid
  /** The name of the index in updates of versions 2 and 3. */
  readonly uuid: string
  readonly folder: string
  /** The members of the list itself: version 1. */
  readonly listEntry: Members
}

const UPDATES = 'updates/data.jsonl'
const OLDER_KEYS = 'keys'
const OLDER_INSTANCE_UID = 'instance-uid'

/** @throws DumpError, StorageError */
export async function readOlder(
  files: DumpFiles,
  metadata: Members,
  version: Older,
  kinds: TaskKinds<DumpedKind>,
): Promise<DumpReader> {
  const listed = await listedIndexes(files, metadata, version)
  const tasks = await olderTasks(files, version, listed)
  const { dbVersion, dumpDate } = metadata
  const date = typeof dumpDate === 'string' ? (readMoment(dumpDate)?.micros ?? null) : null
  const spans = spansOf(tasks)
  const indexes = listed.map((one) =>
    version === 'V1' ? indexOfV1(files, one) : indexOf(files, one, spans.get(one.uid), date ?? 0),
  )
  return {
    files,
    version,
    release: textOrNull(dbVersion, METADATA),
    date,
    instanceUid: uuidOf(smallFile(files, OLDER_INSTANCE_UID)?.trim() ?? ''),
    keys: () => keysOf(files),
    chats: () => [],
    tasks: () => readTasks(files, version, tasks, kinds),
    batches: nothing,
    indexes: () => indexes,
    features: () => ({}),
    network: () => null,
    webhooks: () => [],
    rules: nothing,
  }
}

async function* nothing(): AsyncGenerator<never> {
  // Older versions lack this part.
}

async function* keysOf(files: DumpFiles): ReturnType<DumpReader['keys']> {
  if (!files.sizes.has(OLDER_KEYS)) return
  for await (const { value, place } of linesOf(files, OLDER_KEYS)) {
    yield readKeyLine(newerKey(value, place), place)
  }
}

async function listedIndexes(
  files: DumpFiles,
  metadata: Members,
  version: Older,
): Promise<readonly Listed[]> {
  const listed: Listed[] = []
  const add = (
    uid: string,
    uuid: string,
    folder: string,
    listEntry: Members,
    place: string,
  ): void => {
    if (!INDEX_UID.test(uid)) corrupted(place, 'it names no index')
    if (listed.some((one) => one.uid === uid)) corrupted(place, `\`${uid}\` occurs twice`)
    listed.push({ uid: asIndexUid(uid), uuid, folder, listEntry })
  }
  if (version === 'V1') {
    for (const one of listOf(metadata['indexes'] ?? [], METADATA)) {
      const entry = membersOf(one, METADATA)
      const uid = textOf(entry['uid'], METADATA)
      add(uid, uid, uid, entry, METADATA)
    }
    return listed
  }
  const path = 'index_uuids/data.jsonl'
  if (!files.sizes.has(path)) corrupted(`\`${path}\``, 'it is missing')
  for await (const { value, place } of linesOf(files, path)) {
    const entry = membersOf(value, place)
    const inner =
      version === 'V2' || version === 'V3' ? entry : membersOf(entry['index_meta'], place)
    const uuid = uuidOf(textOf(inner['uuid'], place)) ?? corrupted(place, 'a UUID is expected')
    const folder = version === 'V2' ? `indexes/index-${uuid}` : `indexes/${uuid}`
    add(textOf(entry['uid'], place), uuid, folder, {}, place)
  }
  return listed
}

function indexOfV1(files: DumpFiles, { uid, folder, listEntry }: Listed): ReadIndex {
  const at = (name: string): number =>
    typeof listEntry[name] === 'string' ? (readMoment(listEntry[name])?.micros ?? 0) : 0
  return {
    uid,
    primaryKey: textOrNull(listEntry['primaryKey'], METADATA),
    createdAt: at('createdAt'),
    updatedAt: at('updatedAt'),
    ...parts(files, folder, `${folder}/settings.json`, (value) => settingsOfV1(value, METADATA)),
  }
}

function indexOf(
  files: DumpFiles,
  { uid, folder }: Listed,
  span: Span | undefined,
  date: number,
): ReadIndex {
  const meta = `${folder}/meta.json`
  if (!files.sizes.has(meta)) corrupted(`\`${meta}\``, 'it is missing')
  const members = membersOf(smallValue(files, meta), `\`${meta}\``)
  return {
    uid,
    primaryKey: textOrNull(members['primaryKey'] ?? members['primary_key'], `\`${meta}\``),
    createdAt: span?.first ?? date,
    updatedAt: span?.last ?? date,
    ...parts(files, folder, meta, (value) => membersOf(value, meta)['settings']),
  }
}

const parts = (
  files: DumpFiles,
  folder: string,
  path: string,
  settingsIn: (value: unknown) => unknown,
): Pick<ReadIndex, 'settings' | 'documents'> => {
  const documents = `${folder}/documents.jsonl`
  return {
    settings: () => {
      const place = `\`${path}\``
      const given = newerSettings(settingsIn(smallValue(files, path) ?? {}), place)
      return settingsOf(settingsPatch(given, place), place)
    },
    documents: files.sizes.has(documents) ? documents : null,
  }
}

type Span = { readonly first: number; readonly last: number }

/** Older dumps have no creation time of an index: it is derived from the index's tasks. */
function spansOf(tasks: readonly OlderTask[]): Map<string, Span> {
  const spans = new Map<string, Span>()
  for (const { line } of tasks) {
    const { indexUid, enqueuedAt, finishedAt } = line
    if (typeof indexUid !== 'string' || typeof enqueuedAt !== 'string') continue
    const begin = readMoment(enqueuedAt)?.micros ?? 0
    const end = typeof finishedAt === 'string' ? (readMoment(finishedAt)?.micros ?? begin) : begin
    const { first, last } = spans.get(indexUid) ?? { first: begin, last: end }
    spans.set(indexUid, { first: Math.min(first, begin), last: Math.max(last, end) })
  }
  return spans
}

/** Returns tasks in the order of their uids. Large contents are in separate files. */
async function olderTasks(
  files: DumpFiles,
  version: Older,
  listed: readonly Listed[],
): Promise<readonly OlderTask[]> {
  const tasks: OlderTask[] = []
  const add = (task: OlderTask | null): void => void (task === null || tasks.push(task))
  if (version === 'V1') {
    for (const { uid, folder } of listed) {
      const path = `${folder}/updates.jsonl`
      if (!files.sizes.has(path)) continue
      for await (const { value } of linesOf(files, path)) add(taskOfV1(value, uid))
    }
    return tasks
  }
  if (!files.sizes.has(UPDATES)) return tasks
  const uids = new Map(listed.map(({ uuid, uid }) => [uuid, uid]))
  for await (const { value, place } of linesOf(files, UPDATES)) {
    if (version === 'V4' || version === 'V5') {
      add(taskOfEvents(value, place))
      continue
    }
    const { uuid, update } = membersOf(value, place)
    const indexUid = uids.get(uuidOf(String(uuid)) ?? '') ?? null
    if (indexUid !== null) add(taskOfUpdate(update, indexUid))
  }
  return version === 'V4' || version === 'V5' ? byId(tasks) : tasks
}

const byId = (tasks: OlderTask[]): readonly OlderTask[] =>
  tasks.filter(({ id }) => id !== null).sort((a, b) => a.id! - b.id!)

async function* readTasks(
  files: DumpFiles,
  version: Older,
  tasks: readonly OlderTask[],
  kinds: TaskKinds<DumpedKind>,
): AsyncGenerator<ReadTask> {
  let last = -1
  for (const { line, id, payload } of tasks) {
    const uid = Math.max(id ?? last + 1, last + 1)
    last = uid
    const place = `task ${uid}`
    const task = readTaskLine(kinds, { ...line, uid }, place)
    const path = payload === null ? null : payloadOf(version, payload)
    const body = path !== null && files.sizes.has(path) ? path : null
    const isLost = (task.documents ?? 0) > 0 && body === null
    if (isLost) corrupted(place, 'its documents are missing')
    yield { task, body }
  }
}

const payloadOf = (version: Older, uuid: string): string =>
  version === 'V2' ? `updates/update_files/update_${uuid}` : `updates/updates_files/${uuid}`
