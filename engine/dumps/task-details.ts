// The details of tasks: as clients see them, and as dumps keep them: a tag, and members in snake
// case. Layout: ./DUMPS.md
import { detailsOf, maskSecret, type SettingsPatch } from '../settings/index.ts'
import { formatBytes, type TaskContent, type TaskDetails, type TaskKind } from '../tasks/index.ts'
import { type Members, membersOf } from './dump-error.ts'

/** What a dump says of a task's details; null: its kind has none. */
export function dumpedDetails(
  kind: TaskKind,
  details: TaskDetails | null,
  content: TaskContent | null,
): Members | null {
  const d = details ?? {}
  switch (kind) {
    case 'documentAdditionOrUpdate':
      return { DocumentAdditionOrUpdate: snake(d, ['receivedDocuments', 'indexedDocuments']) }
    case 'documentDeletion':
      return dumpedDeletion(d)
    case 'documentEdition':
      return {
        DocumentEdition: snake(d, [
          ...['deletedDocuments', 'editedDocuments', 'originalFilter', 'context', 'function'],
        ]),
      }
    case 'settingsUpdate':
      return {
        SettingsUpdate: { settings: content?.kind === 'settingsUpdate' ? content.patch : d },
      }
    case 'indexCreation':
    case 'indexUpdate':
      return { IndexInfo: snake(d, ['primaryKey', 'newIndexUid', 'oldIndexUid']) }
    case 'indexDeletion':
    case 'dsrClear':
      return { ClearAll: snake(d, ['deletedDocuments']) }
    case 'indexSwap':
      return { IndexSwap: { swaps: d['swaps'] ?? [] } }
    case 'taskCancelation':
      return { TaskCancelation: snake(d, ['matchedTasks', 'canceledTasks', 'originalFilter']) }
    case 'taskDeletion':
      return { TaskDeletion: snake(d, ['matchedTasks', 'deletedTasks', 'originalFilter']) }
    case 'dumpCreation':
      return { Dump: snake(d, ['dumpUid']) }
    default:
      return dumpedRest(kind, d, content)
  }
}

function dumpedRest(kind: TaskKind, d: TaskDetails, content: TaskContent | null): Members | null {
  switch (kind) {
    case 'export':
      return { Export: snake(d, ['url', 'apiKey', 'payloadSize', 'indexes']) }
    case 'upgradeDatabase':
      return {
        UpgradeDatabase: {
          from: versionParts(d['upgradeFrom']),
          to: versionParts(d['upgradeTo']),
        },
      }
    case 'indexCompaction':
      return {
        IndexCompaction: {
          index_uid: '',
          ...snake(d, ['preCompactionSize', 'postCompactionSize']),
        },
      }
    case 'networkTopologyChange':
      return { NetworkTopologyChange: snake(d, ['movedDocuments', 'message']) }
    case 'dsrUpdate': {
      const uid = content?.kind === 'dsrUpdate' ? content.uid : ''
      return { DsrUpdate: ruleUpdate(uid, (d['rule'] as Members | undefined) ?? null) }
    }
    default:
      return null
  }
}

/** `rule` null: the rule goes. */
export const ruleUpdate = (uid: string, rule: Members | null): Members =>
  rule === null ? { delete: { rule_id: uid } } : { createOrUpdate: { rule_id: uid, update: rule } }

function dumpedDeletion(d: TaskDetails): Members {
  if (!('providedIds' in d)) return { ClearAll: snake(d, ['deletedDocuments']) }
  if ((d['originalFilter'] ?? null) === null) {
    return { DocumentDeletion: snake(d, ['providedIds', 'deletedDocuments']) }
  }
  return { DocumentDeletionByFilter: snake(d, ['originalFilter', 'deletedDocuments']) }
}

const SNAKE = /[A-Z]/g
const snake = (d: TaskDetails, names: readonly string[]): Members =>
  Object.fromEntries(
    names.map((name) => [name.replace(SNAKE, (c) => `_${c.toLowerCase()}`), d[name] ?? null]),
  )

/** `v1.12.0` → [1, 12, 0] */
export const versionParts = (text: unknown): readonly number[] =>
  (/^v?(\d+)\.(\d+)\.(\d+)/.exec(String(text)) ?? ['', '0', '0', '0']).slice(1, 4).map(Number)

export const versionText = (parts: unknown): string =>
  Array.isArray(parts) ? `v${parts.map(Number).join('.')}` : 'v0.0.0'

/** What clients are shown, from what a dump says; null where it says nothing. */
export function shownDetails(kind: TaskKind, value: unknown, place: string): TaskDetails | null {
  if (value === undefined || value === null) return null
  const [tag, inner] = Object.entries(membersOf(value, place))[0] ?? []
  const d = membersOf(inner ?? {}, place)
  const camel = (...names: string[]): TaskDetails =>
    Object.fromEntries(
      names.map((name) => [name.replace(/_(.)/g, (_, c) => c.toUpperCase()), d[name] ?? null]),
    )
  switch (tag) {
    case 'DocumentAdditionOrUpdate':
      return camel('received_documents', 'indexed_documents')
    case 'SettingsUpdate':
      return detailsOf(membersOf(d['settings'] ?? {}, place) as SettingsPatch)
    case 'IndexInfo':
      return indexInfo(kind, d, camel)
    case 'DocumentDeletion':
      return { ...camel('provided_ids', 'deleted_documents'), originalFilter: null }
    case 'DocumentDeletionByFilter':
      return { providedIds: 0, ...camel('deleted_documents', 'original_filter') }
    case 'DocumentEdition':
      return camel(
        ...['edited_documents', 'deleted_documents', 'original_filter', 'context', 'function'],
      )
    case 'ClearAll':
      return camel('deleted_documents')
    case 'TaskCancelation':
      return camel('matched_tasks', 'canceled_tasks', 'original_filter')
    case 'TaskDeletion':
      return camel('matched_tasks', 'deleted_tasks', 'original_filter')
    case 'Dump':
      return camel('dump_uid')
    case 'IndexSwap':
      return camel('swaps')
    default:
      return shownRest(tag, d)
  }
}

function indexInfo(
  kind: TaskKind,
  d: Members,
  camel: (...names: string[]) => TaskDetails,
): TaskDetails {
  const isRename = kind === 'indexUpdate' && (d['new_index_uid'] ?? null) !== null
  return isRename ? camel('primary_key', 'old_index_uid', 'new_index_uid') : camel('primary_key')
}

function shownRest(tag: string | undefined, d: Members): TaskDetails | null {
  switch (tag) {
    case 'Export': {
      const { url, api_key: key, payload_size: size, indexes } = d
      return {
        url,
        ...(typeof key === 'string' ? { apiKey: masked(key) } : {}),
        ...(size === undefined || size === null ? {} : { payloadSize: sizeText(size) }),
        indexes: indexes ?? {},
      }
    }
    case 'UpgradeDatabase':
      return { upgradeFrom: versionText(d['from']), upgradeTo: versionText(d['to']) }
    case 'IndexCompaction': {
      const before = d['pre_compaction_size'] ?? null
      const after = d['post_compaction_size'] ?? null
      if (before === null || after === null) return {}
      return { preCompactionSize: sizeText(before), postCompactionSize: sizeText(after) }
    }
    case 'NetworkTopologyChange':
      return { movedDocuments: d['moved_documents'] ?? 0, message: d['message'] ?? '' }
    case 'DsrUpdate': {
      const made = d['createOrUpdate'] as Members | undefined
      return made === undefined
        ? { updatedRules: 1 }
        : { rule: made['update'] ?? {}, updatedRules: 1 }
    }
    default:
      return null
  }
}

/** A key that was masked before is shown as it is. */
const masked = (key: string): string => (/^.{0,5}XXX+\.\.\.$/.test(key) ? key : maskSecret(key))

const sizeText = (size: unknown): string =>
  typeof size === 'number' ? formatBytes(size) : String(size)
