// Tasks of older dumps, converted to lines of the newest version. Unreadable tasks are left out: if
// they are finished tasks, no data is lost.
//
//   version 1     updates of one index a file: `type.name`, `status`, dates
//   versions 2, 3 `{uuid, update}`: a status with what it came from, nested or flat; `meta`
//   versions 4, 5 `{id, content, events}`: what was request for, and what happened when
import { asIndexUid, type IndexUid } from '../../../format/ids.ts'
import { isObject } from '../../../format/schema/index.ts'
import { formatMicros } from '../../write/task-data/index.ts'
import { type Members, membersOf } from './dump-error.ts'
import { readMoment } from './moments.ts'
import { newerSettings, patchOfV1 } from './older-settings.ts'

export type OlderTask = {
  /** A line of the newest version without its uid. */
  readonly line: Members
  /** Its uid among all tasks, in version 4 and later; otherwise null. */
  readonly id: number | null
  /** The file of its documents in the dump, or null if it has none. */
  readonly payload: string | null
}

/** The request: the tag and members of `type`, and the details. */
type TaskRequestParts = {
  readonly type: unknown
  readonly details: Members
  readonly payload: string | null
  readonly index: string | null
}

type Ending = {
  readonly status: 'enqueued' | 'succeeded' | 'failed'
  readonly enqueuedAt: unknown
  readonly startedAt: unknown
  readonly finishedAt: unknown
  readonly error: unknown
}

const NOWHEN = '1970-01-01T00:00:00Z'

const tagOf = (value: unknown): readonly [tag: string, inner: Members] => {
  if (typeof value === 'string') return [value, {}]
  const [tag, inner] = Object.entries(isObject(value) ? value : {})[0] ?? ['', {}]
  return [tag, isObject(inner) ? inner : { value: inner }]
}

/** Reads versions 4 and 5; returns null if it is not a task of an index. */
export function taskOfEvents(value: unknown, place: string): OlderTask | null {
  const { id, index_uid: index, content, events } = membersOf(value, place)
  let ending = endingOfEvents(Array.isArray(events) ? events : [])
  const request = requestOfContent(content, ending.status, resultOf(events))
  if (request === null) return null
  // This dump was created by that task, so the task counts as succeeded.
  if (tagOf(content)[0] === 'Dump' && ending.status === 'enqueued') ending = succeededAtOnce(ending)
  const named = request.index ?? (typeof index === 'string' ? index : null)
  const indexUid = named === null ? null : asIndexUid(named)
  return {
    line: lineOf(request, ending, indexUid),
    id: Number.isInteger(id) ? (id as number) : null,
    payload: ending.status === 'enqueued' ? request.payload : null,
  }
}

function succeededAtOnce(ending: Ending): Ending {
  const at = ending.startedAt ?? ending.enqueuedAt
  return { ...ending, status: 'succeeded', startedAt: at, finishedAt: at }
}

function endingOfEvents(events: readonly unknown[]): Ending {
  let ending: Ending = {
    status: 'enqueued',
    enqueuedAt: NOWHEN,
    startedAt: null,
    finishedAt: null,
    error: null,
  }
  for (const event of events) {
    const [tag, { value, timestamp, error }] = tagOf(event)
    const at = typeof value === 'string' ? value : timestamp
    if (tag === 'Created') ending = { ...ending, enqueuedAt: at }
    else if (tag === 'Processing') ending = { ...ending, startedAt: at }
    else if (tag === 'Succeded' || tag === 'Succeeded') {
      ending = { ...ending, status: 'succeeded', finishedAt: at }
    } else if (tag === 'Failed') ending = { ...ending, status: 'failed', finishedAt: at, error }
  }
  return ending
}

/** Returns the counts of a success. */
function resultOf(events: unknown): Members {
  for (const event of Array.isArray(events) ? events : []) {
    const [tag, { result }] = tagOf(event)
    if (tag === 'Succeded' || tag === 'Succeeded') return tagOf(result)[1]
  }
  return {}
}

function requestOfContent(
  content: unknown,
  status: string,
  result: Members,
): TaskRequestParts | null {
  const [tag, inner] = tagOf(content)
  const index = typeof inner['index_uid'] === 'string' ? inner['index_uid'] : null
  const has = (request: Omit<TaskRequestParts, 'index' | 'payload'>): TaskRequestParts => ({
    ...request,
    index,
    payload: null,
  })
  switch (tag) {
    case 'DocumentAddition':
      return { ...addition(inner, status, result), index }
    case 'DocumentDeletion': {
      const [how, { value }] = tagOf(inner['deletion'] ?? inner['value'] ?? inner)
      return has(how === 'Ids' ? deletion(value, result) : cleared('documentClear', result))
    }
    case 'SettingsUpdate': {
      const settings = newerSettings(inner['settings'], 'settings')
      const { is_deletion, allow_index_creation } = inner
      return has({
        type: { settings: { settings, is_deletion, allow_index_creation } },
        details: { SettingsUpdate: { settings } },
      })
    }
    case 'Dump':
      return has({
        type: { dumpCreation: { keys: [], instance_uid: null } },
        details: { Dump: { dump_uid: inner['uid'] ?? inner['value'] ?? null } },
      })
    case 'IndexDeletion':
      return has(cleared('indexDeletion', result))
    case 'IndexCreation':
    case 'IndexUpdate': {
      const primary = inner['primary_key'] ?? null
      const name = tag === 'IndexCreation' ? 'indexCreation' : 'indexUpdate'
      return has({
        type: { [name]: { primary_key: primary } },
        details: { IndexInfo: { primary_key: primary } },
      })
    }
    default:
      return null
  }
}

function addition(
  inner: Members,
  status: string,
  result: Members,
): Omit<TaskRequestParts, 'index'> {
  const received = inner['documents_count'] ?? 0
  const indexed = { succeeded: result['indexed_documents'] ?? received, failed: 0 }[status] ?? null
  const method = inner['merge_strategy'] ?? inner['method']
  return {
    type: {
      documentImport: {
        primary_key: inner['primary_key'] ?? inner['primaryKey'] ?? null,
        method: method === 'UpdateDocuments' ? method : 'ReplaceDocuments',
        documents_count: received,
        allow_index_creation: inner['allow_index_creation'] ?? true,
      },
    },
    details: {
      DocumentAdditionOrUpdate: { received_documents: received, indexed_documents: indexed },
    },
    payload: typeof inner['content_uuid'] === 'string' ? inner['content_uuid'] : null,
  }
}

const deletion = (ids: unknown, result: Members) => {
  const all = Array.isArray(ids) ? ids.map(String) : []
  const deleted = result['deleted_documents'] ?? null
  return {
    type: { documentDeletion: { documents_ids: all } },
    details: { DocumentDeletion: { provided_ids: all.length, deleted_documents: deleted } },
  }
}

const cleared = (type: string, result: Members) => ({
  type,
  details: { ClearAll: { deleted_documents: result['deleted_documents'] ?? null } },
})

function lineOf(request: TaskRequestParts, ending: Ending, indexUid: IndexUid | null): Members {
  const { status, enqueuedAt, startedAt, finishedAt, error } = ending
  const isOver = status !== 'enqueued'
  return {
    batchUid: null,
    indexUid,
    status,
    type: request.type,
    details: request.details,
    ...(status === 'failed' ? { error: errorOf(error) } : {}),
    enqueuedAt: dateOr(enqueuedAt, NOWHEN),
    ...(isOver ? { startedAt: dateOr(startedAt, dateOr(enqueuedAt, NOWHEN)) } : {}),
    ...(isOver ? { finishedAt: dateOr(finishedAt, dateOr(enqueuedAt, NOWHEN)) } : {}),
  }
}

const dateOr = (value: unknown, otherwise: string): string =>
  typeof value === 'string' ? value : otherwise

function errorOf(value: unknown): Members {
  const told = isObject(value) ? value : { message: value }
  const code = told['code'] ?? told['errorCode'] ?? told['error_code']
  return {
    code: typeof code === 'string' ? code : 'internal',
    message: typeof told['message'] === 'string' ? told['message'] : 'The task failed.',
  }
}

/** Reads versions 2 and 3. `indexUid`: the index of the update's uuid. */
export function taskOfUpdate(value: unknown, indexUid: IndexUid | null): OlderTask | null {
  if (!isObject(value)) return null
  const flat = flattened(value)
  const ending = endingOfUpdate(flat)
  if (ending === null) return null
  const { meta } = flat
  const request = requestOfMeta(meta, flat, ending.status)
  if (request === null) return null
  const payload = ending.status === 'enqueued' ? request.payload : null
  return { line: lineOf(request, ending, indexUid), id: null, payload }
}

/** A status holds the previous one, as `from` or among its members. */
function flattened(update: Members): Members {
  const { from, ...own } = update
  return isObject(from) ? { ...flattened(from), ...own } : own
}

function endingOfUpdate(flat: Members): Ending | null {
  const { enqueuedAt, processedAt, failedAt, startedProcessingAt: startedAt = null, error } = flat
  const times = { enqueuedAt, startedAt, error }
  switch (flat['status']) {
    case 'processed':
      return { ...times, status: 'succeeded', finishedAt: processedAt }
    case 'failed':
      return { ...times, status: 'failed', finishedAt: failedAt ?? processedAt }
    case 'enqueued':
    case 'processing':
      return { ...times, status: 'enqueued', finishedAt: null }
    default:
      return null
  }
}

function requestOfMeta(meta: unknown, flat: Members, status: string): TaskRequestParts | null {
  const named = isObject(meta) && typeof meta['type'] === 'string'
  const [tag, inner] = named ? [meta['type'] as string, meta] : tagOf(meta)
  const success = tagOf(flat['success'])[1]
  const result = {
    indexed_documents: success['number_of_documents'] ?? success['nb_documents'],
    deleted_documents: success['deleted'],
  }
  const has = (request: Omit<TaskRequestParts, 'index' | 'payload'>): TaskRequestParts => ({
    ...request,
    index: null,
    payload: null,
  })
  switch (tag) {
    case 'DocumentsAddition':
    case 'DocumentAddition': {
      const made = addition(inner, status, result)
      const path = typeof flat['content'] === 'string' ? flat['content'] : null
      const counted = { ...made, payload: made.payload ?? uuidIn(path) }
      return { ...counted, index: null }
    }
    case 'ClearDocuments':
      return has(cleared('documentClear', result))
    case 'DeleteDocuments':
      return has(deletion(inner['ids'] ?? inner['value'], result))
    case 'Settings': {
      const { type: _, ...given } = inner
      const settings = newerSettings(given, 'settings')
      return has({
        type: { settings: { settings, is_deletion: false, allow_index_creation: true } },
        details: { SettingsUpdate: { settings } },
      })
    }
    default:
      return null
  }
}

const UUID = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/
const uuidIn = (text: string | null): string | null => UUID.exec(text ?? '')?.[0] ?? null

type V1Kind = (count: unknown, settings: unknown) => Omit<TaskRequestParts, 'index' | 'payload'>
const V1_KINDS: { readonly [name: string]: V1Kind } = {
  ClearAll: () => cleared('documentClear', {}),
  DocumentsAddition: (count) => v1Addition('ReplaceDocuments', count),
  DocumentsPartial: (count) => v1Addition('UpdateDocuments', count),
  DocumentsDeletion: (count) => ({
    type: { documentDeletion: { documents_ids: [] } },
    details: { DocumentDeletion: { provided_ids: count ?? 0, deleted_documents: count ?? 0 } },
  }),
  Settings: (_, change) => {
    const settings = patchOfV1(change)
    return {
      type: { settings: { settings, is_deletion: false, allow_index_creation: true } },
      details: { SettingsUpdate: { settings } },
    }
  },
}

const v1Addition = (merge_strategy: string, documents_count: unknown) =>
  addition({ merge_strategy, documents_count: documents_count ?? 0 }, 'succeeded', {})

/** Reads version 1; waiting and synthetic updates are left out. */
export function taskOfV1(value: unknown, indexUid: IndexUid): OlderTask | null {
  if (!isObject(value)) return null
  const { status, type, error } = value
  const { name, number, settings } = isObject(type) ? type : { name: type }
  const kind = V1_KINDS[String(name)]
  const isOver = status === 'processed' || status === 'failed'
  if (kind === undefined || !isOver) return null
  const { enqueuedAt, processedAt: finishedAt, duration } = value
  const startedAt = before(finishedAt, duration)
  const ended = status === 'processed' ? 'succeeded' : 'failed'
  const ending: Ending = { status: ended, enqueuedAt, startedAt, finishedAt, error: value }
  const failure = ended === 'failed' ? { message: error, code: value['errorCode'] } : null
  const request = { ...kind(number, settings), index: null, payload: null }
  return { line: lineOf(request, { ...ending, error: failure }, indexUid), id: null, payload: null }
}

/** Returns the moment that many seconds before another one, or null if either is missing. */
function before(moment: unknown, seconds: unknown): string | null {
  const end = typeof moment === 'string' ? readMoment(moment) : null
  if (end === null || typeof seconds !== 'number' || !(seconds >= 0)) return null
  const micros = end.micros - Math.round(seconds * 1e6)
  return micros >= 0 ? formatMicros(micros, end.nanos) : null
}
