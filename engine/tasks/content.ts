// What a task asks for, as the members of its record and back. Layout: format/tasks/TASKS.md
//
// Records are written by us, but read after years and by other builds: everything is checked on the
// way in.
import { refuse } from '../../format/errors.ts'
import { decodeIdSet, encodeIdSet } from '../../format/idset/index.ts'
import {
  DELETION_BITS,
  DELETION_SHIFT,
  type EnqueuedRecord,
  type EnqueuedView,
  FLAG_MAY_CREATE,
  FLAG_RESET,
  FLAG_SKIP_CREATION,
  FLAG_UPDATE,
  jsonOf,
  textOf,
} from '../../format/tasks/index.ts'
import { KIND, kindOf } from './kinds.ts'
import type { Micros, StagedBody, TaskContent, TaskDetails, TaskRequest } from './types.ts'

const SECTION = 'task content'
export const DELETES_IDS = 0
export const DELETES_FILTER = 1
export const DELETES_ALL = 2

type Members = Pick<
  EnqueuedRecord,
  'flags' | 'count' | 'bodyBytes' | 'bodyFile' | 'primaryKey' | 'names' | 'content' | 'inline'
>
const NOTHING: Members = {
  flags: 0,
  count: 0,
  bodyBytes: 0,
  bodyFile: null,
  primaryKey: null,
  names: [],
  content: null,
  inline: null,
}

export const recordOfRequest = (
  uid: number,
  enqueuedAt: Micros,
  request: TaskRequest,
): EnqueuedRecord => ({
  kind: KIND[request.content.kind],
  uid,
  enqueuedAt,
  index: request.indexUid,
  metadata: request.customMetadata,
  ...membersOf(request.content),
})

function membersOf(content: TaskContent): Members {
  switch (content.kind) {
    case 'documentAdditionOrUpdate':
      return importMembers(content)
    case 'documentDeletion':
      return deletionMembers(content)
    case 'settingsUpdate': {
      const flags = flag(content.isDeletion, FLAG_RESET)
      const mayCreate = flag(content.allowIndexCreation, FLAG_MAY_CREATE)
      return { ...NOTHING, flags: flags | mayCreate, content: JSON.stringify(content.patch) }
    }
    case 'indexCreation':
      return { ...NOTHING, primaryKey: content.primaryKey }
    case 'indexUpdate': {
      const names = content.newUid === null ? [] : [content.newUid]
      return { ...NOTHING, primaryKey: content.primaryKey, names }
    }
    case 'indexSwap': {
      const names = content.swaps.flatMap((swap) => swap.indexes)
      return { ...NOTHING, names, content: JSON.stringify(content.swaps.map((s) => s.rename)) }
    }
    case 'taskCancelation':
    case 'taskDeletion': {
      const { query, targets } = content
      const inline = encodeIdSet(targets)
      return { ...NOTHING, count: targets.size, content: JSON.stringify({ query }), inline }
    }
    case 'documentEdition':
    case 'dumpCreation':
    case 'export':
    case 'upgradeDatabase':
    case 'networkTopologyChange':
    case 'dsrUpdate': {
      const { kind: _, ...rest } = content
      return { ...NOTHING, content: JSON.stringify(rest) }
    }
    default:
      return NOTHING
  }
}

function importMembers(
  content: Extract<TaskContent, { kind: 'documentAdditionOrUpdate' }>,
): Members {
  const { body } = content
  return {
    ...NOTHING,
    flags:
      flag(content.method === 'update', FLAG_UPDATE) |
      flag(content.skipCreation, FLAG_SKIP_CREATION) |
      flag(content.allowIndexCreation, FLAG_MAY_CREATE),
    count: body.documents,
    bodyBytes: body.bytes,
    bodyFile: body.file,
    primaryKey: content.primaryKey,
    inline: body.inline,
  }
}

function deletionMembers(content: Extract<TaskContent, { kind: 'documentDeletion' }>): Members {
  if (content.by === 'all') return { ...NOTHING, flags: DELETES_ALL << DELETION_SHIFT }
  if (content.by === 'filter') {
    const filter = JSON.stringify(content.filter ?? null)
    return { ...NOTHING, flags: DELETES_FILTER << DELETION_SHIFT, content: filter }
  }
  return { ...NOTHING, count: content.ids.length, content: JSON.stringify(content.ids) }
}

const flag = (set: boolean, bit: number): number => (set ? bit : 0)

/** What a deletion of documents goes by, from its flags. */
export const deletesBy = (flags: number): number => (flags & DELETION_BITS) >>> DELETION_SHIFT

/**
 * The content of a decoded record. An inline body is a view of the record's bytes.
 * @throws CorruptionError
 */
export function contentOfRecord(view: EnqueuedView): TaskContent {
  const kind = kindOf(view.kind)
  switch (kind) {
    case 'documentAdditionOrUpdate':
      return importOf(view)
    case 'documentDeletion':
      return deletionOf(view)
    case 'settingsUpdate':
      return {
        kind,
        patch: objectOf(jsonOfMember(view)),
        isDeletion: (view.flags & FLAG_RESET) !== 0,
        allowIndexCreation: (view.flags & FLAG_MAY_CREATE) !== 0,
      }
    case 'indexCreation':
      return { kind, primaryKey: optionalText(view.primaryKey) }
    case 'indexUpdate':
      if (view.names.length > 1) bad('at most one new name', view.names.length)
      return {
        kind,
        primaryKey: optionalText(view.primaryKey),
        newUid: optionalText(view.names[0] ?? null),
      }
    case 'indexSwap':
      return { kind, swaps: swapsOf(view) }
    case 'taskCancelation':
    case 'taskDeletion':
      return {
        kind,
        query: stringOf(objectOf(jsonOfMember(view))['query']),
        targets: decodeIdSet(view.inline ?? bad('targets', 'none')),
      }
    case 'documentEdition':
    case 'export':
    case 'upgradeDatabase':
    case 'networkTopologyChange':
    case 'dsrUpdate':
      return otherOf(kind, objectOf(jsonOfMember(view)))
    case 'dumpCreation':
      return dumpOf(view.content === null ? {} : objectOf(jsonOf(view.content)))
    case undefined:
      return bad('a kind of task', view.kind)
    default:
      return { kind }
  }
}

/** Earlier releases wrote nothing of a dump. */
const dumpOf = ({ keys, instanceUid }: TaskDetails): TaskContent => ({
  kind: 'dumpCreation',
  keys: arrayOf(keys ?? []),
  instanceUid: nullOrString(instanceUid ?? null),
})

function importOf(view: EnqueuedView): TaskContent {
  const { bodyFile: file, inline, bodyBytes: bytes, count: documents } = view
  if ((file === null) === (inline === null)) bad('one body', file === null ? 'none' : 'two')
  if (inline !== null && inline.length !== bytes) bad(`${bytes} body bytes`, inline.length)
  const body: StagedBody = { file, inline, bytes, documents }
  return {
    kind: 'documentAdditionOrUpdate',
    method: (view.flags & FLAG_UPDATE) !== 0 ? 'update' : 'replace',
    body,
    primaryKey: optionalText(view.primaryKey),
    skipCreation: (view.flags & FLAG_SKIP_CREATION) !== 0,
    allowIndexCreation: (view.flags & FLAG_MAY_CREATE) !== 0,
  }
}

function deletionOf(view: EnqueuedView): TaskContent {
  const kind = 'documentDeletion'
  const by = deletesBy(view.flags)
  if (by === DELETES_ALL) return { kind, by: 'all' }
  if (by === DELETES_FILTER) return { kind, by: 'filter', filter: jsonOfMember(view) }
  if (by !== DELETES_IDS) bad('a way to delete', by)
  const ids = arrayOf(jsonOfMember(view)).map(stringOf)
  if (ids.length !== view.count) bad(`${view.count} ids`, ids.length)
  return { kind, by: 'ids', ids }
}

function swapsOf(view: EnqueuedView): Extract<TaskContent, { kind: 'indexSwap' }>['swaps'] {
  const renames = arrayOf(jsonOfMember(view)).map(booleanOf)
  if (view.names.length !== renames.length * 2) bad(renames.length * 2, view.names.length)
  return renames.map((rename, i) => ({
    indexes: [textOf(view.names[i * 2]!), textOf(view.names[i * 2 + 1]!)],
    rename,
  }))
}

type Other =
  | 'documentEdition'
  | 'export'
  | 'upgradeDatabase'
  | 'networkTopologyChange'
  | 'dsrUpdate'

function otherOf(kind: Other, value: { readonly [member: string]: unknown }): TaskContent {
  const text = (member: string): string => stringOf(value[member])
  if (kind === 'documentEdition') {
    const { filter, context } = value
    const exact = value['contextText'] === undefined ? {} : { contextText: text('contextText') }
    const given = { filter: filter ?? null, context: context ?? null, ...exact }
    return { kind, ...given, function: text('function') }
  }
  if (kind === 'upgradeDatabase') return { kind, from: text('from'), to: text('to') }
  if (kind === 'networkTopologyChange') return { kind, change: value['change'] ?? null }
  if (kind === 'dsrUpdate') {
    const { rule } = value
    return { kind, uid: text('uid'), rule: rule === null ? null : objectOf(rule) }
  }
  return {
    kind,
    url: text('url'),
    apiKey: nullOrString(value['apiKey']),
    payloadSize: nullOrString(value['payloadSize']),
    indexes: Object.fromEntries(
      Object.entries(objectOf(value['indexes'])).map(([pattern, one]) => {
        const { filter, overrideSettings } = objectOf(one)
        return [pattern, { filter: filter ?? null, overrideSettings: booleanOf(overrideSettings) }]
      }),
    ),
  }
}

const jsonOfMember = (view: EnqueuedView): unknown => jsonOf(view.content ?? bad('content', 'none'))

const optionalText = (bytes: Uint8Array | null): string | null =>
  bytes === null ? null : textOf(bytes)

function objectOf(value: unknown): TaskDetails {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) bad('an object', value)
  return value as TaskDetails
}
const arrayOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : bad('an array', value)
const stringOf = (value: unknown): string =>
  typeof value === 'string' ? value : bad('a string', value)
const nullOrString = (value: unknown): string | null => (value === null ? null : stringOf(value))
const booleanOf = (value: unknown): boolean =>
  typeof value === 'boolean' ? value : bad('a boolean', value)

function bad(expected: string | number, got: unknown): never {
  return refuse(SECTION, 0, 'bad_value', expected, typeof got === 'number' ? got : typeof got)
}
