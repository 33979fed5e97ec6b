// A line of `tasks/queue.jsonl`: a task, what it asks for and how it ended. Layout: ./DUMPS.md
import { IdSet } from '../../format/idset/index.ts'
import type { SettingsPatch } from '../settings/index.ts'
import {
  formatMicros,
  type ImportedTask,
  type StagedBody,
  TASK_STATUSES,
  type Task,
  type TaskContent,
  type TaskKind,
  type TaskStatus,
} from '../tasks/index.ts'
import {
  corrupted,
  countOf,
  listOf,
  type Members,
  membersOf,
  textOf,
  textOrNull,
  textsOf,
  uidOf,
  uidOrNull,
} from './dump-error.ts'
import { microsOf, microsOrNull } from './moments.ts'
import { roaringBytes, setOfRoaringBytes } from './roaring-bytes.ts'
import { settingsPatch } from './settings-file.ts'
import {
  dumpedDetails,
  ruleUpdate,
  shownDetails,
  versionParts,
  versionText,
} from './task-details.ts'

/** Type and link of an error, by its code. */
export type DescribeError = (code: string) => { readonly type: string; readonly link: string }

/** `content` null: the log no longer says what the task asked for. */
export function taskLine(
  task: Task,
  content: TaskContent | null,
  describe: DescribeError,
): Members {
  const { error, canceledBy, customMetadata } = task
  const details = dumpedDetails(task.kind, task.details, content)
  return {
    uid: task.uid,
    batchUid: task.batchUid,
    indexUid: task.indexUid,
    status: task.status,
    type: content === null ? typeOfDetails(task) : typeOf(content, task),
    ...(canceledBy === null ? {} : { canceledBy }),
    ...(details === null ? {} : { details }),
    ...(error === null
      ? {}
      : { error: { message: error.message, code: error.code, ...describe(error.code) } }),
    enqueuedAt: formatMicros(task.enqueuedAt),
    ...(task.startedAt === null ? {} : { startedAt: formatMicros(task.startedAt) }),
    ...(task.finishedAt === null ? {} : { finishedAt: formatMicros(task.finishedAt) }),
    ...(customMetadata === null ? {} : { customMetadata }),
  }
}

function typeOf(content: TaskContent, task: Task): unknown {
  switch (content.kind) {
    case 'documentAdditionOrUpdate':
      return {
        documentImport: {
          primary_key: content.primaryKey,
          method: content.method === 'update' ? 'UpdateDocuments' : 'ReplaceDocuments',
          documents_count: content.body.documents,
          allow_index_creation: content.allowIndexCreation,
        },
      }
    case 'documentDeletion':
      if (content.by === 'all') return 'documentClear'
      return content.by === 'ids'
        ? { documentDeletion: { documents_ids: content.ids } }
        : { documentDeletionByFilter: { filter: content.filter } }
    case 'documentEdition': {
      const { filter, context, function: script } = content
      return { documentEdition: { filter, context, function: script } }
    }
    case 'settingsUpdate':
      return {
        settings: {
          settings: content.patch,
          is_deletion: content.isDeletion,
          allow_index_creation: content.allowIndexCreation,
        },
      }
    case 'indexCreation':
      return { indexCreation: { primary_key: content.primaryKey } }
    case 'indexUpdate':
      return { indexUpdate: { primary_key: content.primaryKey, uid: content.newUid } }
    case 'taskCancelation':
    case 'taskDeletion': {
      const tag = content.kind === 'taskDeletion' ? 'tasksDeletion' : content.kind
      return { [tag]: { query: content.query, tasks: roaringBytes(content.targets) } }
    }
    default:
      return typeOfRest(content, task)
  }
}

function typeOfRest(content: TaskContent, task: Task): unknown {
  switch (content.kind) {
    case 'indexSwap':
      return { indexSwap: { swaps: content.swaps } }
    case 'dumpCreation':
      return { dumpCreation: { keys: content.keys, instance_uid: content.instanceUid } }
    case 'export': {
      const { url, apiKey, payloadSize, indexes } = content
      return { export: { url, api_key: apiKey, payload_size: payloadSize, indexes } }
    }
    case 'upgradeDatabase':
      return { upgradeDatabase: { from: versionParts(content.from) } }
    case 'indexCompaction':
      return { indexCompaction: { index_uid: task.indexUid } }
    case 'networkTopologyChange':
      return { networkTopologyChange: content.change }
    case 'dsrUpdate':
      return { dsrUpdate: ruleUpdate(content.uid, content.rule) }
    default:
      return content.kind
  }
}

/** What a finished task must have asked for, as far as its details tell. */
function typeOfDetails(task: Task): unknown {
  const d = task.details ?? {}
  const number = (name: string): number => countOf(d[name])
  const empty = { file: null, inline: null, bytes: 0, documents: number('receivedDocuments') }
  const primaryKey = typeof d['primaryKey'] === 'string' ? d['primaryKey'] : null
  switch (task.kind) {
    case 'documentAdditionOrUpdate':
      return typeOf(importContent('replace', empty, null, true), task)
    case 'documentDeletion': {
      if (!('providedIds' in d)) return 'documentClear'
      const filter = d['originalFilter'] ?? null
      return filter === null
        ? { documentDeletion: { documents_ids: [] } }
        : { documentDeletionByFilter: { filter: JSON.parse(String(filter)) } }
    }
    case 'documentEdition': {
      const filter = d['originalFilter'] ?? null
      const given = { filter: filter === null ? null : JSON.parse(String(filter)) }
      const { context = null, function: script = '' } = d
      return { documentEdition: { ...given, context, function: script } }
    }
    case 'settingsUpdate':
      return { settings: { settings: d, is_deletion: false, allow_index_creation: true } }
    case 'indexCreation':
      return { indexCreation: { primary_key: primaryKey } }
    case 'indexUpdate':
      return { indexUpdate: { primary_key: primaryKey, uid: d['newIndexUid'] ?? null } }
    default:
      return typeOfOtherDetails(task, d)
  }
}

function typeOfOtherDetails(task: Task, d: Members): unknown {
  switch (task.kind) {
    case 'indexSwap':
      return { indexSwap: { swaps: d['swaps'] ?? [] } }
    case 'taskCancelation':
    case 'taskDeletion': {
      const tag = task.kind === 'taskDeletion' ? 'tasksDeletion' : task.kind
      const query = String(d['originalFilter'] ?? '')
      return { [tag]: { query, tasks: roaringBytes(IdSet.empty) } }
    }
    case 'dumpCreation':
      return { dumpCreation: { keys: [], instance_uid: null } }
    case 'export': {
      const { url, payloadSize = null, indexes = {} } = d
      return { export: { url, api_key: null, payload_size: payloadSize, indexes } }
    }
    case 'upgradeDatabase':
      return { upgradeDatabase: { from: versionParts(d['upgradeFrom']) } }
    case 'indexCompaction':
      return { indexCompaction: { index_uid: task.indexUid } }
    case 'networkTopologyChange':
      return { networkTopologyChange: {} }
    case 'dsrUpdate':
      return { dsrUpdate: ruleUpdate('', (d['rule'] as Members | undefined) ?? null) }
    default:
      return task.kind
  }
}

const importContent = (
  method: 'replace' | 'update',
  body: StagedBody,
  primaryKey: string | null,
  allowIndexCreation: boolean,
): TaskContent => ({
  kind: 'documentAdditionOrUpdate',
  method,
  body,
  primaryKey,
  skipCreation: false,
  allowIndexCreation,
})

const KINDS: { readonly [tag: string]: TaskKind } = {
  documentImport: 'documentAdditionOrUpdate',
  documentDeletion: 'documentDeletion',
  documentDeletionByFilter: 'documentDeletion',
  documentClear: 'documentDeletion',
  documentEdition: 'documentEdition',
  settings: 'settingsUpdate',
  indexCreation: 'indexCreation',
  indexUpdate: 'indexUpdate',
  indexDeletion: 'indexDeletion',
  indexSwap: 'indexSwap',
  taskCancelation: 'taskCancelation',
  tasksDeletion: 'taskDeletion',
  dumpCreation: 'dumpCreation',
  snapshotCreation: 'snapshotCreation',
  export: 'export',
  upgradeDatabase: 'upgradeDatabase',
  indexCompaction: 'indexCompaction',
  networkTopologyChange: 'networkTopologyChange',
  dsrUpdate: 'dsrUpdate',
  dsrClear: 'dsrClear',
}

/** Kinds that are about one index, and corrupted without it. */
const OF_AN_INDEX: ReadonlySet<string> = new Set([
  ...['documentImport', 'documentDeletion', 'documentDeletionByFilter', 'documentClear'],
  ...['documentEdition', 'settings', 'indexCreation', 'indexUpdate', 'indexDeletion'],
  'indexCompaction',
])

export type TaskLine = ImportedTask & {
  /** How many documents the body of a waiting import must hold; null: it has none. */
  readonly documents: number | null
}

/** @throws DumpError */
export function readTaskLine(value: unknown, place: string): TaskLine {
  const line = membersOf(value, place)
  const type = line['type']
  const [tag, inner] =
    typeof type === 'string' ? [type, {}] : (Object.entries(membersOf(type, place))[0] ?? ['', {}])
  const kind = Object.hasOwn(KINDS, tag) ? KINDS[tag]! : corrupted(place, 'its type is unknown')
  const members = membersOf(inner, place)
  const indexUid = textOrNull(line['indexUid'], place)
  if (indexUid === null && OF_AN_INDEX.has(tag)) corrupted(place, 'it names no index')
  const status = statusOf(line['status'], place)
  const isWaiting = status === 'enqueued'
  const names = namesOf(tag, members, place)
  const details = shownDetails(kind, line['details'], place)
  const documents =
    isWaiting && tag === 'documentImport' ? countOf(members['documents_count']) : null
  return {
    uid: uidOf(line['uid'], place),
    batchUid: isWaiting ? null : uidOrNull(line['batchUid'], place),
    indexUid,
    status,
    kind,
    canceledBy: uidOrNull(line['canceledBy'], place),
    details: details ?? (NO_DETAILS.has(kind) ? null : {}),
    error: errorOf(line['error'], place),
    enqueuedAt: microsOf(line['enqueuedAt'], place),
    startedAt: isWaiting ? null : microsOrNull(line['startedAt'], place),
    finishedAt: isWaiting ? null : microsOrNull(line['finishedAt'], place),
    customMetadata: textOrNull(line['customMetadata'], place),
    names,
    count: countOf(details?.['receivedDocuments'] ?? details?.['matchedTasks'] ?? 0),
    content: isWaiting ? contentOf(tag, members, place) : null,
    documents,
  }
}

const NO_DETAILS: ReadonlySet<TaskKind> = new Set(['snapshotCreation'])

/** What was running when the dump was made waits again. */
function statusOf(value: unknown, place: string): TaskStatus {
  const status = textOf(value, place) as TaskStatus
  if (!TASK_STATUSES.includes(status)) corrupted(place, 'its status is unknown')
  return status === 'processing' ? 'enqueued' : status
}

function errorOf(value: unknown, place: string): ImportedTask['error'] {
  if (value === undefined || value === null) return null
  const { code, message } = membersOf(value, place)
  return { code: textOf(code, place), message: textOf(message, place) }
}

/** The further indexes that a task names. */
function namesOf(tag: string, members: Members, place: string): readonly string[] {
  if (tag === 'indexSwap') return swapsOf(members, place).flatMap(({ indexes }) => indexes)
  const renamed = tag === 'indexUpdate' ? textOrNull(members['uid'], place) : null
  return renamed === null ? [] : [renamed]
}

function swapsOf(members: Members, place: string) {
  return listOf(members['swaps'], place).map((swap) => {
    const { indexes, rename } = membersOf(swap, place)
    const [left, right, ...more] = textsOf(indexes, place)
    if (left === undefined || right === undefined || more.length > 0) {
      return corrupted(place, 'two indexes are swapped at a time')
    }
    return { indexes: [left, right] as const, rename: rename === true }
  })
}

/** What a waiting task asks for; the body of an import is still to be found. */
function contentOf(tag: string, members: Members, place: string): TaskContent {
  const text = (name: string): string => textOf(members[name], place)
  const optional = (name: string): string | null => textOrNull(members[name], place)
  switch (tag) {
    case 'documentImport': {
      const method = members['method'] === 'UpdateDocuments' ? 'update' : 'replace'
      const body = { file: null, inline: new Uint8Array(0), bytes: 0, documents: 0 }
      const mayCreate = members['allow_index_creation'] !== false
      return importContent(method, body, optional('primary_key'), mayCreate)
    }
    case 'documentDeletion':
      return { kind: tag, by: 'ids', ids: textsOf(members['documents_ids'], place) }
    case 'documentDeletionByFilter':
      return { kind: 'documentDeletion', by: 'filter', filter: members['filter'] ?? null }
    case 'documentClear':
      return { kind: 'documentDeletion', by: 'all' }
    case 'documentEdition': {
      const { filter = null, context = null } = members
      return { kind: tag, filter, context, function: text('function') }
    }
    case 'settings':
      return {
        kind: 'settingsUpdate',
        patch: settingsPatch(members['settings'], place) as SettingsPatch & Members,
        isDeletion: members['is_deletion'] === true,
        allowIndexCreation: members['allow_index_creation'] !== false,
      }
    case 'indexCreation':
      return { kind: tag, primaryKey: optional('primary_key') }
    case 'indexUpdate':
      return { kind: tag, primaryKey: optional('primary_key'), newUid: optional('uid') }
    case 'indexSwap':
      return { kind: tag, swaps: swapsOf(members, place) }
    default:
      return contentOfRest(tag, members, place)
  }
}

function contentOfRest(tag: string, members: Members, place: string): TaskContent {
  switch (tag) {
    case 'taskCancelation':
    case 'tasksDeletion': {
      const kind = tag === 'tasksDeletion' ? 'taskDeletion' : tag
      const targets = setOfRoaringBytes(members['tasks'], place)
      return { kind, query: textOf(members['query'], place), targets }
    }
    case 'dumpCreation': {
      const { keys = [], instance_uid: instanceUid } = members
      return { kind: tag, keys: listOf(keys, place), instanceUid: textOrNull(instanceUid, place) }
    }
    case 'export':
      return {
        kind: tag,
        url: textOf(members['url'], place),
        apiKey: textOrNull(members['api_key'], place),
        payloadSize: textOrNull(members['payload_size'], place),
        indexes: exportPatterns(members['indexes'], place),
      }
    case 'upgradeDatabase':
      return { kind: tag, from: versionText(members['from']), to: versionText(members['from']) }
    case 'networkTopologyChange':
      return { kind: tag, change: members }
    case 'dsrUpdate': {
      const made = members['createOrUpdate'] ?? null
      const { rule_id: uid, update } = membersOf(made ?? Object.values(members)[0], place)
      const rule = made === null ? null : membersOf(update ?? {}, place)
      return { kind: tag, uid: textOf(uid, place), rule }
    }
    case 'indexDeletion':
    case 'indexCompaction':
    case 'snapshotCreation':
    case 'dsrClear':
      return { kind: tag }
    default:
      return corrupted(place, 'its type is unknown')
  }
}

function exportPatterns(value: unknown, place: string) {
  const patterns = Object.entries(membersOf(value ?? {}, place))
  return Object.fromEntries(
    patterns.map(([pattern, one]) => {
      const { filter = null, overrideSettings } = membersOf(one, place)
      return [pattern, { filter, overrideSettings: overrideSettings === true }]
    }),
  )
}
